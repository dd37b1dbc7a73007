"""Measures `facecrop blur` on annotated images beside deface, and how many hidden faces other detectors still find.

A hit is a hidden box and an annotated one whose centers lie in each other, if neither is more than four times as large.
Annotated faces below 3 % of the shorter side, and those in "ignore", count neither as right nor as wrong. deface gets
the images as displayed, at its own threshold.

Hidden faces are searched in a frame around each one, enlarged to 480 pixels, and so are the same faces before. The
detectors are OpenCV's Haar cascade and both models of MediaPipe.
"""

import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable

import cv2
import mediapipe
import numpy as np
from deface.centerface import CenterFace
from PIL import Image, ImageOps

MODES = ("blur", "pixelate", "solid")
SMALLEST = 0.03
SIDE = 480
Box = tuple[float, float, float, float]


def center_in(one: Box, other: Box) -> bool:
    x, y = one[0] + one[2] / 2, one[1] + one[3] / 2
    return other[0] <= x <= other[0] + other[2] and other[1] <= y <= other[1] + other[3]


def is_of(one: Box, other: Box) -> bool:
    ratio = one[2] * one[3] / max(other[2] * other[3], 1e-9)
    return center_in(one, other) and center_in(other, one) and 0.25 <= ratio <= 4


def pixels(path: pathlib.Path) -> np.ndarray:
    """An image as displayed, in RGB."""
    return np.asarray(ImageOps.exif_transpose(Image.open(path)).convert("RGB"))


def is_plain_jpeg(path: pathlib.Path) -> bool:
    with Image.open(path) as image:
        return image.format in {"JPEG", "MPO"} and image.mode in {"RGB", "L"}


def cost(command: list[str | pathlib.Path], log: pathlib.Path, outputs: str, images: int) -> tuple[float, float]:
    """Runs a command in the folder of its log, and returns its processor time in seconds and its peak memory in MiB."""
    with log.open("wb") as file, subprocess.Popen(command, stdout=file, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    written = list(log.parent.glob(outputs))
    if len(written) != images:
        print(f"{command[0]}: {len(written)} of {images} outputs, status {process.returncode}", file=sys.stderr)
    for path in written:
        path.unlink()
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def hidden_boxes(output: pathlib.Path, *, with_doubtful: bool) -> dict[str, list[Box]]:
    """The boxes that `facecrop blur --json` hid, by the file's name."""
    boxes = {}
    for line in map(json.loads, output.read_text().splitlines()):
        size = (line["width"], line["height"]) * 2
        boxes[pathlib.Path(line["file"]).name] = [
            tuple(np.multiply([face[side] for side in ("x", "y", "width", "height")], size))
            for face in line["faces"]
            if face["hidden"] and (with_doubtful or face["number"] not in line["doubtful"])
        ]
    return boxes


def size_of(face: Box, shorter: float) -> str:
    share = face[3] / shorter
    return "3 to 5 %" if share < 0.05 else "5 to 15 %" if share < 0.15 else "15 % and more"


def compared(entries: list[dict], found: dict[str, list[Box]]) -> dict[str, list[int]]:
    """Counts hits and faces by size, and right boxes and all boxes under `boxes`."""
    counts: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])
    for entry in entries:
        shorter = min(entry["width"], entry["height"])
        boxes = found.get(entry["file"], [])
        for face in entry["faces"]:
            if face[3] < SMALLEST * shorter:
                continue
            hit = any(is_of(tuple(face), box) for box in boxes)
            for group in ("all", size_of(face, shorter)):
                counts[group][0] += hit
                counts[group][1] += 1
        for box in boxes:
            if any(is_of(tuple(face), box) for face in entry["faces"]):
                counts["boxes"][0] += 1
                counts["boxes"][1] += 1
            elif box[3] >= SMALLEST * shorter and not any(center_in(box, face) for face in entry["ignore"]):
                counts["boxes"][1] += 1
    return counts


class Detectors:
    """Searches for a face in a frame of an image."""

    def __init__(self) -> None:
        self.cascade = cv2.CascadeClassifier(f"{cv2.data.haarcascades}haarcascade_frontalface_alt2.xml")
        detection = mediapipe.solutions.face_detection.FaceDetection
        self.models = [detection(model_selection=model, min_detection_confidence=0.5) for model in (0, 1)]
        self.searches: dict[str, Callable[[np.ndarray], list[Box]]] = {"Haar": self.haar, "MediaPipe": self.mediapipe}

    def haar(self, image: np.ndarray) -> list[Box]:
        return list(self.cascade.detectMultiScale(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), 1.1, 3))

    def mediapipe(self, image: np.ndarray) -> list[Box]:
        height, width = image.shape[:2]
        boxes = []
        for model in self.models:
            for found in model.process(image).detections or []:
                box = found.location_data.relative_bounding_box
                boxes.append((box.xmin * width, box.ymin * height, box.width * width, box.height * height))
        return boxes

    def finds(self, image: np.ndarray, face: Box) -> set[str]:
        """The names of the detectors that find this face."""
        x, y, width, height = face
        left, top = max(int(x - height), 0), max(int(y - height), 0)
        part = image[top : int(y + 2 * height), left : int(x + width + height)]
        scale = SIDE / max(part.shape[:2])
        small = cv2.resize(
            part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
        )
        place = tuple(scale * value for value in (x - left, y - top, width, height))
        return {name for name, search in self.searches.items() if any(is_of(box, place) for box in search(small))}


