"""Counts the pixels that `facecrop blur` changes outside of the hidden areas of JPEG files, and compares file sizes.

Kept coefficients give equal pixels. Subsampled chroma carries a difference to neighbors, so pixels within 32 pixels of
an area do not count.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np
from PIL import Image

MARGIN = 32


def is_jpeg(path: pathlib.Path) -> bool:
    with Image.open(path) as image:
        return image.format == "JPEG"


def pixels(path: pathlib.Path) -> np.ndarray:
    with Image.open(path) as image:
        return np.asarray(image)


def outside(plan: dict, shape: tuple[int, ...]) -> np.ndarray | None:
    """The pixels that no area of the plan reaches; None if the file is stored turned."""
    height, width = shape[:2]
    if (plan["source"]["width"], plan["source"]["height"]) != (width, height):
        return None
    mask = np.ones((height, width), dtype=bool)
    for crop in plan["crops"]:
        region = crop["region"]
        left, top = int(region["x"] * width) - MARGIN, int(region["y"] * height) - MARGIN
        right = int((region["x"] + region["width"]) * width) + MARGIN
        bottom = int((region["y"] + region["height"]) * height) + MARGIN
        mask[max(top, 0) : max(bottom, 0), max(left, 0) : max(right, 0)] = False
    return mask


def main() -> None:
    parser = argparse.ArgumentParser(prog="blur.kept", description=__doc__)
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    parser.add_argument("--facecrop", default=".build/release/facecrop")
    options = parser.parse_args()
    counts = {"files": 0, "with faces": 0, "turned": 0, "changed outside": 0}
    sizes: list[float] = []
    files = (path for folder in options.folders for path in folder.glob("*.jp*g"))
    for source in sorted(filter(is_jpeg, files)):
        with tempfile.TemporaryDirectory() as name:
            output, plan = pathlib.Path(name) / "out.jpg", pathlib.Path(name) / "plan.json"
            command = [options.facecrop, "blur", source, "-o", output, "--plan-out", plan, "--progress", "none"]
            subprocess.run(command, check=False, capture_output=True)
            if not output.exists():
                continue
            counts["files"] += 1
            areas = json.loads(plan.read_text())
            if not areas["crops"]:
                continue
            counts["with faces"] += 1
            sizes.append(output.stat().st_size / source.stat().st_size)
            before, after = pixels(source), pixels(output)
            mask = outside(areas, before.shape)
            if mask is None:
                counts["turned"] += 1
            elif before.shape != after.shape or (before != after)[mask].any():
                counts["changed outside"] += 1
                print(f"changed outside: {source}")
    print(", ".join(f"{count} {title}" for title, count in counts.items()))
    if sizes:
        least, median, most = np.quantile(sizes, [0, 0.5, 1])
        print(f"size over the original's: {least:.3f} to {most:.3f}, median {median:.3f}")


if __name__ == "__main__":
    main()
