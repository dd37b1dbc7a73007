"""Counts the instructions of facecrop's stages under callgrind, and fails if one grew by more than a tenth.

Unlike times, counts depend on no other load, and hardly on the machine: valgrind offers the same processor extensions
everywhere. They depend on the libraries' versions, which the list of expected counts names.
"""

import argparse
import hashlib
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
EXPECTED = HERE / "expected.json"
TOLERANCE = 0.1

# The cases by their names in the list: image, output format, and command; None without an image.
CASES = {
    "start": (None, None, ["--version"]),
    "avatar of 12 MP": ("baseline", "jpg", ["avatar", "--size", "512"]),
    "avatar of 12 MP, haar": ("baseline", "jpg", ["avatar", "--size", "512", "--detector", "haar"]),
    "crop of 12 MP, progressive": ("progressive", "jpg", ["crop"]),
    "crop of 2 MP, PNG to PNG": ("png", "png", ["crop"]),
    "crop of 2 MP, WebP to WebP": ("webp", "webp", ["crop"]),
}

# Real images from the caller's folders: baseline JPEG with or without a face, as close as possible to a size.
REAL = {
    "avatar of a real 0.5 MP with a face": (0.5, True),
    "avatar of a real 3 MP with a face": (3, True),
    "avatar of a real 12 MP without a face": (12, False),
}
REAL_ARGUMENTS = ["avatar", "--size", "512", "--no-face", "center"]

# Functions whose figures are shown separately, including their callees.
STAGES = {
    "walk for overview and index": r":fcjpeg_index_scan\b",
    "region out of the index": r"9JPEGIndexC7withCut",
    "network's search": r":fcyunet_run\b",
    "cascades loaded": r":fcvision_cascade_create\b",
    "resampling": r"15WindowResamplerV4take",
    "JPEG written": r":fcjpeg_encoder_",
}


def instructions(binary: pathlib.Path, arguments: list[str], folder: pathlib.Path) -> dict[str, int]:
    """Returns the instructions of a whole process, `all`, and of its stages."""
    profile = folder / "profile"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", str(binary), *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"instructions: facecrop {' '.join(arguments)} failed under valgrind:\n{run.stderr}")
    annotate = ["callgrind_annotate", "--inclusive=yes", "--threshold=100", str(profile)]
    lines = subprocess.run(annotate, capture_output=True, text=True, check=True).stdout.splitlines()
    counts = {}
    for line in lines:
        match = re.match(r"\s*([\d,]+) \([\d. ]+%\)\s+(.*)", line)
        if not match:
            continue
        count = int(match.group(1).replace(",", ""))
        if match.group(2) == "PROGRAM TOTALS":
            counts["all"] = count
        # The largest count is the outermost call.
        for stage, pattern in STAGES.items():
            if re.search(pattern, match.group(2)) and count >= 1_000_000:
                counts[stage] = max(counts.get(stage, 0), count)
    return counts


def pictures(bench: pathlib.Path, folder: pathlib.Path) -> dict[str, pathlib.Path]:
    """Draws the benchmark's portrait, with the same bytes every time."""
    made = {name: folder / name for name in ("baseline", "progressive", "png", "webp")}
    small = folder / "small.jpg"
    subprocess.run([bench, "--draw", made["baseline"], "4000x3000"], check=True)
    subprocess.run([bench, "--draw", small, "1600x1200"], check=True)
    with made["progressive"].open("wb") as file:
        subprocess.run(["jpegtran", "-progressive", made["baseline"]], stdout=file, check=True)
    with made["png"].open("wb") as file:
        pixels = subprocess.run(["djpeg", small], capture_output=True, check=True).stdout
        subprocess.run(["pnmtopng", "-quiet"], input=pixels, stdout=file, check=True)
    subprocess.run(["cwebp", "-quiet", "-q", "80", small, "-o", made["webp"]], check=True)
    return made


def real_picture(folders: list[pathlib.Path], megapixels: float, has_face: bool) -> pathlib.Path | None:
    """Finds the baseline JPEG in the folders, by their annotations.json, that is closest to a size."""
    found = []
    for folder in folders:
        for entry in json.loads((folder / "annotations.json").read_text()):
            file = folder / entry["file"]
            if bool(entry["faces"]) == has_face and is_baseline(file):
                distance = abs(math.log(entry["width"] * entry["height"] / 1e6 / megapixels))
                found.append((distance, entry["file"], file))
    return min(found)[2] if found else None


def is_baseline(file: pathlib.Path) -> bool:
    """Returns whether a JPEG's frame header (T.81, table B.1) is baseline or extended sequential with Huffman
    coding."""
    content = file.read_bytes()
    place = 2
    while content[:2] == b"\xff\xd8" and place + 4 <= len(content) and content[place] == 0xFF:
        marker = content[place + 1]
        if marker in (0xC0, 0xC1, 0xC2):
            return marker != 0xC2
        place += 2 + int.from_bytes(content[place + 2 : place + 4], "big")
    return False


def main() -> None:
    parser = argparse.ArgumentParser(prog="instructions", description=__doc__)
    parser.add_argument("--facecrop", type=pathlib.Path, required=True, help="an installed command")
    parser.add_argument("--bench", type=pathlib.Path, required=True)
    parser.add_argument("--set", type=pathlib.Path, action="append", default=[], help="a folder of annotated pictures")
    parser.add_argument("--update", action="store_true", help="expect from now on what is counted")
    options = parser.parse_args()
    expected = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
    counted: dict[str, dict] = {}
    grown = []
    print(f"{'millions of instructions':48}{'counted':>10}{'expected':>10}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        made = pictures(options.bench, folder)
        cases = {
            name: (made.get(picture), kind, arguments, "fail") for name, (picture, kind, arguments) in CASES.items()
        }
        for name, (megapixels, has_face) in REAL.items():
            if picture := real_picture(options.set, megapixels, has_face):
                cases[name] = (picture, "jpg", REAL_ARGUMENTS, None)
        for case, (picture, kind, arguments, no_face) in cases.items():
            known = expected.get(case, {})
            if picture:
                # Everything takes fifty times as long under valgrind.
                output = folder / f"output.{kind}"
                arguments = [*arguments, str(picture), "-o", str(output), "--timeout", "3600"]
                arguments += ["--no-face", no_face] if no_face else []
            counted[case] = instructions(options.facecrop, arguments, folder)
            if case in REAL:
                # Counts of another image cannot be compared.
                counted[case]["sha256"] = hashlib.sha256(picture.read_bytes()).hexdigest()
                known = known if known.get("sha256") == counted[case]["sha256"] else {}
            for stage, count in counted[case].items():
                if stage == "sha256":
                    continue
                before = known.get(stage)
                has_grown = before is not None and count > before * (1 + TOLERANCE)
                if has_grown:
                    grown.append(f"{case}, {stage}")
                what = case if stage == "all" else f"  {stage}"
                was = f"{before / 1e6:10.1f}" if before else f"{'new':>10}"
                print(f"{what:48}{count / 1e6:10.1f}{was}{'  grown' if has_grown else ''}", flush=True)
    if options.update:
        EXPECTED.write_text(json.dumps(expected | counted, indent=2) + "\n")
    elif grown:
        sys.exit(f"instructions: more than {TOLERANCE:.0%} above what is expected: {'; '.join(grown)}")


main()
