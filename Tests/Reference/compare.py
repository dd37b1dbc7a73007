"""Compares facecrop's resized outputs with Pillow's. See README.md."""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy
from PIL import Image, ImageOps

BOUND = 2.0
FACECROP = os.environ["FACECROP"]
OPTIONS = os.environ.get("FACECROP_OPTIONS", "").split()
SIZES = [int(size) for size in os.environ.get("SIZES", "512 256 128 64").split()]


def generate(fixture, folder):
    """Makes variants of the portrait as cameras and programs store it."""
    portrait = Image.open(fixture).convert("RGB")
    kinds = {
        "420": dict(subsampling=2),
        "444-fine": dict(subsampling=0, quality=97),
        "422-coarse": dict(subsampling=1, quality=60),
        "progressive": dict(subsampling=2, progressive=True),
        "restarts": dict(subsampling=2, restart_marker_rows=1),
        "gray": dict(),
    }
    random = numpy.random.default_rng(1992)
    for index, (name, options) in enumerate(kinds.items()):
        side = 1500 + 250 * index
        large = numpy.asarray(portrait.resize((side, side), Image.Resampling.BICUBIC), dtype=numpy.int16)
        noisy = numpy.clip(large + random.integers(-6, 7, large.shape), 0, 255).astype(numpy.uint8)
        picture = Image.fromarray(noisy)
        if name == "gray":
            picture = picture.convert("L")
        picture.save(folder / f"{name}.jpg", **{"quality": 88, **options})
    # The orientations, stored so that they show the portrait upright.
    picture = portrait.resize((1200, 1200), Image.Resampling.BICUBIC).crop((0, 0, 1200, 1000))
    back = {2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}
    for orientation, turn in back.items():
        exif = Image.Exif()
        exif[0x0112] = orientation
        picture.transpose(Image.Transpose(turn)).save(folder / f"orientation-{orientation}.jpg", quality=90, exif=exif)


def facecrop(*arguments):
    return subprocess.run([FACECROP, "crop", *map(str, arguments), *OPTIONS], capture_output=True, text=True)


def region_of(crop, size):
    """Returns the whole pixels that the region touches; a border close to a whole number is rounded to it."""
    box = crop["region"]

    def span(start, length, side):
        return math.floor(start * side + 1e-6), math.ceil((start + length) * side - 1e-6)

    left, right = span(box["x"], box["width"], size[0])
    top, bottom = span(box["y"], box["height"], size[1])
    return left, top, right, bottom


def reference(picture, size):
    """Resizes each side with its own filter, like Pillow.

    Pillow's BOX takes only whole samples with their middle inside, 2 or 3 at a ratio of 2.5. To average the
    area, the samples are repeated first, until a whole one counts for little.
    """
    for side, length in ((0, size[0]), (1, size[1])):
        step = picture.size[side] / length

        def resized(picture, length, filter):
            wanted = (length, picture.height) if side == 0 else (picture.width, length)
            return picture.resize(wanted, filter, reducing_gap=None)

        if step >= 2:
            repeats = math.ceil(32 / step) if step != int(step) else 1
            picture = resized(picture, picture.size[side] * repeats, Image.Resampling.NEAREST)
            picture = resized(picture, length, Image.Resampling.BOX)
        else:
            picture = resized(picture, length, Image.Resampling.LANCZOS)
    return picture


def compare(path, folder):
    """Returns the differences by size, or the reason why there are none."""
    plan, full, out = folder / "plan.json", folder / "full.jpg", folder / "out.jpg"
    for file in (plan, full, out):
        file.unlink(missing_ok=True)
    run = facecrop(path, "-o", full, "--plan-out", plan, "--faces", "largest", "--padding", "0.6", "--aspect", "1:1")
    if run.returncode != 0:
        return run.stderr.strip().splitlines()[-1]
    upright = ImageOps.exif_transpose(Image.open(path))
    if upright.mode not in ("RGB", "L"):
        return f"its colors, {upright.mode}, are not compared"
    crops = json.loads(plan.read_text())["crops"]
    upright = upright.crop(region_of(crops[0], upright.size))
    differences = {}
    for size in SIZES:
        run = facecrop(path, "--size", size, "-o", out, "--quality", "100", "--plan-in", plan)
        if run.returncode != 0:
            return run.stderr.strip().splitlines()[-1]
        output = Image.open(out)
        expected = reference(upright, output.size).convert(output.mode)
        if max(output.size) != min(size, max(upright.size)):
            raise SystemExit(f"{path}: {output.size} is not {size} of {upright.size}")
        pair = [numpy.asarray(picture, dtype=numpy.float64) for picture in (output, expected)]
        differences[size] = numpy.abs(pair[0] - pair[1]).mean()
    return upright.size, differences


def main(fixture, given=None):
    with tempfile.TemporaryDirectory() as name:
        temporary = pathlib.Path(name)
        pictures = pathlib.Path(given) if given else temporary / "pictures"
        if not given:
            pictures.mkdir()
            generate(fixture, pictures)
        paths = sorted(path for path in pictures.iterdir() if path.suffix.lower() in (".jpg", ".jpeg"))
        worst, compared, failed = 0.0, 0, 0
        for path in paths:
            result = compare(path, temporary)
            if isinstance(result, str):
                print(f"{path.name}: left out: {result}")
                continue
            (width, height), differences = result
            numbers = ", ".join(f"{size}: {difference:.2f}" for size, difference in differences.items())
            is_bad = max(differences.values()) > BOUND
            print(f"{path.name}: {width}x{height} to {numbers}{'  ABOVE ' + str(BOUND) if is_bad else ''}")
            worst, compared, failed = max(worst, *differences.values()), compared + 1, failed + is_bad
    print(f"{compared} of {len(paths)} pictures compared, {failed} above {BOUND} levels; the worst mean is {worst:.2f}")
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
