"""Crops many files with one worker that processes several at a time."""

import dataclasses
import functools
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Unpack

from facecrop import naming, results
from facecrop import options as options_
from facecrop.errors import check_name
from facecrop.options import CropOptions, Option
from facecrop.picture import Path, check_paths, command_path, input_path, text_path
from facecrop.results import Result
from facecrop.worker import Request, Settings, Worker, check, request_or_fault


def batch(
    inputs: Iterable[Path],
    output: Path | Callable[[str], Path],
    *,
    base: Path | None = None,
    jobs: int | None = None,
    memory: str | None = None,
    timeout: float | None = None,
    attempts: int = 4,
    overwrite: bool = False,
    facecrop: Path | None = None,
    **options: Unpack[CropOptions],
) -> Iterator[Result]:
    """Crops many files, and yields one result for each, in the order in which they finish.

    An image that fails yields a result with the reason, never an exception. Inputs are read only as there is room for
    them. Relative paths start at the current folder of the call. Outputs are written atomically.
    An existing file with other content is kept, and the image fails with the kind `exists`, so that a retouched output
    is not lost. Closing the iterator ends the run; images already started are finished.

    Args:
        inputs: Paths of images, any number of them.
        output: The folder for the outputs, which is created, or a function that names an input's output.
        base: Keeps each input's path below this folder; by default all outputs are directly in `output`.
        jobs: Images processed at a time; by default the processors that this process may use.
        memory: Upper bound for the whole run, such as "2GiB"; by default half of the machine's memory.
        timeout: Seconds for an image; by default facecrop's 30.
        attempts: Number of times in a row that the worker may end without any response.
        overwrite: Replaces existing files. Pass it to make outputs again with other options.
        facecrop: The command; by default that of the wheel, of `FACECROP` in the environment, or on PATH.
        **options: Options of `facecrop crop`, with underscores: `preset="avatar", size=[512, 128], faces="each"`. As
            in `facecrop batch`, the default of `no_face` is `skip`, which writes nothing for an image without a face.

    Raises:
        TypeError: `inputs` is a single path, or one of them is not a path, or `output` is no folder and no function.
        ValueError: An option is invalid; nothing was written.
        WorkerError: The command is missing or cannot be used, or it ended `attempts` times in a row.
    """
    check_paths("inputs", inputs)
    if not callable(output):
        output = text_path("output", output, kinds=("a folder", "a function that names outputs"))
    if base is not None:
        base = text_path("base", base, kinds=("a folder",))
    if options.get("no_face") is None:
        options["no_face"] = "skip"
    settings = Settings(
        command_path(facecrop),
        options_.arguments(options),
        jobs=len(os.sched_getaffinity(0)) if jobs is None else jobs,
        memory=memory,
        timeout=timeout,
        attempts=attempts,
    )
    if callable(output) and base is not None:
        raise ValueError("base and a callable output cannot be combined")
    check(settings)
    namer = _Namer(output, base, options.get("format"), options.get("animation"), os.getcwd())
    return _run(settings, inputs, namer, {} if overwrite else {"clobber": False})


def _run(settings: Settings, inputs: Iterable[Path], namer: "_Namer", own: dict[str, Option]) -> Iterator[Result]:
    folder = namer.folder
    # Each folder once.
    make_folder = functools.cache(functools.partial(os.makedirs, exist_ok=True))

    def request(input_: str) -> Request:
        check_name(input_)
        output = os.path.join(folder, namer(input_))
        make_folder(os.path.dirname(output))
        return Request(input_, input_, output, own).resolved(folder)

    names = (input_path(path) for path in inputs)
    requests = (request_or_fault(name, functools.partial(request, name)) for name in names)
    with Worker(settings) as worker:
        for answer in worker.answers(requests):
            yield results.result(answer.request.key, answer.members)


@dataclasses.dataclass
class _Namer:
    """Names outputs, each name once."""

    output: str | Callable[[str], Path]
    base: str | None
    format: str | None
    animation: str | None
    # The folder at which relative paths start.
    folder: str
    # The image of each name.
    _names: dict[str, str] = dataclasses.field(default_factory=dict)

    def __call__(self, input_: str) -> str:
        name = self._name(input_)
        image = os.path.normpath(os.path.join(self.folder, input_))
        if self._names.get(name) == image:
            raise naming.NameFault(f"the image is given twice for the output {name} (leave one out)")
        if name in self._names:
            raise naming.NameFault(f"the output {name} is already that of another image ({self._remedy})")
        self._names[name] = image
        return name

    @property
    def _remedy(self) -> str:
        if callable(self.output):
            return "return a name of its own for each image"
        return "pass base" if self.base is None else "pass a function as output, which names each image's output"

    def _name(self, input_: str) -> str:
        if callable(self.output):
            return text_path("the result of the function output", self.output(input_), remedy=f"for {input_!r}")
        base = os.path.dirname(input_) if self.base is None else self.base
        # With a format, the content does not matter and is not read.
        suffix = None
        if self.format is None:
            head = naming.first_bytes(os.path.join(self.folder, input_))
            suffix = naming.suffix_by_content(input_, head)
        return os.path.join(self.output, naming.below(input_, base, self.format, self.animation, suffix))
