"""The columns that `crop_images` adds, and the conversion of a response to a row."""

from typing import Any

from pyspark.sql import types as t


def _struct(*fields: tuple[str, t.DataType], required: tuple[str, ...] = ()) -> t.StructType:
    return t.StructType([t.StructField(name, type_, nullable=name not in required) for name, type_ in fields])


def _list(*fields: tuple[str, t.DataType]) -> t.ArrayType:
    return t.ArrayType(_struct(*fields))


_BOX = [(name, t.DoubleType()) for name in ("x", "y", "width", "height")]
_POINTS = t.ArrayType(t.ArrayType(t.DoubleType()))
# A position in fractions of the image's width or height, and its confidence.
_EDGE = _struct(("place", t.DoubleType()), ("confidence", t.DoubleType()))
_HEAD = _struct(*((name, _EDGE) for name in ("crown", "skull", "chin", "left", "right")), ("outline", _POINTS))
_FACE = _struct(
    *_BOX,
    ("score", t.DoubleType()),
    ("detectors", t.ArrayType(t.StringType())),
    ("landmarks", _POINTS),
    ("head", _HEAD),
    ("sharpness", t.DoubleType()),
)
_MILLISECONDS = ("look", "detect", "render", "encode", "write")
_CROPS = _list(
    ("region", _struct(*_BOX)),
    ("frame", _struct(*_BOX)),
    ("turn", _struct(("degrees", t.DoubleType()), ("rect", _struct(*_BOX)))),
    ("faces", t.ArrayType(t.IntegerType())),
    # The number in the names of its outputs, if each face has one.
    ("number", t.IntegerType()),
)
_OUTPUTS = _list(
    ("file", t.StringType()),
    ("width", t.IntegerType()),
    ("height", t.IntegerType()),
    ("bytes", t.LongType()),
    ("sha256", t.StringType()),
    # Whether the output is smaller than requested.
    ("smaller", t.BooleanType()),
    # The share of its area outside the image; null for none.
    ("padded", t.DoubleType()),
    # The index of its crop, and its face's landmarks in pixels of the output.
    ("crop", t.IntegerType()),
    ("landmarks", _POINTS),
    # The rules of a passport photo that it misses, by name; null without a standard.
    ("missedRules", t.ArrayType(t.StringType())),
    # The file itself, if outputs are returned as a column.
    ("content", t.BinaryType()),
)

RESULT_SCHEMA = _struct(
    # cropped, no-face or failed
    ("status", t.StringType()),
    # The reason of a failure: a word for programs, and a clause for people.
    ("reason", _struct(("kind", t.StringType()), ("message", t.StringType()))),
    # Whether a failure is transient, so that a retry may succeed.
    ("retryable", t.BooleanType()),
    ("detector", t.StringType()),
    # In pixels of the displayed image.
    ("width", t.IntegerType()),
    ("height", t.IntegerType()),
    # Boxes and landmarks in fractions of the displayed image, from the top left.
    ("faces", t.ArrayType(_FACE)),
    # The index of the face that a crop of one person is for, and whether the faces are all that can be found.
    ("chosen", t.IntegerType()),
    ("faces_are_complete", t.BooleanType()),
    # The best guess if no face was found.
    ("possible_face", _FACE),
    # What the first crop shows: face, person or center.
    ("origin", t.StringType()),
    ("regions", _list(*_BOX)),
    # The crops as in a plan: `frame` may exceed the image, `turn` aligns the eyes, `faces` are indices.
    ("crops", _CROPS),
    ("outputs", _OUTPUTS),
    ("milliseconds", _struct(*((name, t.DoubleType()) for name in _MILLISECONDS))),
    ("warnings", t.ArrayType(t.StringType())),
    # The kind of each warning.
    ("warning_kinds", t.ArrayType(t.StringType())),
    # The peak memory so far, in bytes, of the worker process.
    ("peak_memory", t.LongType()),
    # Number of times it was sent to a worker; above 1 if a worker died while it was in flight.
    ("attempts", t.IntegerType()),
    required=("status", "attempts"),
)
# Columns with another name in a response.
MEMBERS = {
    "faces_are_complete": "facesAreComplete",
    "possible_face": "possibleFace",
    "warning_kinds": "warningKinds",
    "peak_memory": "peakMemory",
}


def row(members: dict[str, Any], attempts: int) -> dict[str, Any]:
    """Returns the members of a worker's response as a row."""
    values = {name: members.get(MEMBERS.get(name, name)) for name in RESULT_SCHEMA.names}
    values["faces_are_complete"] = members.get("facesAreComplete", True) if "faces" in members else None
    # Only a worker knows of faults that pass.
    values["retryable"] = bool(values["retryable"]) if values["status"] == "failed" else None
    return values | {"attempts": attempts}
