"""Measures a set. All times are processor time in seconds, user and system, of all threads."""

import json
import os
import pathlib
import subprocess
import time

SIDE = 512
JOBS = 2


def library(bench: str, folder: pathlib.Path, rounds: int) -> list[dict]:
    """Returns a row for each decodable image, with the least time of the warm library and of a full decode."""
    command = [bench, "--real", str(folder), "--rounds", str(rounds)]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    annotations = folder / "annotations.json"
    known = {}
    if annotations.exists():
        known = {entry["file"]: bool(entry["faces"]) for entry in json.loads(annotations.read_text())}
    for row in rows:
        # Without an annotation, the detection counts.
        row["hasFace"] = known.get(row["file"], row["faces"] > 0)
        for key in ("fullDecode", "avatar", "avatarOfKnownFace"):
            row[key] = round(row[key], 7)
    return rows


def processes(program: str, folder: pathlib.Path, rows: list[dict], rounds: int, work: pathlib.Path):
    """Adds `process`: the median time of each whole command by name; only facecrop's for formats other than JPEG."""
    for row in rows:
        file, made = str(folder / row["file"]), str(work / "made.jpg")
        commands = {
            "facecrop": [program, "avatar", file, "-o", made, "--size", str(SIDE), "--no-face", "center",
                         "--progress", "none"],
        }  # fmt: skip
        if row["format"] == "jpeg":
            commands["djpeg"] = ["djpeg", "-outfile", "/dev/null", file]
            commands["djpeg 1/8 gray"] = ["djpeg", "-scale", "1/8", "-grayscale", "-outfile", "/dev/null", file]
        samples = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                samples[name].append(_processor_time(command))
        row["process"] = {name: round(sorted(times)[len(times) // 2], 5) for name, times in samples.items()}


def batches(program: str, folder: pathlib.Path, rows: list[dict], rounds: int, work: pathlib.Path) -> dict[str, dict]:
    """Measures wall time of all images, two at a time, and the peak of facecrop's memory."""
    files = [str((folder / row["file"]).resolve()) for row in rows]
    names = work / "names"
    names.write_text("".join(f"{file}\n" for file in files))
    made = work / "batch"
    commands = {
        "facecrop": [program, "batch", "-d", str(made), "--preset", "avatar", "--size", str(SIDE), "--jobs", str(JOBS),
                     "--no-face", "center", "--progress", "none", *files],
        "vipsthumbnail": ["xargs", "-a", str(names), "-d", "\n", "-P", str(JOBS), "-I", "{}", "vipsthumbnail", "{}", "--size",
                          f"{SIDE}x{SIDE}", "--smartcrop", "attention", "-o", f"{made}/%s.jpg[Q=85]"],
    }  # fmt: skip
    samples = {name: {"wall": [], "memory": []} for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            subprocess.run(["rm", "-rf", str(made)], check=True)
            made.mkdir()
            start = time.monotonic()
            _, usage = run(command)
            samples[name]["wall"].append(round(time.monotonic() - start, 4))
            samples[name]["memory"].append(usage.ru_maxrss * 1024)
    return samples


def _processor_time(command: list[str]) -> float:
    status, usage = run(command)
    # djpeg also fails on warnings.
    if status != 0 and command[0] != "djpeg":
        raise SystemExit(f"real: {command[0]} failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime


def run(command: list[str]):
    """Returns the status and the usage of a command."""
    null = [(os.POSIX_SPAWN_OPEN, descriptor, "/dev/null", os.O_RDWR, 0) for descriptor in (0, 1, 2)]
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=null)
    _, status, usage = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), usage
