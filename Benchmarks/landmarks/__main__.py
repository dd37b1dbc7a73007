"""Measures the landmarks of facecrop, MediaPipe's face mesh and dlib's 68 points against landmarks that people marked.

The folder, or the file after --truth, has a list of {"file", "box": [x, y, width, height], "kind", "points"}. Points
are the eyes, the tip of the nose and the corners of the mouth, left in the image first, in pixels of the image as
displayed. A point that cannot be seen is null.

The error is the mean distance of a face's points over the distance of its eyes. In profile the eyes are close to each
other, or one is hidden. So the divisor is at least 0.3 of the box's height, as in a face from the front.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import tempfile

import dlib
import face_recognition_models
import mediapipe
import numpy as np
from PIL import Image, ImageOps

# Points of MediaPipe's mesh: the middles of the irises, the tip of the nose, the corners of the mouth. Marks of the tip
# are closer to point 4 than to point 1, which is below it.
MESH = [468, 473, 4, 61, 291]
# Points of dlib: the corners of the eyes and their lids, the tip of the nose, the corners of the mouth.
DLIB = [range(36, 42), range(42, 48), [30], [48], [54]]
TOOLS = ("detect", "--template", "MediaPipe", "dlib")


def lies_in(points: np.ndarray, box: list[float]) -> bool:
    """Whether the middle of the points lies in the box, and their extent is that of a face of this size."""
    middle = points.mean(axis=0)
    extent = np.ptp(points, axis=0).max()
    inside = (middle >= box[:2]).all() and (middle <= np.add(box[:2], box[2:])).all()
    return bool(inside and 0.15 < extent / box[3] < 1.5)


def facecrop(arguments: list[str | pathlib.Path], box: list[float]) -> np.ndarray | None:
    """The landmarks that a command prints for the face in the box."""
    run = subprocess.run(arguments, check=False, capture_output=True, text=True)
    for line in map(json.loads, run.stdout.splitlines()):
        size = np.array([line["width"], line["height"]])
        for face in line.get("faces", []):
            points = np.array(face["landmarks"]) * size
            if lies_in(points, box):
                return points
    return None


def mesh(network, image: Image.Image, box: list[float], frame: tuple[float, float, float, float]) -> np.ndarray | None:
    """MediaPipe's mesh of the face in the box, searched in a frame of the image."""
    left, top, right, bottom = (round(edge) for edge in frame)
    pixels = np.asarray(image.crop((left, top, right, bottom)))
    found = network.process(np.ascontiguousarray(pixels)).multi_face_landmarks or []
    for face in found:
        points = np.array([[point.x, point.y] for point in face.landmark]) * [right - left, bottom - top] + [left, top]
        if lies_in(points, box):
            return points
    return None


def meshes(network, image: Image.Image, box: list[float]) -> tuple[bool, np.ndarray | None]:
    """Whether MediaPipe finds the face in the whole image, and the mesh there or in a frame around the box."""
    points = mesh(network, image, box, (0, 0, *image.size))
    if points is not None:
        return True, points
    x, y, width, height = box
    for reach in (0.5, 1, 0.25):
        margin = reach * height
        points = mesh(network, image, box, (x - margin, y - margin, x + width + margin, y + height + margin))
        if points is not None:
            return False, points
    return False, None


class Dlib:
    """dlib's detector, and its 68 points in what it finds, or else in the box."""

    def __init__(self) -> None:
        self._detect = dlib.get_frontal_face_detector()
        self._predict = dlib.shape_predictor(face_recognition_models.pose_predictor_model_location())

    def points(self, image: Image.Image, box: list[float]) -> np.ndarray:
        pixels = np.asarray(image)
        x, y, width, height = (round(length) for length in box)
        shapes = [self._predict(pixels, found) for found in self._detect(pixels, 1)]
        shapes.append(self._predict(pixels, dlib.rectangle(x, y, x + width, y + height)))
        for shape in shapes:
            points = np.array([[point.x, point.y] for point in shape.parts()])
            five = np.array([points[group].mean(axis=0) for group in DLIB])
            if lies_in(five, box):
                break
        return five


