"""Compares the options with the command's own list."""

import json
import math
import subprocess
from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy
import pytest

from facecrop import blurring, options
from facecrop.errors import spelled, worded


def test_options_are_those_of_the_command_line() -> None:
    wanted = {"size": (512, 128), "no_face": "skip", "upscale": True, "align": False, "padding": 0.25, "format": None}
    assert options.arguments(wanted) == ("--no-face=skip", "--padding=0.25", "--size=512,128", "--upscale")
    # A request has them by the same names.
    members = {"size": [512, 128], "no-face": "skip", "upscale": True, "align": False, "padding": 0.25, "format": None}
    assert options.members(wanted) == members


@pytest.mark.parametrize("converted", [options.members, options.arguments])
def test_options_that_are_none(converted: Callable[[dict[str, object]], object]) -> None:
    for name in ("id", "input", "output", "timeout", "jobs", "worker", "--size", "a b"):
        with pytest.raises(ValueError, match=f"^{name} is not an option of a crop"):
            converted({name: 1})
    for value, words in (
        ("", r"is an empty text \(leave it out, or pass None\)$"),
        ([], "is an empty list"),
        ({}, "must be a number, a text or a list of numbers"),
    ):
        with pytest.raises(ValueError, match=f"^size {words}"):
            converted({"size": value})


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", ["padding", "face_ratio", "size", "quality", "faces"])
def test_numbers_are_finite(name: str, number: float) -> None:
    for wanted in (number, [0.1, number]):
        with pytest.raises(ValueError, match=f"{name} must be finite"):
            options.members({name: wanted})


def test_numbers_of_numpy_are_numbers() -> None:
    wanted = {
        "size": numpy.array([512, 128]),
        "quality": numpy.int64(80),
        "padding": numpy.float32(0.25),
        "upscale": numpy.bool_(True),
        "min_size": numpy.uint16(9),
    }
    found = options.members(wanted)
    assert found == {"size": [512, 128], "quality": 80, "padding": 0.25, "upscale": True, "min-size": 9}
    assert json.loads(json.dumps(found)) == found
    assert options.arguments({"size": [numpy.int32(5)], "padding": numpy.float64(0.5)}) == ("--padding=0.5", "--size=5")
    with pytest.raises(ValueError, match="padding must be finite"):
        options.members({"padding": numpy.float64("nan")})


def test_options_are_those_of_each_command(facecrop: str) -> None:
    crop, batch = _known(facecrop, "crop"), _known(facecrop, "batch")
    # A new option of `batch` but not of `crop` needs a decision, and so does a reserved one that is gone.
    assert batch - crop <= options.RESERVED <= batch
    assert set(options.CropOptions.__annotations__) == (batch & crop) - options.RESERVED
    typed = {name.replace("except_faces", "except") for name in blurring.BlurOptions.__annotations__}
    assert typed <= _known(facecrop, "blur")
    # `crops` finds the heads of `detect`.
    assert set(options.DetectOptions.__annotations__) - {"heads"} <= _known(facecrop, "detect")


@pytest.mark.parametrize(
    ("command", "typed"),
    [("crop", options.CropOptions), ("blur", blurring.BlurOptions), ("detect", options.DetectOptions)],
)
def test_types_list_the_values_of_the_command(facecrop: str, command: str, typed: type) -> None:
    # A value that the command has and the type lacks, such as a new detector, is an error of the type checker.
    values = {
        name: set(argument["allValues"])
        for argument in _arguments(facecrop, command)
        for name in _long_names(argument)
        if "allValues" in argument
    }
    found = {name: literals for name, hint in get_type_hints(typed).items() if (literals := _literals(hint))}
    assert "detector" in found
    for name in found.keys() & values.keys():
        assert found[name] - _SYNONYMS.get(name, set()) == values[name] - _NO_VALUES.get((command, name), set()), name


# Numbers and names have types of their own, and `auto` needs the option `accept`, which `blur` of Python lacks.
_NO_VALUES = {("crop", "faces"): {"N", "person:NAME"}, ("blur", "format"): {"auto"}}
# Values that the command accepts and does not list.
_SYNONYMS = {"format": {"jpg"}}


def _literals(hint: object) -> set[str]:
    if get_origin(hint) is Literal:
        return set(get_args(hint))
    return {value for part in get_args(hint) for value in _literals(part)}


def _arguments(facecrop: str, command: str) -> list[dict[str, Any]]:
    said = subprocess.run([facecrop, command, "--experimental-dump-help"], capture_output=True, check=True)
    arguments: list[dict[str, Any]] = json.loads(said.stdout)["command"]["arguments"]
    return arguments


def _long_names(argument: Mapping[str, Any]) -> set[str]:
    return {name["name"].replace("-", "_") for name in argument.get("names", []) if name["kind"] == "long"}


def _known(facecrop: str, command: str) -> set[str]:
    return {name for argument in _arguments(facecrop, command) for name in _long_names(argument)}


@pytest.mark.parametrize(
    ("remedy", "words"),
    [
        (["raise it with ", ("max-pixels", "2MP")], ' (raise it with max_pixels="2MP")'),
        (["raise it with ", ("timeout", "1")], " (raise it with timeout=1)"),
        (["pass ", ("upscale", "true"), " to enlarge"], " (pass upscale=True to enlarge)"),
        (["leave out ", ("except",), " to hide them"], " (leave out except_faces to hide them)"),
        (["remove it, or pass ", ("clobber", "true")], " (remove it, or pass overwrite=True)"),
        # Python has no such option.
        (["leave out ", ("plan-in",)], ""),
        ([], ""),
    ],
)
def test_faults_have_the_spelling_of_python(remedy: list[Any], words: str) -> None:
    assert worded(_fault(*remedy)) == f"none{words}"


def test_messages_have_the_names_of_python() -> None:
    # A `Cropper` has parameters of its own.
    for option, words in ((("timeout", "1"), "timeout=1"), (("memory",), "memory=...")):
        assert worded(_fault("raise it with ", option), of_cropper=True) == f"none (raise it with Cropper({words}))"
    assert spelled("--no-face 'x' is wrong (leave out --except)") == "no_face 'x' is wrong (leave out except_faces)"
    # A text in quotes is as the caller wrote it.
    assert spelled("person '--help' is unknown") == "person '--help' is unknown"


def _fault(*remedy: Any) -> dict[str, Any]:
    names = ("option", "value")
    parts = [{"text": part} if isinstance(part, str) else dict(zip(names, part, strict=False)) for part in remedy]
    return {"kind": "none", "problem": "none", "remedy": parts}
