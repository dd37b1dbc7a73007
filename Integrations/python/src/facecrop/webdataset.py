"""Writes aligned faces into shards in the layout of WebDataset."""

import dataclasses
import io
import itertools
import json
import os
import pathlib
import re
import string
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any, Unpack

from facecrop.batch import batch
from facecrop.options import CropOptions, at_least_one, check_placing
from facecrop.picture import Path, check_paths, input_path, text_path
from facecrop.results import Crop, Result

# A face's file, description and label.
_Sample = tuple[pathlib.Path, dict[str, Any], int]


@dataclasses.dataclass(frozen=True, slots=True)
class Shards:
    """The result of `webdataset`."""

    # The paths of the tar files.
    paths: tuple[str, ...]
    # The number of faces in all of them.
    samples: int
    # The names of the labels: those of the inputs' folders, in the order of their numbers.
    classes: tuple[str, ...]
    # The results of images that gave no face.
    others: tuple[Result, ...]


def webdataset(
    inputs: Iterable[Path],
    pattern: Path,
    *,
    shard_size: int = 10_000,
    overwrite: bool = False,
    jobs: int | None = None,
    memory: str | None = None,
    timeout: float | None = None,
    facecrop: Path | None = None,
    **options: Unpack[CropOptions],
) -> Shards:
    """Aligns each face in images to a template, and writes the faces into tar files for WebDataset.

    Each face has three members with the same key: the image, `key.json`, and `key.cls`. The JSON has the input, score,
    box, landmarks, matrix and rotation. Box and matrix belong to the image after its `rotation`, the clockwise degrees
    by which `upright="auto"` turned it. Landmarks count from the upper left corner of the image in pixels. The matrix
    is between positions from the center of the first pixel, as in OpenCV: `matrix @ (x - 0.5, y - 0.5, 1) + 0.5` for a
    position that counts from the corner. The label in `key.cls` is the number of the input's folder. Keys contain the
    input's position and the face's number, so they do not depend on the order in which images finish. A tar file gets
    its name when it is complete.

    Existing files that the pattern could name are an error, so that no set mixes old and new files. With `overwrite`,
    they are replaced or removed when the run is complete. A run that fails, or finds no face, keeps them.

    Args:
        inputs: Paths of images.
        pattern: The names of the tar files, such as "faces/train-{shard:06}.tar". The folder is created.
        shard_size: Upper bound of the faces in a tar file.
        overwrite: Replaces or removes existing files of the pattern, if the run writes at least one face.
        jobs, memory, timeout, facecrop: The same as for `batch`.
        **options: Options of `facecrop crop`, with underscores; `template` is "arcface-112" and
            `format` is "png" unless you pass another.

    Raises:
        TypeError: `inputs` is a single path, or one of them is not a path.
        ValueError: An option is invalid, or the pattern lacks `{shard}`.
        FileExistsError: The pattern names an existing file. Nothing was written.
        WorkerError: The command is missing or cannot be used.
    """
    check_paths("inputs", inputs)
    pattern = text_path("pattern", pattern)
    _check_pattern(pattern)
    at_least_one("shard_size", shard_size)
    paths = [input_path(path) for path in inputs]
    labels = [os.path.basename(os.path.dirname(os.path.abspath(path))) for path in paths]
    classes = tuple(sorted(set(labels)))
    numbers = {path: number for number, path in enumerate(paths)}
    check_placing(options, "webdataset")
    if options.get("format") is None:
        options["format"] = "png"
    if options.get("template") is None:
        options["template"] = "arcface-112"
    others: list[Result] = []
    folder = os.path.dirname(os.path.abspath(pattern))
    os.makedirs(folder, exist_ok=True)
    existing = _existing(pattern)
    if existing and not overwrite:
        raise FileExistsError(f"{existing[0]} exists (choose another pattern, or pass overwrite=True)")
    samples = 0

    def faces(scratch: str) -> Iterator[_Sample]:
        nonlocal samples
        results = batch(
            list(numbers),
            lambda path: os.path.join(scratch, f"{numbers[path]:09}.{options['format']}"),
            jobs=jobs,
            memory=memory,
            timeout=timeout,
            facecrop=facecrop,
            **options,
        )
        for result in results:
            if not result.outputs:
                others.append(result)
            label = labels[numbers[result.input]]
            for crop in result.crops:
                file = pathlib.Path(crop.output.path)
                yield file, _description(result, crop, label), classes.index(label)
                samples += 1
                file.unlink()

    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        # Until the run is complete, nothing replaces an existing file.
        written = _write(faces(scratch), pattern, shard_size, scratch, at_once=not existing)
    kept = {os.path.abspath(path) for path in written}
    for path in existing if written else ():
        if path not in kept:
            os.unlink(path)
    return Shards(tuple(written), samples, classes, tuple(others))


