"""Converts options for facecrop."""

import difflib
import math
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypedDict

Option = bool | int | float | str | Sequence[int] | Sequence[float] | None


class ReadOptions(TypedDict, total=False):
    """Options of each command that reads an image."""

    detector: Literal["auto", "haar", "yunet"]
    page: int
    allow_truncated: bool
    max_pixels: int | str
    max_file_size: int | str
    max_side: int


class CropOptions(ReadOptions, total=False):
    """Options of `facecrop crop` with underscores; see `facecrop crop --help` for each option and its default.

    `template` is a name such as `"arcface-112"`, or the path of a JSON file. `preset` is a name such as `"avatar"` or
    `"passport:us"`, and `fill` a shape or a list such as `"16:9,1:1"`. `size` is a side or a list of sides, or a text
    such as `"300x400"`, `"300x"` or `"35x45mm"`. `faces` may be `"person:Anna Smith"`, and `pad` a color.
    """

    # Faces and framing.
    faces: Literal["union", "prominent", "largest", "sharpest", "central", "each", "tagged"] | int | str
    order: Literal["left", "confidence", "size"]
    min_face: int | str
    max_faces: int
    preset: str
    face_ratio: float
    padding: float | Sequence[float]
    aspect: str
    fill: str
    align: bool
    template: str
    pad: Literal["edge", "blur"] | str
    max_pad: float
    no_face: Literal["whole", "center", "attention", "maybe", "person", "skip", "fail"]
    upright: Literal["auto", "off"]
    mesh: bool
    animation: Literal["first", "best", "keep"]
    # Size.
    size: int | Sequence[int] | str
    dpi: int
    min_size: int
    upscale: bool
    # File format.
    format: Literal["jpeg", "jpg", "png", "webp", "avif", "gif", "tiff", "auto"]
    accept: str
    quality: int | Literal["lossless"]
    speed: int
    max_bytes: int | str
    subsampling: Literal["auto", "444", "422", "420"]
    progressive: bool
    shape: Literal["square", "circle"]
    matte: str
    background_fill: str
    keep_people: bool
    fail_if_unsure: bool
    color: Literal["srgb", "keep"]
    metadata: Literal["strip", "copyright", "keep"]
    gain_map: Literal["keep", "drop"]
    lossless: bool


class DetectOptions(ReadOptions, total=False):
    """Options of `detect`."""

    heads: bool
    mesh: bool
    upright: Literal["auto", "off"]


# Options of version 0.1 that are values of others now, which the command still accepts.
FORMER = {
    **{"width": "size", "height": "size", "print": "size", "fill_sizes": "fill", "pad_color": "pad"},
    **{"person": "faces", "background": "matte"},
}
# Options that have a parameter of their own, or that a worker does not support.
RESERVED = frozenset(
    {"worker", "picture_process", "jobs", "memory", "timeout", "progress", "manifest", "resume", "no_resume"}
    | {"retry", "verify", "recursive", "from_list", "base", "name", "output_dir", "reject_dir", "dry_run"}
    | {"pairs", "plan_in", "plan_out", "report", "shard", "on_collision", "prune", "help", "version"}
    | {"overwrite", "no_face_dir", "json", "names", "sidecar", "remake", "corrections"}
    | {"blur", "blur_mode", "blur_image", "blur_shape", "blur_margin", "keep_location", "hide", "show"}
    | {"series", "best_of"}
)
# Options of the command that are parameters of functions or of `Cropper`.
PARAMETERS = frozenset({"base", "jobs", "memory", "overwrite", "timeout"})
# Those that a `Cropper` has and its methods lack.
OF_CROPPER = frozenset({"memory", "timeout"})
# What to do instead of passing them to a call.
_WAYS_OUT = {name: f" (pass it to Cropper, as in Cropper({name}=...))" for name in OF_CROPPER} | {
    "workers": " (pass jobs to batch or webdataset, or workers to Cropper)"
}


