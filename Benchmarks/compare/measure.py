"""Measures commands: time with hyperfine, peak memory with GNU time."""

import json
import pathlib
import re
import shlex
import subprocess
import tempfile


def run_in_turn(
    commands: dict[str, list[str]], rounds: int, prepare: str | None = None, may_fail: bool = False, between=None
) -> dict[str, dict[str, list]]:
    """Returns seconds of processor time (user and system, all threads) and wall time of commands, round by round.

    Each round runs every command once, so that a change of the machine's speed affects all of them. The first round,
    which fills the system's file cache, is not counted. `between` is also called once a round, with whether the round
    counts. Returns lists of `processor`, `wall` and `status` by the command's name.
    """
    samples = {name: {"processor": [], "wall": [], "status": []} for name in commands}
    for number in range(rounds + 1):
        for name, result in _hyperfine(commands, prepare, may_fail).items():
            if number > 0:
                samples[name]["processor"].append(result["user"] + result["system"])
                samples[name]["wall"].append(result["mean"])
                samples[name]["status"].append(result["exit_codes"][0])
        if between:
            between(number > 0)
    return samples


def _hyperfine(commands: dict[str, list[str]], prepare: str | None, may_fail: bool) -> dict[str, dict]:
    with tempfile.TemporaryDirectory() as folder:
        answer = pathlib.Path(folder) / "answer.json"
        arguments = ["hyperfine", "--shell=none", "--runs", "1", "--style", "none", "--export-json", str(answer)]
        if prepare:
            arguments += ["--prepare", prepare]
        if may_fail:
            arguments += ["--ignore-failure"]
        for name, command in commands.items():
            arguments += ["--command-name", name, shlex.join(command)]
        # hyperfine warns if a command is fast, or fails where it may.
        run = subprocess.run(arguments, check=False, capture_output=True, text=True)
        if run.returncode != 0:
            raise SystemExit(f"compare: {run.stderr.strip()}")
        return {result["command"]: result for result in json.loads(answer.read_text())["results"]}


def peak_memory(command: list[str], may_fail: bool = False) -> int:
    """Returns the peak of a command's resident memory in bytes, including pages of mapped files."""
    with tempfile.TemporaryDirectory() as folder:
        answer = pathlib.Path(folder) / "answer"
        timed = ["/usr/bin/time", "-v", "-o", str(answer), *command]
        run = subprocess.run(timed, check=False, capture_output=True, text=True)
        if run.returncode != 0 and not may_fail:
            raise SystemExit(f"compare: {shlex.join(command)} failed: {run.stderr.strip()}")
        kibibytes = re.search(r"Maximum resident set size \(kbytes\): (\d+)", answer.read_text())
        return int(kibibytes[1]) * 1024


def library(bench: str, rounds: int) -> dict[str, list[float]]:
    """Measures the library with loaded models, using `bench`.

    Returns seconds of processor time: `fullDecode`, and bytes to a JPEG of 512 pixels by `yunet`, `auto` and `haar`.
    """
    run = subprocess.run([bench, "--warm", "--rounds", str(rounds)], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)
