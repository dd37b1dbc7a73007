"""Draws rings of 1200 × 1200 pixels up to the highest frequency, stores them in each format, and prints the mean
difference of facecrop's outputs from Pillow's decoder and Lanczos filter, in levels. Of transparent files it compares
the opacity.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image, ImageOps

SIDE = 1_200
SIZES = (1_100, 1_000, 800, 700, 500, 400, 300, 200, 100, 60, 30)
LIMIT = 1.0


def save(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    """Writes the plate, and returns the files by a description."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] - SIDE / 2
    rings = Image.fromarray((127.5 + 127.5 * np.cos(np.pi * (x * x + y * y) / SIDE)).astype(np.uint8))
    opaque = rings.convert("RGB")
    transparent = opaque.copy()
    transparent.putalpha(ImageOps.flip(rings))
    turned = Image.Exif()
    turned[0x0112] = 6
    fine = {"quality": 100, "subsampling": "4:4:4"}
    plates = {
        "PNG": (opaque, "plate.png", {}),
        "PNG, turned": (opaque, "turned.png", {"exif": turned}),
        "PNG, opacity": (transparent, "opacity.png", {}),
        "TIFF": (opaque, "plate.tif", {}),
        "WebP": (opaque, "plate.webp", {"lossless": True}),
        "JPEG": (opaque, "plate.jpg", fine),
        "JPEG, progressive": (opaque, "progressive.jpg", {**fine, "progressive": True}),
        "JPEG, turned": (opaque, "turned.jpg", {**fine, "exif": turned}),
        "AVIF": (opaque, "plate.avif", fine),
        "AVIF, turned": (opaque, "turned.avif", {**fine, "exif": turned}),
        "AVIF, opacity": (transparent, "opacity.avif", fine),
    }
    for image, name, options in plates.values():
        image.save(folder / name, **options)
    return {title: folder / name for title, (_, name, _) in plates.items()}


def main() -> int:
    worst = 0.0
    print(f"| output side | {' | '.join(map(str, SIZES))} |\n|---|{'---:|' * len(SIZES)}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        whole = {"faces": [], "region": {"x": 0, "y": 0, "width": 1, "height": 1}}
        plan = {
            "version": 1,
            "detector": "none",
            "source": {"width": SIDE, "height": SIDE},
            "faces": [],
            "crops": [whole],
        }
        (folder / "plan.json").write_text(json.dumps(plan))
        for title, path in save(folder).items():
            reference = ImageOps.exif_transpose(Image.open(path))
            is_transparent = reference.mode == "RGBA"
            reference = reference.getchannel("A") if is_transparent else reference.convert("RGB")
            row = []
            for size in SIZES:
                output = folder / "output.png"
                command = [".build/release/facecrop", "crop", path, "--plan-in", folder / "plan.json", "-o", output]
                subprocess.run([*command, "--size", str(size)], check=True)
                image = Image.open(output)
                image = image.convert("RGBA").getchannel("A") if is_transparent else image.convert("RGB")
                wanted = reference.resize((size, size), Image.Resampling.LANCZOS)
                row.append(np.abs(np.asarray(image, float) - np.asarray(wanted, float)).mean())
            worst = max(worst, *row)
            print(f"| {title} | {' | '.join(f'{value:.2f}' for value in row)} |", flush=True)
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
