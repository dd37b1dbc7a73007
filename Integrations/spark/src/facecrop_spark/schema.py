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


def _struct(*fields: tuple[str, DataType]) -> StructType:
    return StructType([StructField(name, type_) for name, type_ in fields])


_BOX = [(name, DoubleType()) for name in ("x", "y", "width", "height")]
# A position in fractions of the image's width or height, and its confidence.
_EDGE = _struct(("place", DoubleType()), ("confidence", DoubleType()))
_FACE = _struct(
    *_BOX,
    ("score", DoubleType()),
    ("detectors", ArrayType(StringType())),
    ("landmarks", ArrayType(ArrayType(DoubleType()))),
    (
        "head",
        _struct(
            *((name, _EDGE) for name in ("crown", "skull", "chin", "left", "right")),
            ("outline", ArrayType(ArrayType(DoubleType()))),
        ),
    ),
    ("sharpness", DoubleType()),
)
_MILLISECONDS = ("look", "detect", "render", "encode", "write")

RESULT_SCHEMA = StructType(
    [
        # cropped, no-face or failed
        StructField("status", StringType(), nullable=False),
        # The reason of a failure: a word for programs, and a clause for people.
        StructField("reason", _struct(("kind", StringType()), ("message", StringType()))),
        # Whether a failure is transient, so that a retry may succeed.
        StructField("retryable", BooleanType()),
        StructField("detector", StringType()),
        # In pixels of the displayed image.
        StructField("width", IntegerType()),
        StructField("height", IntegerType()),
        # Boxes and landmarks in fractions of the displayed image, from the top left.
        StructField("faces", ArrayType(_FACE)),
        # The index of the face that a crop of one person is for, and whether the faces are all that can be found.
        StructField("chosen", IntegerType()),
        StructField("faces_are_complete", BooleanType()),
        # The best guess if no face was found.
        StructField("possible_face", _FACE),
        StructField("regions", ArrayType(_struct(*_BOX))),
        # The crops as in a plan: `frame` may exceed the image, `turn` aligns the eyes, `faces` are indices.
        StructField(
            "crops",
            ArrayType(
                _struct(
                    ("region", _struct(*_BOX)),
                    ("frame", _struct(*_BOX)),
                    ("turn", _struct(("degrees", DoubleType()), ("rect", _struct(*_BOX)))),
                    ("faces", ArrayType(IntegerType())),
                    # The number in the names of its outputs, if each face has one.
                    ("number", IntegerType()),
                )
            ),
        ),
        StructField(
            "outputs",
            ArrayType(
                _struct(
                    ("file", StringType()),
                    ("width", IntegerType()),
                    ("height", IntegerType()),
                    ("bytes", LongType()),
                    ("sha256", StringType()),
                    # Whether the output is smaller than requested.
                    ("smaller", BooleanType()),
                    # The index of its crop, and its face's landmarks in pixels of the output.
                    ("crop", IntegerType()),
                    ("landmarks", ArrayType(ArrayType(DoubleType()))),
                    # The rules of a passport photo that it misses, by name; null without a standard.
                    ("missedRules", ArrayType(StringType())),
                    # The file itself, if outputs are returned as a column.
                    ("content", BinaryType()),
                )
            ),
        ),
        StructField("milliseconds", _struct(*((name, DoubleType()) for name in _MILLISECONDS))),
        StructField("warnings", ArrayType(StringType())),
        # The kind of each warning.
        StructField("warning_kinds", ArrayType(StringType())),
        # The peak memory so far, in bytes, of the worker process.
        StructField("peak_memory", LongType()),
        # Number of times it was sent to a worker; above 1 if a worker died while it was in flight.
        StructField("attempts", IntegerType(), nullable=False),
    ]
)


def row(members: dict[str, Any], attempts: int) -> dict[str, Any]:
    """Returns the members of a worker's response as a row."""
    values = {name: members.get(name) for name in RESULT_SCHEMA.names}
    values["faces_are_complete"] = members.get("facesAreComplete", True) if "faces" in members else None
    values["possible_face"] = members.get("possibleFace")
    values["warning_kinds"] = members.get("warningKinds")
    values["peak_memory"] = members.get("peakMemory")
    values["attempts"] = attempts
    return values


def failed(kind: str, message: str) -> dict[str, Any]:
    """Returns the row of a record that was not sent."""
    return row({"status": "failed", "reason": {"kind": kind, "message": message}, "retryable": False}, attempts=0)
