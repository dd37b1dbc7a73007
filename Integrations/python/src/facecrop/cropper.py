"""Crops single images with workers that are started once and reused."""

import atexit
import collections
import concurrent.futures
import contextlib
import os
import pathlib
import threading
import weakref
from collections.abc import Iterable, Iterator
from typing import Any, Unpack, overload

from facecrop import arrays, blurring, results
from facecrop import options as options_
from facecrop.arrays import Array
from facecrop.blurring import BlurOptions
from facecrop.errors import FaceCropError, NoFaceError, PictureError, PictureWarning, check_name, warn, worded
from facecrop.options import CropOptions, DetectOptions
from facecrop.picture import Path, Picture, command_path, data, is_one, shown, text_path
from facecrop.results import Detection
from facecrop.scratch import Scratch
from facecrop.worker import Answer, Request, Settings, Worker, check, request_timeout

# Options of a file that an array lacks. `matte` is the color below transparent pixels of JPEG.
_NOT_OF_ARRAYS = (
    *("accept", "background", "matte", "dpi", "format", "gain_map", "lossless", "max_bytes", "metadata"),
    *("progressive", "quality", "speed", "subsampling"),
)

# A folder in memory, where nothing waits for a disk.
_MEMORY = "/dev/shm"


class Cropper(contextlib.AbstractContextManager["Cropper"]):
    """Crops images one by one, using `facecrop batch --worker` processes that are reused.

    Threads may share a cropper: each call in progress has its own worker, which later calls reuse. After a fork the new
    process starts its own workers. As a context manager, it ends its workers on exit. Otherwise they end with `close`,
    or when nothing refers to the cropper.

    Args:
        facecrop: The command; by default that of the wheel, of `FACECROP` in the environment, or on PATH.
        memory: Upper bound for each worker, such as "512M"; by default half of the machine's memory. `blur` has no
            worker, so it does not apply there.
        timeout: Seconds for an image; by default facecrop's 30. A call ends at most 5 seconds later, even if its worker
            hangs. The wait for a free worker does not count.
        workers: Upper bound of the workers; further calls wait. By default the processors that this process may use.
        scratch_dir: The folder for images and outputs while they are processed; by default /dev/shm if it exists,
            otherwise the folder for temporary files.
    """

    def __init__(
        self,
        *,
        facecrop: Path | None = None,
        memory: str | None = None,
        timeout: float | None = None,
        workers: int | None = None,
        scratch_dir: Path | None = None,
    ) -> None:
        if workers is not None:
            options_.at_least_one("workers", workers)
        if scratch_dir is not None:
            scratch_dir = text_path("scratch_dir", scratch_dir, kinds=("a folder",))
        self._settings = Settings(
            command_path(facecrop), memory=memory, timeout=timeout, request_timeout=request_timeout(timeout)
        )
        # Nothing else here can be wrong.
        if memory is not None or timeout is not None:
            check(self._settings)
        self._limit = workers or len(os.sched_getaffinity(0))
        in_memory = _MEMORY if os.access(_MEMORY, os.W_OK | os.X_OK) else None
        # The current folder may change before the first call.
        self._scratch_dir = os.path.abspath(scratch_dir) if scratch_dir else in_memory
        self._is_closed = False
        self._begin()
        _croppers.add(self)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._room = threading.BoundedSemaphore(self._limit)
        self._idle: list[Worker] = []
        self._all: list[Worker] = []
        # An owner may drop the cropper without a call of `close`. All are idle then: a call in progress refers to it.
        self._finalizer = weakref.finalize(self, _end, self._all)
        # At exit, `_close_all` ends them.
        self._finalizer.atexit = False
        self._scratch: Scratch | None = None
        self._count = 0

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends idle workers at once, and the others when they finish. Refuses further calls."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
            # In place, because the finalizer has this list.
            self._all[:] = [worker for worker in self._all if worker not in idle]
            scratch = None if self._all else self._scratch
        _end(idle)
        if scratch:
            scratch.close()

    def crop(self, picture: Picture, **options: Unpack[CropOptions]) -> bytes:
        """Returns the image cropped to the people in it, as a file's bytes.

        Each warning of the command is a `PictureWarning`, such as that no face was found and the center was used.

        Args:
            picture: The bytes or the path of a JPEG, PNG, WebP, GIF, TIFF, HEIC, AVIF or camera RAW file.
            **options: Options of `facecrop crop`, with underscores: `preset="avatar", size=512, format="webp"`.

        Raises:
            PictureError: The image is damaged, not an image, or exceeds a limit; `kind` and the message say why.
            NoFaceError: There is no face, and `no_face` is `skip` or `fail`.
            ValueError: An option is invalid, or requests several outputs: see `crops`.
            WorkerError: The command is missing or cannot be used.
        """
        found = self.crops(picture, **options)
        if len(found) != 1:
            raise ValueError(f"the request has {len(found)} outputs ({_several(options, len(found))})")
        return found[0]

    def crops(self, picture: Picture, **options: Unpack[CropOptions]) -> list[bytes]:
        """Returns several outputs: for each face (`faces="each"`), each size in order.

        Arguments, errors and warnings are those of `crop`.
        """
        answer, contents = self._made(picture, options)
        if not contents:
            raise _no_face(answer, picture)
        warn(_warnings(answer, picture))
        return contents

    def _made(self, picture: Picture, options: CropOptions) -> tuple[Answer, list[bytes]]:
        wanted = options_.members(options)
        with self._taken() as worker, self._files(picture) as (input_, output):
            answer = _ask(worker, Request(None, input_, output, wanted), picture)
            made = [results.path(file) for file in answer.members.get("outputs") or ()]
            try:
                contents = [pathlib.Path(path).read_bytes() for path in made]
            finally:
                for path in made:
                    pathlib.Path(path).unlink(missing_ok=True)
        return answer, contents

    # A text and bytes are images, and iterable too.
    @overload
    def chips(self, pictures: Picture, **options: Unpack[CropOptions]) -> Array: ...  # type: ignore[overload-overlap, unused-ignore]

    @overload
    def chips(self, pictures: Iterable[Picture], **options: Unpack[CropOptions]) -> Iterator[Array]: ...

    def chips(self, pictures: Picture | Iterable[Picture], **options: Unpack[CropOptions]) -> Array | Iterator[Array]:
        """Returns the faces of images, aligned to a template, as arrays of NumPy. No file is written for you to remove.

        Each image has one array of shape (faces, height, width, 3) in RGB, with faces in order from the left, by rows.
        An image without a face has one of length 0, unless `no_face` is `fail`. Each warning of the command is a
        `PictureWarning`.

        Args:
            pictures: An image, which returns its array, or any number of them, which returns an iterator over their
                arrays in the same order. Images are processed ahead of the reader, by all workers.
            **options: Options of `facecrop crop`, such as `faces="largest"` or `min_face=80`. `template` is
                `arcface-112` by default, or `ffhq-1024`, `dlib-150`, or the path of a JSON file with five points.
                Options of a file, such as `format` and `quality`, are invalid.

        Raises:
            PictureError: An image is damaged, not an image, or exceeds a limit. An iterator ends with it.
            NoFaceError: There is no face, and `no_face` is `fail`. An iterator ends with it.
            TypeError: An argument is neither an image nor images, such as a file object.
            ValueError: An option is invalid.
            ImportError: NumPy is not installed.
        """
        arrays.numpy_module()
        # They would change nothing in an array.
        options_.refuse(options, _NOT_OF_ARRAYS, "has no effect on arrays (leave it out)")
        if options.get("animation") == "keep":
            raise ValueError("animation must be 'first' or 'best' for arrays, not 'keep'")
        options_.check_placing(options, "chips")
        if options.get("template") is None:
            options["template"] = "arcface-112"
        if is_one(pictures):
            array, found = self._chips(pictures, options)  # type: ignore[arg-type]
            warn(found)
            return array
        return self._all_chips(pictures, options)  # type: ignore[arg-type]

    def _chips(self, picture: Picture, options: CropOptions) -> tuple[Array, list[PictureWarning]]:
        np = arrays.numpy_module()
        wanted: CropOptions = {**options, "format": "tiff"}
        if wanted.get("no_face") is None:
            wanted["no_face"] = "skip"
        answer, contents = self._made(picture, wanted)
        if not contents and wanted["no_face"] == "fail":
            raise _no_face(answer, picture)
        if not contents:
            return np.empty((0, *arrays.size(options["template"]), 3), np.uint8), _warnings(answer, picture)
        return np.stack([arrays.pixels(data) for data in contents]), _warnings(answer, picture)

    def _all_chips(self, pictures: Iterable[Picture], options: CropOptions) -> Iterator[Array]:
        # Few images are ahead of the reader, so that their arrays fit into memory.
        waiting: collections.deque[concurrent.futures.Future[tuple[Array, list[PictureWarning]]]] = collections.deque()

        def first() -> Array:
            array, found = waiting.popleft().result()
            # Here and not in the thread, which has no caller.
            warn(found)
            return array

        with concurrent.futures.ThreadPoolExecutor(self._limit) as threads:
            try:
                for picture in pictures:
                    waiting.append(threads.submit(self._chips, picture, options))
                    if len(waiting) > 2 * self._limit:
                        yield first()
                while waiting:
                    yield first()
            finally:
                for future in waiting:
                    future.cancel()

    def avatar(self, picture: Picture, **options: Unpack[CropOptions]) -> bytes:
        """Returns a square avatar of one head, as a file's bytes: `crop` with the default preset `avatar`."""
        if options.get("preset") is None:
            # The command's message would name the preset, which the caller has not passed.
            fault = "places the output, and so does avatar (leave it out, or call crop)"
            options_.refuse(options, ("template", "fill", "fill_sizes"), fault)
            options["preset"] = "avatar"
        return self.crop(picture, **options)

    def blur(self, picture: Picture, **options: Unpack[BlurOptions]) -> bytes:
        """Returns the image with hidden faces, as a file's bytes: `facecrop.blur` with this cropper's command and time.

        Each call has a process of its own. At most `workers` of them and of workers run at a time.
        """
        with self._room:
            self._check_open()
            return blurring.hidden(picture, options, self._settings.facecrop, self._settings.timeout, of_cropper=True)

    def detect(self, picture: Picture, **options: Unpack[DetectOptions]) -> Detection:
        """Returns the faces in an image, highest score first; having none is not an error.

        Args:
            picture: The same as for `crop`.
            **options: `detector`, where `haar` finds fewer faces; `heads=True` to find the head of each face too, which
                takes half a detection pass for each; `mesh=True` for 468 points in each face; `upright="auto"` to
                rotate an image that lies sideways or upside down, with the degrees in `Detection.rotation`;
                `allow_truncated=True` to read as much as possible of a damaged image, with a warning in
                `Detection.warnings`; and the limits, such as `max_pixels="40MP"`.

        Raises:
            PictureError: The same as for `crop`.
            ValueError: An option is invalid.
        """
        wanted = options_.members(options, DetectOptions, "detect")
        # A placed crop needs the head, so facecrop finds it. A crop of face boxes needs none.
        wanted |= {"preset": "avatar", "faces": "each"} if wanted.pop("heads", False) else {"padding": 0}
        wanted["no-face"] = "person"
        with self._taken() as worker, self._files(picture) as (input_, _):
            answer = _ask(worker, Request(None, input_, None, wanted), picture)
        return results.detection(answer.members)

    @contextlib.contextmanager
    def _taken(self) -> Iterator[Worker]:
        with self._room:
            with self._lock:
                self._check_open()
                worker = self._idle.pop() if self._idle else Worker(self._settings)
                if worker not in self._all:
                    self._all.append(worker)
            try:
                yield worker
            finally:
                with self._lock:
                    self._idle.append(worker)
                    is_over = self._is_closed
                if is_over:
                    self.close()

    def _check_open(self) -> None:
        if self._is_closed:
            raise FaceCropError("the cropper is closed")

    @contextlib.contextmanager
    def _files(self, picture: Picture) -> Iterator[tuple[str, str]]:
        """Returns the paths of the image's file and of the output, which has no extension; the format determines it."""
        check_name(picture)
        content = None if isinstance(picture, str | os.PathLike) else data(picture)
        with self._lock:
            if self._scratch is None:
                try:
                    self._scratch = Scratch(self._scratch_dir)
                except OSError as error:
                    raise FaceCropError(
                        f"the folder for temporary files cannot be used: {error} (choose another scratch_dir)"
                    ) from error
            folder = self._scratch.folder
            self._count += 1
            name = str(self._count)
        output = str(folder / f"{name}-out")
        if content is None:
            yield os.fspath(picture), output  # type: ignore[arg-type]
            return
        copy = folder / name
        try:
            copy.write_bytes(content)
            yield str(copy), output
        finally:
            copy.unlink(missing_ok=True)

    def _after_fork(self) -> None:
        """Forgets all workers after a fork; they belong to the old process."""
        self._finalizer.detach()
        for worker in self._all:
            worker.forget()
        if self._scratch:
            self._scratch.close()
        self._begin()


