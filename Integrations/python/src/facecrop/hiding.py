"""Hides the faces in whole images, with one process of the command for each."""

import json
import os
import subprocess
import warnings
from collections.abc import Sequence
from typing import Any, Literal, TypedDict, Unpack

from facecrop import command
from facecrop import options as options_
from facecrop.cropper import Picture, data
from facecrop.errors import PictureError, WorkerError, worded


class BlurOptions(TypedDict, total=False):
    """Options of `facecrop blur` with underscores; see `facecrop blur --help` for each option and its default."""

    # `except` is a keyword of Python, so the option has another name here.
    faces: int | Sequence[int]
    except_faces: int | Sequence[int]
    min_face: int | str
    mode: Literal["blur", "pixelate", "solid"]
    shape: Literal["ellipse", "box", "head"]
    margin: float
    format: Literal["jpeg", "png", "webp", "avif", "gif", "tiff"]
    quality: int | Literal["lossless"]
    subsampling: Literal["auto", "444", "422", "420"]
    metadata: Literal["strip", "copyright", "keep"]
    keep_location: bool
    detector: Literal["auto", "haar", "yunet"]
    allow_truncated: bool
    max_pixels: int | str
    max_file_size: int | str
    max_side: int


def blur(
    picture: Picture, *, facecrop: str | None = None, timeout: float | None = None, **options: Unpack[BlurOptions]
) -> bytes:
    """Returns the image with hidden faces, as a file's bytes. An image without a face keeps its pixels.

    A `UserWarning` says that no face was hidden, or fewer than the options ask for.

    A JPEG stays a JPEG, and only the blocks with faces change.

    Args:
        picture: The bytes or the path of a JPEG, PNG, WebP, GIF, TIFF, HEIC, AVIF or camera RAW file.
        facecrop: The command; by default that of the wheel, of `FACECROP` in the environment, or on PATH.
        timeout: Seconds for the image; by default facecrop's 30.
        **options: Options of `facecrop blur`, with underscores: `mode="pixelate", except_faces=[2]`.

    Raises:
        PictureError: The image is damaged, not an image, or exceeds a limit; `kind` and the message say why.
        ValueError: An option is invalid.
        WorkerError: The command is missing or cannot be used.
    """
    given: dict[str, Any] = dict(options)
    words = [f"--except={_numbers(given.pop('except_faces'))}"] if "except_faces" in given else []
    words += options_.arguments(given)
    if timeout is not None:
        words.append(f"--timeout={timeout!r}")
    path = os.fspath(picture) if isinstance(picture, str | os.PathLike) else None
    content = None if isinstance(picture, str | os.PathLike) else data(picture)
    # A path that begins with a dash is no option.
    name = "-" if path is None else os.path.join(os.curdir, path)
    try:
        run = subprocess.run(
            [facecrop or command.find(), "blur", "--progress=json", "-o", "-", *words, "--", name],
            input=content,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise WorkerError(f"the command cannot be started: {error}") from error
    if run.returncode == 0:
        return run.stdout
    if run.returncode == 2 and run.stdout:
        warning = worded(str(_event(run.stderr, "warning").get("message", "no face was hidden")))
        warnings.warn(warning if path is None else f"{path}: {warning}", stacklevel=2)
        return run.stdout
    event = _event(run.stderr, "error")
    kind, message = str(event.get("kind", "internal")), worded(str(event.get("message", "the faces were not hidden")))
    if run.returncode == 64 or kind == "usage":
        raise ValueError(message)
    raise PictureError(kind, message if path is None else f"{path}: {message}")


def _numbers(value: object) -> str:
    plain = options_.plain(value)
    return ",".join(str(part) for part in plain) if isinstance(plain, list) else str(plain)


def _event(lines: bytes, kind: str) -> dict[str, Any]:
    """Returns the last error or warning that the command reported."""
    for line in reversed(lines.splitlines()):
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and event.get("event") == kind:
            return event
    return {}
