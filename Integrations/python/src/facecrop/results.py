"""Results: the faces that were found in an image, and the outputs that were written."""

import base64
import dataclasses
import os
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from facecrop.errors import worded

Status = Literal["cropped", "no-face", "failed"]
Origin = Literal["face", "person", "center"]


class Point(NamedTuple):
    """A point in fractions of the displayed image's width and height, from the top left; see `Result.rotation`."""

    x: float
    y: float


class Rect(NamedTuple):
    """A rectangle in fractions of the displayed image's width and height, from the top left; see `Result.rotation`."""

    x: float
    y: float
    width: float
    height: float


class Edge(NamedTuple):
    """An edge of a head in fractions of the image's width or height, and its confidence, 0 to 1."""

    place: float
    confidence: float


@dataclasses.dataclass(frozen=True, slots=True)
class Head:
    """The edges of a head. The skull is below the crown, which includes the hair."""

    crown: Edge
    skull: Edge
    chin: Edge
    left: Edge
    right: Edge
    # A polygon around the head; () without a mask of the person.
    outline: tuple[Point, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Face:
    box: Rect
    # The score, 0 to 1.
    score: float
    # The eyes, the tip of the nose, the corners of the mouth, left ones in the image first; () from the cascades.
    landmarks: tuple[Point, ...]
    # The 468 points of MediaPipe's face mesh, an array by `numpy.array(face.mesh)`; () without `mesh=True`.
    mesh: tuple[Point, ...]
    # None if heads were not requested.
    head: Head | None
    # The sharpness, 0 to 1; None if it was not measured.
    sharpness: float | None


@dataclasses.dataclass(frozen=True, slots=True)
class Detection:
    """The faces of an image, highest score first."""

    # The sides of the displayed image in pixels.
    width: int
    height: int
    # `yunet` or `haar`.
    detector: str
    faces: tuple[Face, ...]
    warnings: tuple[str, ...]
    # The clockwise degrees by which `upright="auto"` rotated the image, whose sides and positions these are.
    rotation: int = 0
    # The face that `faces="prominent"` takes; None without a face.
    chosen: Face | None = None
    # What an avatar shows: a face, the head of a person without a visible face, or the center.
    origin: Origin | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Reason:
    """The reason why an image was not cropped: a word for programs, and a clause for people."""

    kind: str
    message: str


@dataclasses.dataclass(frozen=True, slots=True)
class Output:
    """A file that was written."""

    path: str
    # The sides of the displayed output in pixels.
    width: int
    height: int
    bytes: int
    # Hexadecimal digits.
    sha256: str
    # Whether the output is smaller than requested, since facecrop does not enlarge.
    smaller: bool
    # The share of its area that lies outside the image and is filled, 0 to 1.
    padded: float = 0.0


class Pixel(NamedTuple):
    """A point in an output in pixels, from the top left."""

    x: float
    y: float


@dataclasses.dataclass(frozen=True, slots=True)
class Crop:
    """The content of an output."""

    output: Output
    # The face of the output; None if it shows several faces or none.
    face: Face | None
    # The crop region in the image.
    region: Rect
    # The landmarks of the face from the upper left corner of the output, as in `Face.landmarks`; () without a face.
    landmarks: tuple[Pixel, ...]
    # Degrees, clockwise as displayed, by which the face was tilted; 0.0 without `align` or `template`.
    turn: float
    # The affine map from the image, after its `rotation`, to an output of a template: two rows of three; () without.
    # Positions are in pixels from the center of the top left one: subtract 0.5 from landmarks before the map, and add
    # 0.5 after it.
    matrix: tuple[float, ...]
    # The clockwise degrees by which `upright="auto"` rotated the image: 0, 90, 180 or 270.
    rotation: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Result:
    """The result of one image of a batch."""

    input: str
    status: Status
    # None if the image was cropped.
    reason: Reason | None
    # Whether a failure is transient, so that a retry may succeed.
    retryable: bool
    # The faces of the image, highest score first, even if not cropped; see `crops` and `faces_are_complete`.
    faces: tuple[Face, ...]
    # The content of each output.
    crops: tuple[Crop, ...]
    # The region of each crop in the image.
    regions: tuple[Rect, ...]
    outputs: tuple[Output, ...]
    warnings: tuple[str, ...]
    # The command's whole record, with the names of facecrop's guide.
    members: Mapping[str, Any] = dataclasses.field(repr=False)
    # The clockwise degrees by which `upright="auto"` rotated the image: 0, 90, 180 or 270. Faces, regions and matrices
    # belong to the rotated image.
    rotation: int = 0
    # The face that `faces="prominent"` takes; None without a face.
    chosen: Face | None = None
    # Whether the search for faces did not end early, since one person was certain.
    faces_are_complete: bool = True
    # What the first crop shows; None without a crop.
    origin: Origin | None = None


def detection(members: Mapping[str, Any]) -> Detection:
    return Detection(**{name: members[name] for name in ("width", "height", "detector")}, **_common(members))


def result(input_: str, members: Mapping[str, Any]) -> Result:
    common = _common(members)
    reason = members.get("reason")
    crops = tuple(_crop(output, members["crops"][output["crop"]], common) for output in members.get("outputs", ()))
    return Result(
        input=input_,
        status=members["status"],
        reason=Reason(reason["kind"], worded(members)) if reason else None,
        retryable=bool(members.get("retryable")),
        crops=crops,
        regions=tuple(Rect(**region) for region in members.get("regions", ())),
        outputs=tuple(crop.output for crop in crops),
        members=members,
        faces_are_complete=members.get("facesAreComplete", True),
        **common,
    )


def _common(members: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields that a `Detection` and a `Result` share."""
    faces = tuple(_face(face) for face in members.get("faces", ()))
    index = members.get("chosen")
    return {
        "faces": faces,
        "warnings": tuple(worded(fault) for fault in members.get("warningFaults", ())),
        "rotation": int(members.get("rotation") or 0),
        "chosen": None if index is None else faces[index],
        "origin": members.get("origin"),
    }


def path(output: Mapping[str, Any]) -> str:
    """Returns an output's path; bytes that are not UTF-8 become lone surrogates, as in `os.fsdecode`."""
    encoded = output.get("fileBase64")
    return os.fsdecode(base64.b64decode(encoded)) if encoded else str(output["file"])


def _crop(output: Mapping[str, Any], crop: Mapping[str, Any], common: Mapping[str, Any]) -> Crop:
    shown = crop["faces"]
    own = {name: output[name] for name in ("width", "height", "bytes", "sha256")}
    return Crop(
        output=Output(path(output), **own, smaller=bool(output.get("smaller")), padded=output.get("padded", 0.0)),
        face=common["faces"][shown[0]] if len(shown) == 1 else None,
        region=Rect(**crop["region"]),
        landmarks=tuple(Pixel(*place) for place in output.get("landmarks") or ()),
        turn=float((crop.get("turn") or {}).get("degrees", 0)),
        matrix=tuple(float(number) for number in output.get("matrix") or ()),
        rotation=common["rotation"],
    )


def _head(members: Mapping[str, Any]) -> Head:
    sides = {side: Edge(**members[side]) for side in ("crown", "skull", "chin", "left", "right")}
    return Head(**sides, outline=tuple(Point(*point) for point in members.get("outline") or ()))


def _face(face: Mapping[str, Any]) -> Face:
    head = face.get("head")
    return Face(
        box=Rect(face["x"], face["y"], face["width"], face["height"]),
        score=face["score"],
        landmarks=tuple(Point(*point) for point in face.get("landmarks") or ()),
        mesh=tuple(Point(*point) for point in face.get("mesh") or ()),
        head=_head(head) if head else None,
        sharpness=face.get("sharpness"),
    )
