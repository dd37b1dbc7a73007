"""The columns that `crop_images` adds, and how an answer becomes a row of them."""

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
# A place in fractions of the picture's width or height, and how sure it is.
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
        # Why it is not cropped: a word for programs, and a sentence's end.
        StructField("reason", _struct(("kind", StringType()), ("message", StringType()))),
        # Of what failed, whether it may pass at another time.
        StructField("retryable", BooleanType()),
        StructField("detector", StringType()),
        # In pixels, as displayed.
        StructField("width", IntegerType()),
        StructField("height", IntegerType()),
        # Boxes and landmarks in fractions of the picture as displayed, origin top-left.
        StructField("faces", ArrayType(_FACE)),
        # What was taken for a face where none was found.
        StructField("possible_face", _FACE),
        StructField("regions", ArrayType(_struct(*_BOX))),
        # The crops as a plan has them: `frame` reaches out of the picture, `turn` levels the eyes, `faces` are indices.
        StructField(
            "crops",
            ArrayType(
                _struct(
                    ("region", _struct(*_BOX)),
                    ("frame", _struct(*_BOX)),
                    ("turn", _struct(("degrees", DoubleType()), ("rect", _struct(*_BOX)))),
                    ("faces", ArrayType(IntegerType())),
                    # The number in the names of its outputs, where each face has one.
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
                    # True where the region has fewer pixels than were asked for.
                    ("smaller", BooleanType()),
                    # Which of the crops it shows, and its face's landmarks in pixels of the output.
                    ("crop", IntegerType()),
                    ("landmarks", ArrayType(ArrayType(DoubleType()))),
                    # The file itself, where the outputs come back as a column.
                    ("content", BinaryType()),
                )
            ),
        ),
        StructField("milliseconds", _struct(*((name, DoubleType()) for name in _MILLISECONDS))),
        StructField("warnings", ArrayType(StringType())),
        # Of the process that worked on it, in bytes, so far.
        StructField("peak_memory", LongType()),
        # How often it was sent to a worker: more than once if one died over it, or beside it.
        StructField("attempts", IntegerType(), nullable=False),
    ]
)


def row(members: dict[str, Any], attempts: int) -> dict[str, Any]:
    """The members of a worker's answer as a row."""
    values = {name: members.get(name) for name in RESULT_SCHEMA.names}
    values["possible_face"] = members.get("possibleFace")
    values["peak_memory"] = members.get("peakMemory")
    values["attempts"] = attempts
    return values


def failed(kind: str, message: str) -> dict[str, Any]:
    """The row of a record that was not sent."""
    return row({"status": "failed", "reason": {"kind": kind, "message": message}, "retryable": False}, attempts=0)
