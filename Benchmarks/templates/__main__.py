"""Makes chips of the faces in folders, and prints how far they are from the published programs' chips for the same
landmarks: the largest distance of a chip's corner in pixels of the chip, and the mean difference of its pixels in
levels. With the packages dlib-bin and face_recognition_models, it also compares with dlib's own chips."""

import argparse
import importlib.util
import json
import pathlib
import subprocess
import tempfile
from collections.abc import Callable

import numpy as np
from PIL import Image, ImageOps

from templates import references

SUFFIXES = {".jpg", ".jpeg", ".png", ".webp"}
SIDES = {"arcface-112": 112, "ffhq-1024": 1024, "dlib-150": 150}


def pixels(path: pathlib.Path) -> np.ndarray:
    """An image as displayed, in RGB."""
    return np.asarray(ImageOps.exif_transpose(Image.open(path)).convert("RGB"))


def chips(command: str, source: pathlib.Path, template: str, folder: pathlib.Path) -> list[dict]:
    """The faces of an image with their landmarks, matrix and chip; empty if there is none."""
    run = subprocess.run(
        [command, "crop", source, "-o", folder / f"{source.stem}.png", "--template", template, "--json"]
        + ["--color", "keep"],
        check=False,
        capture_output=True,
        text=True,
    )
    if run.returncode != 0:
        return []
    line = json.loads(run.stdout)
    size = np.array([line["width"], line["height"]])
    made = []
    for output in line["outputs"]:
        (index,) = line["crops"][output["crop"]]["faces"]
        face = line["faces"][index]
        made.append(
            {
                # The command counts from the corner of the first pixel, and OpenCV from its center.
                "landmarks": np.array(face["landmarks"]) * size - 0.5,
                "height": face["height"] * size[1],
                "box": np.array([face["x"], face["y"], face["width"], face["height"]]) * np.tile(size, 2),
                "matrix": np.array(output["matrix"]).reshape(2, 3),
                "chip": np.asarray(Image.open(output["file"]).convert("RGB")),
            }
        )
    return made


def distance(one: np.ndarray, other: np.ndarray, side: int) -> float:
    """The largest distance of the corners of the chip, in its pixels, if both maps send the image to it."""
    corners = np.array([[0, 0, 1], [side, 0, 1], [0, side, 1], [side, side, 1]], dtype=float)
    places = corners @ np.linalg.inv(np.vstack([other, [0, 0, 1]])).T
    return float(np.abs(places @ one.T - corners[:, :2]).max())


def difference(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(one.astype(int) - other).mean())


def summary(values: list[float]) -> str:
    if not values:
        return "none"
    return f"median {np.median(values):.3f}, largest {max(values):.3f} (n = {len(values)})"


def references_of(template: str) -> dict[str, Callable[[np.ndarray, dict, np.ndarray], np.ndarray]]:
    side = SIDES[template]
    if template == "ffhq-1024":
        return {"the recipe": lambda image, face, _: references.ffhq_chip(image, face["landmarks"])}
    return {
        "warpAffine": lambda image, _, matrix: references.warped(image, matrix, side),
        "warpAffine without aliasing": lambda image, _, matrix: references.antialiased(image, matrix, side),
    }


def measure(command: str, template: str, sources: list[pathlib.Path], most: int) -> None:
    side = SIDES[template]
    rule = {
        "arcface-112": references.arcface_matrix,
        "ffhq-1024": references.ffhq_matrix,
        "dlib-150": references.dlib_matrix,
    }[template]
    distances: list[float] = []
    differences: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for source in sources:
            if len(distances) >= most:
                break
            faces = [face for face in chips(command, source, template, pathlib.Path(scratch)) if face["height"] >= 40]
            image = pixels(source)
            for face in faces[: min(5, most - len(distances))]:
                matrix = rule(face["landmarks"])
                distances.append(distance(face["matrix"], matrix, side))
                ratio = 1 / np.hypot(*matrix[:, 0])
                kind = "enlarged" if ratio < 1 else "reduced to 0.5 at most" if ratio < 2 else "reduced more"
                for name, reference in references_of(template).items():
                    # Without a filter, a reduced reference has frequencies that fold over.
                    if name == "warpAffine" and ratio > 1.01:
                        continue
                    key = f"{name}, {kind}"
                    differences.setdefault(key, []).append(difference(face["chip"], reference(image, face, matrix)))
    print(f"{template}: {len(distances)} faces")
    print(f"  corners in pixels: {summary(distances)}")
    for name, values in sorted(differences.items()):
        print(f"  levels beside {name}: {summary(values)}")


def measure_dlib(command: str, sources: list[pathlib.Path], most: int) -> None:
    """Compares with the chips that dlib makes of its own landmarks."""
    import dlib

    models = importlib.util.find_spec("face_recognition_models").submodule_search_locations[0]
    predictor = dlib.shape_predictor(f"{models}/models/shape_predictor_5_face_landmarks.dat")
    detector = dlib.get_frontal_face_detector()

    def is_of(square: dlib.rectangle, box: np.ndarray) -> bool:
        x, y = square.center().x - box[0], square.center().y - box[1]
        return 0 < x < box[2] and 0 < y < box[3]

    side = SIDES["dlib-150"]
    corners: list[float] = []
    with tempfile.TemporaryDirectory() as scratch:
        for source in sources:
            if len(corners) >= most:
                break
            image = np.ascontiguousarray(pixels(source))
            squares = detector(image)
            for face in chips(command, source, "dlib-150", pathlib.Path(scratch))[:5]:
                if face["height"] < 40 or len(corners) >= most:
                    continue
                square = next((one for one in squares if is_of(one, face["box"])), None)
                if square is None:
                    continue
                shape = predictor(image, square)
                found = np.array([[part.x, part.y] for part in shape.parts()], dtype=float)
                points = np.array(
                    [
                        [0.8595674595992, 0.2134981538014],
                        [0.6460604764104, 0.2289674387677],
                        [0.1205750620789, 0.2137274526848],
                        [0.3340850613712, 0.2290642403242],
                        [0.4901123135679, 0.6277975316475],
                    ]
                )
                chip = (points + 0.25) / 1.5 * side
                fit = references.SimilarityTransform.from_estimate(chip, found).params
                corners.append(distance(face["matrix"], np.linalg.inv(fit)[:2], side))
    print(f"dlib-150 beside dlib's own five landmarks, corners in pixels: {summary(corners)}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="templates", description=__doc__)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--most", type=int, default=50, help="faces for each template")
    parser.add_argument("--facecrop", default=".build/release/facecrop")
    options = parser.parse_args()
    sources = [
        path for folder in options.folders for path in sorted(folder.iterdir()) if path.suffix.lower() in SUFFIXES
    ]
    for template in SIDES:
        measure(options.facecrop, template, sources, options.most)
    if importlib.util.find_spec("dlib") and importlib.util.find_spec("face_recognition_models"):
        measure_dlib(options.facecrop, sources, options.most)


if __name__ == "__main__":
    main()