def error(points: np.ndarray, entry: dict) -> float:
    """The mean distance of the points that can be seen, over the distance of the eyes."""
    seen = [index for index, point in enumerate(entry["points"]) if point is not None]
    truth = np.array([entry["points"][index] for index in seen])
    unit = 0.3 * entry["box"][3]
    if {0, 1} <= set(seen):
        unit = max(unit, float(np.hypot(*(truth[1] - truth[0]))))
    return float(np.hypot(*(points[seen] - truth).T).mean() / unit)


def measured(command: str, source: pathlib.Path, entry: dict, network, other: Dlib) -> tuple[dict[str, float], bool]:
    """The error of each tool that found the face, and whether MediaPipe found it in the whole image."""
    found = {"detect": facecrop([command, "detect", source], entry["box"])}
    with tempfile.TemporaryDirectory() as scratch:
        chip = pathlib.Path(scratch) / "chip.png"
        found["--template"] = facecrop(
            [command, "crop", source, "-o", chip, "--template", "arcface-112", "--json", "--progress", "none"],
            entry["box"],
        )
    image = ImageOps.exif_transpose(Image.open(source)).convert("RGB")
    whole, points = meshes(network, image, entry["box"])
    if points is not None:
        found["MediaPipe"] = points[MESH]
    found["dlib"] = other.points(image, entry["box"])
    return {tool: error(points, entry) for tool, points in found.items() if points is not None}, whole


def table(rows: dict[str, list[tuple[dict[str, float], bool]]]) -> None:
    errors_of = " | ".join(f"error of {tool}" for tool in TOOLS)
    print(f"| faces | number | found | by MediaPipe | in the whole image | {errors_of} |")
    print("|---|" + "---:|" * (4 + len(TOOLS)))
    for name, faces in rows.items():
        by_facecrop, by_other = (sum(tool in errors for errors, _ in faces) for tool in TOOLS[1:3])
        cells = [len(faces), by_facecrop, by_other, sum(in_whole for _, in_whole in faces)]
        for tool in TOOLS:
            values = [errors[tool] for errors, _ in faces if len(errors) == len(TOOLS)]
            cells.append(f"{np.mean(values):.3f} (largest {max(values):.2f})" if values else "")
        print(f"| {name} | " + " | ".join(map(str, cells)) + " |")
    print("\nErrors are means over the faces that all have found.")


def main() -> None:
    parser = argparse.ArgumentParser(prog="landmarks", description=__doc__)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--truth", type=pathlib.Path, help="landmarks of files in any of the folders")
    parser.add_argument("--facecrop", default=".build/release/facecrop")
    parser.add_argument("--list", action="store_true", help="print each face")
    options = parser.parse_args()
    truths = [options.truth] if options.truth else [folder / "landmarks.json" for folder in options.folders]
    rows: dict[str, list[tuple[dict[str, float], bool]]] = collections.defaultdict(list)
    face_mesh, other = mediapipe.solutions.face_mesh.FaceMesh, Dlib()
    with face_mesh(static_image_mode=True, max_num_faces=40, refine_landmarks=True) as network:
        for entry in (entry for truth in truths for entry in json.loads(truth.read_text())):
            source = next(path for folder in options.folders if (path := folder / entry["file"]).exists())
            result = measured(options.facecrop, source, entry, network, other)
            height = entry["box"][3]
            size = "below 80 pixels" if height < 80 else "80 to 199 pixels" if height < 200 else "200 pixels and more"
            for group in ("all", size, entry["kind"]):
                rows[group].append(result)
            if options.list:
                print(
                    entry["file"], entry["kind"], height, {tool: round(value, 3) for tool, value in result[0].items()}
                )
    table({"all": rows["all"]} | dict(sorted(rows.items())))


if __name__ == "__main__":
    main()
