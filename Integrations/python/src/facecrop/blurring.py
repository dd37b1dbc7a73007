"""Hides the faces in whole images, with one process of the command for each."""

import contextlib
import json
import os
import re
import subprocess
from collections.abc import Sequence
from typing import Any, Literal, Unpack

from facecrop import command
from facecrop import options as options_
from facecrop.errors import PictureError, PictureWarning, check_name, warn, worded
from facecrop.options import ReadOptions
from facecrop.picture import Path, Picture, command_path, data, shown
from facecrop.worker import check_timeout, kill_group, late, request_timeout, started


class BlurOptions(ReadOptions, total=False):
    """Options of `facecrop blur` with underscores; see `facecrop blur --help` for each option and its default."""

    # `except` is a keyword of Python, so the option has another name here.
    faces: int | Sequence[int]
    except_faces: int | Sequence[int]
    min_face: int | str
    mode: Literal["blur", "pixelate", "solid", "image"]
    image: Path
    shape: Literal["ellipse", "box", "head"]
    margin: float
    format: Literal["jpeg", "jpg", "png", "webp", "avif", "gif", "tiff"]
    quality: int | Literal["lossless"]
    subsampling: Literal["auto", "444", "422", "420"]
    metadata: Literal["strip", "copyright", "keep"]
    keep_location: bool


def blur(
    picture: Picture, *, facecrop: Path | None = None, timeout: float | None = None, **options: Unpack[BlurOptions]
) -> bytes:
    """Returns the image with hidden faces, as a file's bytes. An image without a face keeps its pixels.

    Numbers in `faces` that no face has are an error, and so are numbers of faces below `min_face`, since a face that
    should be hidden would stay visible. In `except_faces`, numbers without a face are a `PictureWarning`, since more is
    hidden. Another one says that no face was hidden. Each other warning of the command is one, too.

    A JPEG stays a JPEG, and only the blocks with faces change.

    Args:
        picture: The bytes or the path of a JPEG, PNG, WebP, GIF, TIFF, HEIC, AVIF or camera RAW file.
        facecrop: The command; by default that of the wheel, of `FACECROP` in the environment, or on PATH.
        timeout: Seconds for the image; by default facecrop's 30. The call ends at most 5 seconds later, even if the
            process hangs.
        **options: Options of `facecrop blur`, with underscores: `mode="pixelate", except_faces=[2]`.

    Raises:
        PictureError: The image is damaged, not an image, or exceeds a limit, or no face has a number in `faces` (the
            kind `face-number`), or such a face is lower than `min_face` (`not-hidden`); `kind` and the message say why.
        ValueError: An option is invalid.
        WorkerError: The command is missing or cannot be used.
    """
    return hidden(picture, options, command_path(facecrop), timeout)


def hidden(
    picture: Picture, options: BlurOptions, facecrop: str | None, timeout: float | None, of_cropper: bool = False
) -> bytes:
    """Returns the result of `blur`, whose errors have the words of a `Cropper`'s caller if `of_cropper`."""
    words = [re.sub("^--except-faces=", "--except=", word) for word in options_.arguments(options, BlurOptions, "blur")]
    check_timeout(timeout)
    if timeout is not None:
        words.append(f"--timeout={float(timeout)!r}")
    path = os.fspath(picture) if isinstance(picture, str | os.PathLike) else None
    content = None if isinstance(picture, str | os.PathLike) else data(picture)
    check_name(picture)
    # A path that begins with a dash is no option.
    name = "-" if path is None else os.path.join(os.curdir, path)
    program = facecrop or command.find()
    seconds = request_timeout(timeout)
    try:
        run = _run([program, "blur", "--progress=json", "-o", "-", *words, "--", name], content, seconds)
    except subprocess.TimeoutExpired:
        raise PictureError("limit", shown(picture, worded(late(seconds), of_cropper)), retryable=True) from None
    if run.returncode == 0 or (run.returncode == 2 and run.stdout):
        found = [
            PictureWarning(str(event.get("kind")), shown(picture, worded(event, of_cropper)))
            for event in _events(run.stderr, "warning")
        ]
        # The caller would take an image in which the face is visible for one in which it is hidden.
        visible = next((warning for warning in found if warning.kind in ("face-number", "not-hidden")), None)
        if visible and options.get("faces") is not None:
            raise PictureError(visible.kind, str(visible))
        warn(found)
        return run.stdout
    event: dict[str, Any] = next(reversed(_events(run.stderr, "error")), {})
    kind = str(event.get("kind", "internal"))
    message = worded(event, of_cropper)
    if run.returncode == 64 or kind == "usage":
        raise ValueError(message)
    at_fault = options["image"] if event.get("file") == os.fspath(options.get("image") or "") else picture
    raise PictureError(kind, shown(at_fault, message), retryable=event.get("retryable") is True)


def _run(words: list[str], content: bytes | None, seconds: float) -> "subprocess.CompletedProcess[bytes]":
    """Runs the command like `subprocess.run`, and ends it with its children if it is late."""
    # Without content, it has nothing to read, and no terminal to wait for.
    with started(words, subprocess.DEVNULL if content is None else subprocess.PIPE) as process:
        try:
            output, errors = process.communicate(content, seconds)
        except BaseException:
            kill_group(process)
            raise
    return subprocess.CompletedProcess(words, process.returncode, output, errors)


def _events(lines: bytes, kind: str) -> list[dict[str, Any]]:
    """Returns the errors or warnings that the command reported."""
    found = []
    for line in lines.splitlines():
        # Other lines are no JSON.
        with contextlib.suppress(ValueError):
            event = json.loads(line)
            if isinstance(event, dict) and event.get("event") == kind:
                found.append(event)
    return found
