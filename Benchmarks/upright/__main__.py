"""Turns images by 0, 90, 180 and 270 degrees, and prints how many of them `detect --upright auto` turns back."""

import argparse
import json
import pathlib
import subprocess
import tempfile

from PIL import Image, ImageOps

TURNS = {0: None, 90: Image.Transpose.ROTATE_270, 180: Image.Transpose.ROTATE_180, 270: Image.Transpose.ROTATE_90}
SUFFIXES = {".jpg", ".jpeg", ".png", ".webp"}


def turned(source: pathlib.Path, folder: pathlib.Path) -> list[tuple[int, str]]:
    """Writes an image in all turns, as displayed and without metadata."""
    image = ImageOps.exif_transpose(Image.open(source)).convert("RGB")
    files = []
    for degrees, turn in TURNS.items():
        path = folder / f"{degrees}.jpg"
        (image.transpose(turn) if turn is not None else image).save(path, quality=95)
        files.append((degrees, str(path)))
    return files


def detections(files: list[str], *options: str) -> list[dict]:
    """Returns the lines of `facecrop detect`."""
    command = [".build/release/facecrop", "detect", *files, *options]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def main() -> None:
    parser = argparse.ArgumentParser(prog="upright", description=__doc__)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="measure every n-th image")
    options = parser.parse_args()
    for folder in options.folders:
        right = {degrees: 0 for degrees in TURNS}
        people = images = upright_turned = 0
        sources = sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES)
        for source in sources[:: options.every]:
            with tempfile.TemporaryDirectory() as scratch:
                files = turned(source, pathlib.Path(scratch))
                found = detections([path for _, path in files], "--upright", "auto")
                has_people = bool(detections([files[0][1]])[0]["faces"])
            images += 1
            people += has_people
            if found[0]["rotation"] != 0:
                upright_turned += 1
                print(f"{source.name}: turned by {found[0]['rotation']}")
            for (degrees, _), line in zip(files, found, strict=True):
                right[degrees] += has_people and line["rotation"] == (360 - degrees) % 360
        print(f"{folder.name}: {images} images, {people} with a face; upright ones turned: {upright_turned}")
        for degrees, count in right.items():
            print(f"  turned by {degrees}: {count} of {people} right ({count / max(people, 1):.1%})")
        print(f"  all: {sum(right.values()) / max(4 * people, 1):.1%}")


if __name__ == "__main__":
    main()
