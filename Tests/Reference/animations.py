"""Compares kept animations with Pillow's frames: number, delays, repetitions, alpha and colors of each frame.

Pillow writes GIF, WebP, PNG and AVIF files with every disposal, facecrop crops them by a plan of the whole canvas, and Pillow
reads both. Lossless WebP must equal the input. GIF must equal it if frames have few colors.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
from PIL import Image, ImageDraw

WIDTH, HEIGHT = 160, 120
DELAYS = [20, 50, 80, 110, 140, 170]


def inputs(portrait, folder):
    """Writes animations of all formats; yields their paths, and whether GIF keeps their colors."""
    still = Image.open(portrait).convert("RGB").crop((120, 20, 320, 170)).resize((WIDTH, HEIGHT))
    opaque, transparent, few = [], [], []
    for index in range(len(DELAYS)):
        frame = still.copy()
        ImageDraw.Draw(frame).rectangle([index * 8, 4, index * 8 + 20, 24], fill=(255, 0, 0))
        opaque.append(frame)
        mask = Image.new("L", (WIDTH, HEIGHT), 0)
        ImageDraw.Draw(mask).ellipse([index * 9, index * 4, 90 + index * 9, 70 + index * 8], fill=255)
        flat = frame.quantize(40, dither=Image.Dither.NONE).convert("RGBA")
        flat.putalpha(mask)
        few.append(flat)
        transparent.append(frame.convert("RGBA"))
        transparent[-1].putalpha(mask)

    def save(name, frames, **options):
        path = folder / name
        frames[0].save(path, save_all=True, append_images=frames[1:], duration=DELAYS, **options)
        return path

    yield save("opaque.gif", opaque, loop=3), False
    for disposal in 1, 2, 3:
        yield save(f"few-{disposal}.gif", few, loop=0, disposal=disposal), True
    yield save("opaque.webp", opaque, loop=2, quality=80), False
    yield save("transparent.webp", transparent, loop=0, lossless=True, exact=True), False
    yield save("few.webp", few, loop=5, lossless=True), True
    yield save("opaque.png", opaque, loop=0), False
    # Decoders enlarge subsampled colors in their own ways.
    yield save("opaque.avif", opaque, quality=85, subsampling="4:4:4"), False
    yield save("transparent.avif", transparent, quality=85, subsampling="4:4:4"), False
    for disposal in 0, 1, 2:
        for blend in 0, 1:
            # Pillow does not restore what it blended over (PNG Specification, third edition, 11.3.6.2).
            if (disposal, blend) == (2, 1):
                continue
            yield save(f"few-{disposal}-{blend}.png", few, loop=4, disposal=disposal, blend=blend), True


def shown(path):
    """Returns the frames, their delays, and how often the animation plays; 0 for forever."""
    image = Image.open(path)
    frames, delays = [], []
    for index in range(image.n_frames):
        image.seek(index)
        image.load()
        delays.append(round(image.info.get("duration", 0)))
        frames.append(numpy.array(image.convert("RGBA")).astype(int))
    loops = image.info.get("loop")
    if image.format == "AVIF":
        # Pillow repeats AVIF files forever, and does not say so.
        loops = 0
    # GIF counts repetitions after the first time.
    plays = (1 if loops is None else loops + 1 if loops else 0) if image.format == "GIF" else loops
    return frames, delays, plays


def difference(own, wanted):
    """Returns the largest difference of visible colors, and the number of pixels with another alpha."""
    both = (own[..., 3] > 0) & (wanted[..., 3] > 0)
    colors = numpy.abs(own[..., :3] - wanted[..., :3])[both]
    return int(colors.max()) if colors.size else 0, int((own[..., 3] != wanted[..., 3]).sum())


def main():
    command = os.environ["FACECROP"]
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan = folder / "plan.json"
        region = {"x": 0, "y": 0, "width": 1, "height": 1}
        plan.write_text(
            json.dumps({"version": 1, "source": {"width": WIDTH, "height": HEIGHT}, "detector": "", "faces": [],
                        "crops": [{"region": region, "faces": []}]}))
        for source, has_few_colors in inputs(sys.argv[1], folder):
            frames, delays, plays = shown(source)
            for ending, options in ("webp", ["--quality", "lossless"]), ("gif", []):
                output = folder / f"out.{ending}"
                subprocess.run([command, "crop", source, "-o", output, "--animation", "keep", "--plan-in", plan, *options],
                               check=True)
                made, own_delays, own_plays = shown(output)
                differences = [difference(own, wanted) for own, wanted in zip(made, frames)]
                color, alpha = max(one for one, _ in differences), sum(two for _, two in differences)
                is_exact = ending == "webp" or has_few_colors
                fits = len(made) == len(frames) and own_delays == delays and own_plays == plays
                fits = fits and (not is_exact or color <= 1) and (alpha == 0 or ending == "gif" and not has_few_colors)
                failures += not fits
                print(f"{source.name:18} {ending:5} {len(made)} frames, plays {own_plays}, "
                      f"largest difference {color:3}, other alpha {alpha:5}{'' if fits else '  FAILED'}")
    sys.exit(failures > 0)


main()
