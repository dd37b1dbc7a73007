"""Measures time by the file's size, and memory by the image's height."""

import os
import pathlib
import re
import subprocess
import time

from compare import pictures
from compare.measure import peak_memory, run_in_turn
from compare.tools import Tool

# 1 to 100 MP at 4:3, the last being facecrop's default limit.
SIZES = [(1_152, 864), (1_632, 1_224), (2_592, 1_944), (4_000, 3_000), (5_776, 4_332), (8_160, 6_120), (11_544, 8_658)]
# Images of the same width, up to 100 MP.
WIDTH, HEIGHTS = 4_000, [3_000, 6_000, 9_000, 12_000, 18_000, 25_000]
# A large single face needs a smaller overview, but two equal ones do not; with two, only the height differs.
FACES = 2
# Tools that hold the whole image need gigabytes beyond this height.
LOWER = {"autocrop": 9_000}
NAMES = ["facecrop", "vipsthumbnail", "djpeg"]


def time_by_size(bench: str, tools: list[Tool], rounds: int, work: pathlib.Path) -> list[dict]:
    """Returns samples of processor time by tool, for each image of 1 to 100 MP."""
    series = []
    for width, height in SIZES:
        picture = pictures.drawn(bench, width, height)
        samples = run_in_turn(_commands(tools, NAMES, picture, work), rounds)
        series.append(
            {
                "width": width,
                "height": height,
                "bytes": picture.bytes,
                "processor": {name: taken["processor"] for name, taken in samples.items()},
            }
        )
    return series


def memory_by_height(bench: str, tools: list[Tool], rounds: int, work: pathlib.Path) -> list[dict]:
    """Returns peaks of memory by tool, for images of one width; for facecrop also without mapped files."""
    series = []
    for height in HEIGHTS:
        picture = pictures.drawn(bench, WIDTH, height, FACES)
        names = NAMES + [name for name, highest in LOWER.items() if height <= highest]
        commands = _commands(tools, names, picture, work)
        peaks = {name: [] for name in names}
        own = []
        for _ in range(rounds):
            for name in names:
                peaks[name].append(peak_memory(commands[name]))
            own.append(own_memory(commands["facecrop"]))
        series.append(
            {"width": WIDTH, "height": height, "bytes": picture.bytes, "memory": peaks, "facecropAnonymous": own}
        )
    return series


def own_memory(command: list[str]) -> int:
    """Returns the peak of a command's anonymous memory in bytes.

    It reads the memory every half millisecond; on a busy machine it misses peaks in between.
    """
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    most = 0
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        # The line is missing while the process starts or ends.
        found = re.search(r"RssAnon:\s+(\d+) kB", pathlib.Path(f"/proc/{process.pid}/status").read_text())
        most = max(most, int(found[1]) * 1024 if found else 0)
        time.sleep(0.0005)
    if process.wait() != 0:
        raise SystemExit(f"compare: {' '.join(command)} failed")
    return most


def _commands(
    tools: list[Tool], names: list[str], picture: pictures.Picture, work: pathlib.Path
) -> dict[str, list[str]]:
    """Returns commands that fail without a face, since the figures are for crops around one."""
    chosen = [tool for tool in tools if tool.name in names]
    return {tool.name: [*tool.command(str(picture.path), str(work / "scaling.jpg")), *tool.strict] for tool in chosen}
