"""The columns that `crop_images` adds, and the conversion of a response to a row."""

from typing import Any

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)


def _struct(*fields: tuple[str, DataType], required: tuple[str, ...] = ()) -> StructType:
    return StructType([StructField(name, type_, nullable=name not in required) for name, type_ in fields])


def _list(*fields: tuple[str, DataType]) -> ArrayType:
    return ArrayType(_struct(*fields))


_BOX = [(name, DoubleType()) for name in ("x", "y", "width", "height")]
_POINTS = ArrayType(ArrayType(DoubleType()))
# A position in fractions of the image's width or height, and its confidence.
_EDGE = _struct(("place", DoubleType()), ("confidence", DoubleType()))
_HEAD = _struct(*((name, _EDGE) for name in ("crown", "skull", "chin", "left", "right")), ("outline", _POINTS))
_FACE = _struct(
    *_BOX,
    ("score", DoubleType()),
    ("detectors", ArrayType(StringType())),
    ("landmarks", _POINTS),
    ("head", _HEAD),
    ("sharpness", DoubleType()),
)
_MILLISECONDS = ("look", "detect", "render", "encode", "write")
_CROPS = _list(
    ("region", _struct(*_BOX)),
    ("frame", _struct(*_BOX)),
    ("turn", _struct(("degrees", DoubleType()), ("rect", _struct(*_BOX)))),
    ("faces", ArrayType(IntegerType())),
    # The number in the names of its outputs, if each face has one.
    ("number", IntegerType()),
)
_OUTPUTS = _list(
    ("file", StringType()),
    ("width", IntegerType()),
    ("height", IntegerType()),
    ("bytes", LongType()),
    ("sha256", StringType()),
    # Whether the output is smaller than requested.
    ("smaller", BooleanType()),
    # The index of its crop, and its face's landmarks in pixels of the output.
    ("crop", IntegerType()),
    ("landmarks", _POINTS),
    # The rules of a passport photo that it misses, by name; null without a standard.
    ("missedRules", ArrayType(StringType())),
    # The file itself, if outputs are returned as a column.
    ("content", BinaryType()),
)

RESULT_SCHEMA = _struct(
    # cropped, no-face or failed
    ("status", StringType()),
    # The reason of a failure: a word for programs, and a clause for people.
    ("reason", _struct(("kind", StringType()), ("message", StringType()))),
    # Whether a failure is transient, so that a retry may succeed.
    ("retryable", BooleanType()),
    ("detector", StringType()),
    # In pixels of the displayed image.
    ("width", IntegerType()),
    ("height", IntegerType()),
    # Boxes and landmarks in fractions of the displayed image, from the top left.
    ("faces", ArrayType(_FACE)),
    # The index of the face that a crop of one person is for, and whether the faces are all that can be found.
    ("chosen", IntegerType()),
    ("faces_are_complete", BooleanType()),
    # The best guess if no face was found.
    ("possible_face", _FACE),
    ("regions", _list(*_BOX)),
    # The crops as in a plan: `frame` may exceed the image, `turn` aligns the eyes, `faces` are indices.
    ("crops", _CROPS),
    ("outputs", _OUTPUTS),
    ("milliseconds", _struct(*((name, DoubleType()) for name in _MILLISECONDS))),
    ("warnings", ArrayType(StringType())),
    # The kind of each warning.
    ("warning_kinds", ArrayType(StringType())),
    # The peak memory so far, in bytes, of the worker process.
    ("peak_memory", LongType()),
    # Number of times it was sent to a worker; above 1 if a worker died while it was in flight.
    ("attempts", IntegerType()),
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
    return values | {"attempts": attempts}


def failed(kind: str, message: str) -> dict[str, Any]:
    """Returns the row of a record that was not sent."""
    return row({"status": "failed", "reason": {"kind": kind, "message": message}, "retryable": False}, attempts=0)