def _end(workers: list[Worker]) -> None:
    for worker in workers:
        worker.close()


def _ask(worker: Worker, request: Request, picture: Picture) -> Answer:
    """Returns the response. Raises an error if the image could not be cropped."""
    (answer,) = worker.answers([request.resolved(os.getcwd())])
    if answer.status != "failed":
        return answer
    reason: dict[str, Any] = answer.members.get("reason") or {}
    kind, message = str(reason.get("kind", "internal")), worded(answer.members, of_cropper=True)
    if kind == "request":
        raise ValueError(message)
    raise PictureError(kind, shown(picture, message), bool(answer.members.get("retryable")))


def _no_face(answer: Answer, picture: Picture) -> NoFaceError:
    # The caller gets bytes or arrays, and no file.
    message = worded(answer.members, of_cropper=True).replace("; nothing was written", "")
    return NoFaceError("no-face", shown(picture, message))


def _several(options: CropOptions, count: int) -> str:
    """Returns what to do if a request has several outputs. Two sizes may be meant as width and height."""
    size = options.get("size")
    if size is None or isinstance(size, int | str) or not len(size) == count == 2:
        return "call crops to get them all"
    return f'call crops to get both sizes, or pass size="{size[0]}x{size[1]}" for one output of this shape'


def _warnings(answer: Answer, picture: Picture) -> list[PictureWarning]:
    """Returns the warnings about outputs, which include one that none of them shows a face."""
    found = list(answer.members.get("warningFaults") or ())
    if answer.status == "no-face" and answer.members.get("outputs"):
        found.insert(0, answer.members["fault"])
    return [PictureWarning(fault["kind"], shown(picture, worded(fault, of_cropper=True))) for fault in found]


_croppers: "weakref.WeakSet[Cropper]" = weakref.WeakSet()


def _forked() -> None:
    for cropper in list(_croppers):
        cropper._after_fork()


os.register_at_fork(after_in_child=_forked)


@atexit.register
def _close_all() -> None:
    for cropper in list(_croppers):
        cropper.close()