def print_costs(
    entries: list[dict], sources: list[pathlib.Path], command: str, scratch: pathlib.Path
) -> dict[str, list[Box]]:
    """Prints recall, precision, time and memory of both tools, and returns the boxes that facecrop hid."""
    log = scratch / "log"
    # deface ends at the first image that it cannot write, such as one with transparency under the name of a JPEG file.
    photos = [path for path in sources if is_plain_jpeg(path)]
    ours = cost([command, "blur", *photos, "--json", "--progress", "none"], log, "*-blur.*", len(photos))
    deface = pathlib.Path(sys.executable).parent / "deface"
    theirs = cost([deface, *photos], log, "*_anonymized.*", len(photos))
    cost([command, "blur", *sources, "--json", "--progress", "none"], log, "*-blur.*", len(sources))
    found = {
        "facecrop blur": hidden_boxes(log, with_doubtful=True),
        "without its doubtful areas": hidden_boxes(log, with_doubtful=False),
    }
    network = CenterFace()
    found["deface"] = {}
    for source in sources:
        boxes, _ = network(pixels(source), threshold=0.2)
        found["deface"][source.name] = [(x, y, right - x, bottom - y) for x, y, right, bottom, _ in boxes]
    print("| tool | recall | 3 to 5 % | 5 to 15 % | 15 % and more | precision | time | memory |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for (name, boxes), (seconds, memory) in zip(found.items(), (ours, ours, theirs), strict=True):
        counts = compared(entries, boxes)
        cells = [
            f"{hits / max(of, 1):.3f} ({of - hits} of {of} missed)"
            for hits, of in (counts[group] for group in ("all", "3 to 5 %", "5 to 15 %", "15 % and more"))
        ]
        right, of = counts["boxes"]
        print(f"| {name} | {' | '.join(cells)} | {right / max(of, 1):.3f} | {seconds:.1f} s | {memory:.0f} MiB |")
    return found["facecrop blur"]


def print_found(entries: list[dict], hidden: dict[str, list[Box]], command: str, scratch: pathlib.Path) -> None:
    """Prints how many of the hidden faces other detectors find, before and after."""
    detectors = Detectors()
    found: dict[str, collections.Counter] = {mode: collections.Counter() for mode in ("before", *MODES)}
    faces = 0
    for entry in entries:
        least = SMALLEST * min(entry["width"], entry["height"])
        chosen = [
            tuple(face)
            for face in entry["faces"]
            if face[3] >= least and any(is_of(tuple(face), box) for box in hidden.get(entry["file"], []))
        ]
        faces += len(chosen)
        if not chosen:
            continue
        source = scratch / entry["file"]
        for mode in found:
            path = source
            if mode != "before":
                path = scratch / f"out{source.suffix}"
                subprocess.run([command, "blur", source, "-o", path, "--mode", mode], check=True, capture_output=True)
            image = pixels(path)
            run = subprocess.run([command, "detect", path], check=False, capture_output=True, text=True)
            size = (image.shape[1], image.shape[0]) * 2
            seen = [
                tuple(np.multiply([face[side] for side in ("x", "y", "width", "height")], size))
                for face in json.loads(run.stdout)["faces"]
            ]
            for face in chosen:
                names = detectors.finds(image, face)
                if any(is_of(face, box) for box in seen):
                    names.add("facecrop detect")
                found[mode].update(names)
                if names and mode != "before":
                    print(f"found: {entry['file']} {face} {mode} {sorted(names)}", file=sys.stderr)
    print(f"\nHidden faces that detectors find, of {faces}:\n")
    names = [*detectors.searches, "facecrop detect"]
    print("| | " + " | ".join(names) + " |")
    print("|---|" + "---:|" * len(names))
    for mode, counter in found.items():
        print(
            f"| {mode} | "
            + " | ".join(f"{counter[name]} ({counter[name] / max(faces, 1):.1%})" for name in names)
            + " |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="blur", description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--facecrop", default=".build/release/facecrop")
    options = parser.parse_args()
    entries = json.loads((options.folder / "annotations.json").read_text())
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        sources = [pathlib.Path(shutil.copy(options.folder / entry["file"], scratch)) for entry in entries]
        hidden = print_costs(entries, sources, options.facecrop, scratch)
        print_found(entries, hidden, options.facecrop, scratch)


if __name__ == "__main__":
    main()
