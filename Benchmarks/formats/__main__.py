"""Measures bytes and time of avatars in JPEG, WebP and AVIF at equal quality by SSIMULACRA 2."""

import argparse
import concurrent.futures
import datetime
import itertools
import json
import pathlib
import statistics
import tempfile
from typing import NamedTuple

from compare.environment import environment
from compare.markdown import prose
from PIL import Image
from real.measure import run
from ssimulacra2 import compute_ssimulacra2

PICTURES = 30
SIDE = 512
JPEG_QUALITIES = (50, 60, 75, 85, 95)
QUALITIES = {
    "JPEG": JPEG_QUALITIES,
    "WebP": (50, 65, 75, 82, 90, 95, 100),
    "AVIF": (50, 60, 75, 85, 95, 98),
}
SPEEDS = (9, 8, 7, 6)


class Variant(NamedTuple):
    name: str
    format: str
    options: tuple[str, ...]

    @property
    def qualities(self):
        return QUALITIES[self.format]


VARIANTS = [Variant("JPEG", "JPEG", ()), Variant("WebP", "WebP", ())] + [
    Variant(f"AVIF, speed {speed}", "AVIF", ("--speed", str(speed))) for speed in SPEEDS
]


class Made(NamedTuple):
    bytes: int
    seconds: float
    score: float


def main():
    parser = argparse.ArgumentParser(prog="formats", description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="JPEG files; 30 with a large enough head are selected at even distances")
    parser.add_argument("--facecrop", default=".build/release/facecrop", help="the release build that is measured")
    parser.add_argument("--runs", default="Benchmarks/runs", type=pathlib.Path, help="parent of the run's folder, which has today's date")
    options = parser.parse_args()
    program = str(pathlib.Path(options.facecrop).resolve())
    said = environment(program, tools=False)
    with tempfile.TemporaryDirectory(dir=".build") as folder:
        work = pathlib.Path(folder)
        pictures = chosen(program, options.folder, work)
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            lines = list(pool.map(measured, itertools.repeat(program), range(len(pictures)), pictures, itertools.repeat(work)))
    results = {
        variant.name: {quality: [line[variant.name, quality] for line in lines] for quality in variant.qualities}
        for variant in VARIANTS
    }
    target = options.runs / datetime.date.today().isoformat() / "formats"
    target.mkdir(parents=True, exist_ok=True)
    text = page(said, results, len(pictures), options.folder)
    (target / "README.md").write_text(text)
    (target / "scores.json").write_text(
        json.dumps({name: {q: mean(made)._asdict() for q, made in rows.items()} for name, rows in results.items()}, indent=1)
    )
    print(text)


def chosen(program: str, folder: pathlib.Path, work: pathlib.Path) -> list[pathlib.Path]:
    """Returns files whose avatar needs no enlarging."""
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in {".jpg", ".jpeg"})
    able = [path for path in files if avatar(program, path, work / "try.png", ("--min-size", str(SIDE))) is not None]
    return able[:: max(len(able) // PICTURES, 1)][:PICTURES]


def avatar(program: str, path: pathlib.Path, made: pathlib.Path, options: tuple[str, ...]) -> float | None:
    """Returns processor time in seconds, or nothing without an output."""
    made.unlink(missing_ok=True)
    status, usage = run(
        [program, "avatar", str(path), "-o", str(made), "--size", str(SIDE), "--progress", "none", *options]
    )
    return usage.ru_utime + usage.ru_stime if status == 0 and made.exists() else None


def measured(program: str, number: int, path: pathlib.Path, work: pathlib.Path) -> dict[tuple[str, int], Made]:
    reference = work / f"{number}.png"
    avatar(program, path, reference, ())
    line = {}
    for variant in VARIANTS:
        for quality in variant.qualities:
            file = work / f"{number}.{variant.format.lower()}"
            seconds = avatar(program, path, file, ("--quality", str(quality), *variant.options))
            shown = work / f"{number}-shown.png"
            Image.open(file).convert("RGB").save(shown, compress_level=1)
            score = float(compute_ssimulacra2(str(reference), str(shown)))
            line[variant.name, quality] = Made(file.stat().st_size, seconds, score)
    return line


def mean(made: list[Made]) -> Made:
    return Made(*(statistics.mean(values) for values in zip(*made, strict=True)))


def at_score(rows: dict[int, list[Made]], score: float) -> Made | None:
    """Interpolates bytes and time for a score between two qualities; returns nothing if no quality reaches it."""
    points = [mean(made) for _, made in sorted(rows.items())]
    for low, high in itertools.pairwise(points):
        if low.score <= score <= high.score:
            share = (score - low.score) / (high.score - low.score)
            return Made(*(a + share * (b - a) for a, b in zip(low, high, strict=True)))
    return None


def page(said: dict, results: dict[str, dict[int, list[Made]]], count: int, folder: pathlib.Path) -> str:
    lines = [
        f"# Formats of equal looks, {said['date']}",
        "",
        prose(
            f"Made by `make bench-formats` on {said['processors']} × {said['processor']}, {said['system']}:",
            f"{count} avatars of {SIDE} pixels from `{folder.name}`, each made by the command from the JPEG file.",
            "The formats are compared at the mean score that JPEG has at a quality.",
            "The score is SSIMULACRA 2, and 100 is an identical image.",
            "Cells have the bytes of a file, and their ratio to JPEG's.",
            "The last column is the processor time of the whole command over that for JPEG.",
            "Two commands ran at once.",
        ),
        "",
        "| | " + " | ".join(f"JPEG {quality}" for quality in (60, 75, 85, 95)) + " | time at 85 |",
        "|---|---|---|---|---|---|",
    ]
    jpeg = {quality: mean(made) for quality, made in results["JPEG"].items()}
    lines.append("| score | " + " | ".join(f"{jpeg[quality].score:.1f}" for quality in (60, 75, 85, 95)) + " | |")
    for name, rows in results.items():
        cells = []
        for quality in (60, 75, 85, 95):
            made = at_score(rows, jpeg[quality].score)
            cells.append(f"{made.bytes:,.0f} ({made.bytes / jpeg[quality].bytes:.2f})" if made else "–")
        made = at_score(rows, jpeg[85].score)
        cells.append(f"{made.seconds / jpeg[85].seconds:.2f}" if made else "–")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += [
        "",
        prose(
            "The scale of quality: mean scores at equal numbers, and the images whose AVIF is below their JPEG by more than 3.",
        ),
        "",
        "| quality | JPEG | AVIF, speed 9 | AVIF, speed 7 | worse by 3, of all (speed 7) |",
        "|---|---|---|---|---|",
    ]
    for quality in (q for q in JPEG_QUALITIES if q in QUALITIES["AVIF"]):
        fast, usual = results["AVIF, speed 9"][quality], results["AVIF, speed 7"][quality]
        worse = sum(avif.score < jpeg.score - 3 for avif, jpeg in zip(usual, results["JPEG"][quality], strict=True))
        lines.append(
            f"| {quality} | {jpeg[quality].score:.1f} | {mean(fast).score:.1f} | {mean(usual).score:.1f} | {worse} of {count} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