def members(options: Mapping[str, object], known: type = CropOptions, of: str = "a crop") -> dict[str, Option]:
    """Returns `preset="avatar", size=[512, 128], upscale=True` under the names of a worker's request.

    Scalars and one-dimensional arrays of NumPy are converted to Python's types. Only facecrop knows the valid values;
    it responds to invalid ones with the reason `request`. `known` lists the options of the function, and `of` is its
    name in messages.

    Raises:
        ValueError: A name or a value cannot belong to an option; numbers must be finite.
    """
    hints = known.__annotations__
    found: dict[str, Option] = {}
    for name, given in sorted(options.items()):
        value = plain(given)
        if name == "template" and isinstance(value, str) and value.endswith(".json"):
            # A worker stays in its first folder.
            value = os.path.abspath(value)
        if name not in hints and not (known is CropOptions and name in FORMER):
            raise ValueError(f"{name} is not an option of {of}{_way_out(name, hints)}")
        # The usual value of an empty field of a form.
        if isinstance(value, str) and not value:
            raise ValueError(f"{name} is an empty text (leave it out, or pass None)")
        if isinstance(value, bytes | bytearray | memoryview):
            raise ValueError(f"{name} must be a number, a text or a list of numbers, not {type(value).__name__}")
        parts = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        if not parts:
            raise ValueError(f"{name} is an empty list (leave it out, or pass None)")
        if any(isinstance(part, float) and not math.isfinite(part) for part in parts):
            raise ValueError(f"{name} must be finite, not {given!r}")
        hint = hints.get(name)
        if hint is bool and value is not None and not isinstance(value, bool):
            raise ValueError(f"{name} must be True or False, not {given!r}")
        if isinstance(value, bool) and hint is not bool:
            raise ValueError(f"{name} needs a value, not {value} (see facecrop.{known.__name__})")
        if value is None or isinstance(value, bool | int | float | str):
            found[name.replace("_", "-")] = value
        elif isinstance(value, Sequence) and all(is_number(part) for part in value):
            found[name.replace("_", "-")] = list(value)
        else:
            raise ValueError(f"{name} must be a number, a text or a list of numbers, not {value!r}")
    return found


# Options that place the output, and so exclude a template, which does.
_PLACING = (
    *("preset", "face_ratio", "padding", "align", "size", "width", "height", "print", "aspect", "fill", "fill_sizes"),
    "upscale",
)


def check_placing(options: Mapping[str, object], of: str) -> None:
    """Raises a `ValueError` for an option that excludes the function's own template.

    The command's message would name the template, which the caller has not passed.
    """
    if options.get("template") is None:
        refuse(options, _PLACING, f"has no effect, because {of} aligns each face to a template (leave it out)")


def refuse(options: Mapping[str, object], names: Iterable[str], fault: str) -> None:
    """Raises a `ValueError` with the fault for the first of some options that is neither None nor False."""
    for name in names:
        if options.get(name) is not None and options.get(name) is not False:
            raise ValueError(f"{name} {fault}")


def _way_out(name: str, known: Mapping[str, object]) -> str:
    """Returns advice about an unknown option, or nothing."""
    if name in _WAYS_OUT:
        return _WAYS_OUT[name]
    near = [] if name in RESERVED else difflib.get_close_matches(name, known, 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def at_least_one(name: str, value: object) -> None:
    """Raises a `ValueError` if a parameter is not a whole number from 1."""
    try:
        is_valid = not isinstance(value, bool) and operator.index(value) >= 1  # type: ignore[arg-type]
    except TypeError:
        is_valid = False
    if not is_valid:
        raise ValueError(f"{name} must be a whole number and at least 1, not {value!r}")


def plain(value: object) -> object:
    """Returns a scalar or an array of NumPy as Python's type, which JSON supports, a path as text, and others as is."""
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if hasattr(value, "dtype") and getattr(value, "ndim", 2) <= 1:
        return value.tolist()  # type: ignore[attr-defined]
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def arguments(options: Mapping[str, object], known: type = CropOptions, of: str = "a crop") -> tuple[str, ...]:
    """Returns `preset="avatar", size=[512, 128], upscale=True` as `--preset=avatar --size=512,128 --upscale`.

    Raises:
        ValueError: A name or a value cannot belong to an option.
    """
    words: list[str] = []
    for name, value in members(options, known, of).items():
        if value is None or value is False:
            continue
        words.append(f"--{name}" if value is True else f"--{name}={_text(value)}")
    return tuple(words)


def _text(value: Option) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(repr(part) for part in value)
    return value if isinstance(value, str) else repr(value)


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
