"""What was found in a picture, and what became of it."""

import base64
import dataclasses
import os
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from facecrop.errors import worded

Status = Literal["cropped", "no-face", "failed"]


class Point(NamedTuple):
    """In fractions of the picture's width and height as displayed; the origin is at the top left."""

    x: float
    y: float


class Rect(NamedTuple):
    """In fractions of the picture's width and height as displayed; the origin is at the top left."""

    x: float
    y: float
    width: float
    height: float


class Edge(NamedTuple):
    """Where a head ends, in fractions of the picture's width or height, and how sure that is, from 0 to 1."""

    place: float
    confidence: float


@dataclasses.dataclass(frozen=True, slots=True)
class Head:
    """Where a head ends on each side. The skull is below the crown, which includes the hair."""

    crown: Edge
    skull: Edge
    chin: Edge
    left: Edge
    right: Edge
    # A polygon around it; () where no mask of it was made.
    outline: tuple[Point, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Face:
    box: Rect
    # From 0 to 1.
    score: float
    # The eyes, the tip of the nose, the corners of the mouth, the left one in the picture first; () by the cascades.
    landmarks: tuple[Point, ...]
    # None where it was not looked for.
    head: Head | None
    # From 0 to 1; None where it was not measured.
    sharpness: float | None


@dataclasses.dataclass(frozen=True, slots=True)
class Detection:
    """The faces of a picture, the most confident one first."""

    # The picture's sides as displayed, in pixels.
    width: int
    height: int
    # `yunet` or `haar`.
    detector: str
    faces: tuple[Face, ...]
    warnings: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Reason:
    """The reason why an image was not cropped: a word for programs, and a clause for people."""

    kind: str
    message: str


@dataclasses.dataclass(frozen=True, slots=True)
class Output:
    """A file that was written."""

    path: str
    # The sides as displayed, in pixels.
    width: int
    height: int
    bytes: int
    # In hexadecimal digits.
    sha256: str
    # Whether the region has fewer pixels than were asked for.
    smaller: bool


class Pixel(NamedTuple):
    """A place in an output, in pixels; the origin is at the top left."""

    x: float
    y: float


@dataclasses.dataclass(frozen=True, slots=True)
class Crop:
    """What an output shows: one for each output, in the same order."""

    output: Output
    # The face that the output is for; None for an output of several faces, or of none.
    face: Face | None
    # The part of the picture that it shows.
    region: Rect
    # The face's landmarks in the output, in the order of `Face.landmarks`; () where there is no such face.
    landmarks: tuple[Pixel, ...]
    # Degrees, clockwise as seen, by which the face leant in the picture; 0.0 without `align`.
    turn: float


@dataclasses.dataclass(frozen=True, slots=True)
class Result:
    """What became of one picture of a batch."""

    input: str
    status: Status
    # None where it is cropped.
    reason: Reason | None
    # Of what failed, whether it may pass at another time.
    retryable: bool
    # All faces of the picture, the most confident one first, whichever of them was cropped: see `crops`.
    faces: tuple[Face, ...]
    # What each output shows.
    crops: tuple[Crop, ...]
    # The part of the picture in each crop.
    regions: tuple[Rect, ...]
    outputs: tuple[Output, ...]
    warnings: tuple[str, ...]
    # All that the command said of it, by the names of facecrop's guide.
    members: Mapping[str, Any] = dataclasses.field(repr=False)


def _warnings(members: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(worded(warning) for warning in members.get("warnings", ()))


def detection(members: Mapping[str, Any]) -> Detection:
    return Detection(members["width"], members["height"], members["detector"], _faces(members), _warnings(members))


def result(input_: str, members: Mapping[str, Any]) -> Result:
    reason = members.get("reason")
    faces = _faces(members)
    return Result(
        input=input_,
        status=members["status"],
        reason=Reason(reason["kind"], worded(reason["message"])) if reason else None,
        retryable=bool(members.get("retryable")),
        faces=faces,
        crops=tuple(_crop(output, members, faces) for output in members.get("outputs", ())),
        regions=tuple(Rect(**region) for region in members.get("regions", ())),
        outputs=tuple(_output(output) for output in members.get("outputs", ())),
        warnings=_warnings(members),
        members=members,
    )


def path(output: Mapping[str, Any]) -> str:
    """An output's path; what of it is no UTF-8 are lone surrogates, as `os.fsdecode` has them."""
    encoded = output.get("fileBase64")
    return os.fsdecode(base64.b64decode(encoded)) if encoded else str(output["file"])


def _output(output: Mapping[str, Any]) -> Output:
    return Output(
        path(output),
        output["width"],
        output["height"],
        output["bytes"],
        output["sha256"],
        bool(output.get("smaller")),
    )


def _crop(output: Mapping[str, Any], members: Mapping[str, Any], faces: tuple[Face, ...]) -> Crop:
    crop = members["crops"][output["crop"]]
    shown = crop["faces"]
    return Crop(
        output=_output(output),
        face=faces[shown[0]] if len(shown) == 1 else None,
        region=Rect(**crop["region"]),
        landmarks=tuple(Pixel(*place) for place in output.get("landmarks") or ()),
        turn=float((crop.get("turn") or {}).get("degrees", 0)),
    )


def _faces(members: Mapping[str, Any]) -> tuple[Face, ...]:
    return tuple(_face(face) for face in members.get("faces", ()))


def _head(members: Mapping[str, Any]) -> Head:
    sides = {side: Edge(**members[side]) for side in ("crown", "skull", "chin", "left", "right")}
    return Head(**sides, outline=tuple(Point(*point) for point in members.get("outline") or ()))


def _face(face: Mapping[str, Any]) -> Face:
    head = face.get("head")
    return Face(
        box=Rect(face["x"], face["y"], face["width"], face["height"]),
        score=face["score"],
        landmarks=tuple(Point(*point) for point in face.get("landmarks") or ()),
        head=_head(head) if head else None,
        sharpness=face.get("sharpness"),
    )
