"""Measures runs in turn, so that all of them meet the same machine."""

import argparse
import contextlib
import os
import pathlib
import time
from collections.abc import Callable, Mapping

from samples.pictures import REPOSITORY

WANTED = {"preset": "avatar", "size": 512}
# The options of the command for the same outputs.
OPTIONS = [f"--{name}={value}" for name, value in WANTED.items()]


def parser(name: str, description: str | None, rounds: int) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog=name, description=description)
    made.add_argument("--facecrop", type=pathlib.Path, default=REPOSITORY / ".build/release/facecrop")
    made.add_argument("--pictures", type=pathlib.Path, help="a folder of pictures")
    made.add_argument("--rounds", type=int, default=rounds)
    return made


def timed(run: Callable[[], object]) -> tuple[float, float]:
    """Returns the seconds, and the processor seconds of this process and all that it started."""
    began, before = time.monotonic(), _processor_time()
    run()
    return round(time.monotonic() - began, 3), round(_processor_time() - before, 2)


def measured(
    rounds: int, runs: Mapping[str, Callable[[], object]], check: Callable[[], object]
) -> dict[str, list[tuple[float, float]]]:
    """Returns what `timed` gives for each of the runs in each round. The first round, which fills the system's file
    cache, is not counted. `check` is called after each round."""
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name, run in runs.items():
            samples[name].append(timed(run))
        print(f"round {number}: " + ", ".join(f"{name} {samples[name][-1][0]:.2f} s" for name in runs))
        check()
    return {name: found[1:] for name, found in samples.items()}


def _processor_time() -> float:
    """Returns the processor time of this process's tree: live processes, and children that they waited for."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
                parents[int(folder.name)] = int(fields[1])
                ticks[int(folder.name)] = sum(map(int, fields[11:15]))
    own = os.getpid()

    def is_mine(process: int) -> bool:
        while process in parents and process != own:
            process = parents[process]
        return process == own

    return sum(count for process, count in ticks.items() if is_mine(process)) / os.sysconf("SC_CLK_TCK")