def _check_pattern(pattern: str) -> None:
    """Raises a `ValueError` unless each shard has a name of its own in one folder."""
    try:
        names = [os.path.split(pattern.format(shard=shard)) for shard in (0, 1)]
    except (AttributeError, LookupError, ValueError) as error:
        raise ValueError(f"pattern can only contain {{shard}}, such as 'train-{{shard:06}}.tar' ({error})") from error
    if names[0] == names[1]:
        raise ValueError("pattern must contain {shard}, such as 'train-{shard:06}.tar'")
    if names[0][0] != names[1][0]:
        raise ValueError("pattern must name the files of one folder, so {shard} cannot be in the folder's name")


def _existing(pattern: str) -> list[str]:
    """Returns the existing files whose names the pattern gives for some shard."""
    folder, name = os.path.split(os.path.abspath(pattern))
    parts = string.Formatter().parse(name)
    number = r"\s*\d+\s*"
    names = re.compile("".join(re.escape(text) + ("" if field is None else number) for text, field, _, _ in parts))
    found = (entry.path for entry in os.scandir(folder) if names.fullmatch(entry.name) and not entry.is_dir())
    return sorted(found)


def _description(result: Result, crop: Crop, label: str) -> dict[str, Any]:
    face = crop.face
    return {
        "file": result.input,
        "label": label,
        "score": face.score if face else None,
        "sharpness": face.sharpness if face else None,
        "box": list(face.box) if face else None,
        "landmarks": [list(point) for point in crop.landmarks],
        "matrix": list(crop.matrix),
        "rotation": crop.rotation,
    }


def _write(samples: Iterator[_Sample], pattern: str, most: int, scratch: str, *, at_once: bool) -> list[str]:
    """Writes samples into tar files, each up to a number, and returns the files.

    Until they get their names, files are in the folder `scratch`: each until it is complete if `at_once`, and otherwise
    until all are.
    """
    made: list[tuple[str, str]] = []
    for first in samples:
        path = pattern.format(shard=len(made))
        part = os.path.join(scratch, f"{os.path.basename(path)}.part")
        with tarfile.open(part, "w", format=tarfile.USTAR_FORMAT) as tar:
            for sample in itertools.chain([first], itertools.islice(samples, most - 1)):
                _add(tar, *sample)
        made.append((part, path))
        if at_once:
            os.replace(part, path)
    for part, path in () if at_once else made:
        os.replace(part, path)
    return [path for _, path in made]


def _add(tar: tarfile.TarFile, file: pathlib.Path, description: dict[str, Any], label: int) -> None:
    # A key ends at the first dot of a member's name.
    key, _, suffix = file.name.partition(".")
    contents = {suffix: file.read_bytes(), "json": json.dumps(description).encode(), "cls": str(label).encode()}
    for ending, data in contents.items():
        member = tarfile.TarInfo(f"{key}.{ending}")
        member.size = len(data)
        tar.addfile(member, io.BytesIO(data))
