"""Runs commands: time by hyperfine, peak memory by GNU time."""

import json
import pathlib
import re
import shlex
import statistics
import subprocess
import tempfile


def run_in_turn(
    commands: dict[str, list[str]], rounds: int, prepare: str | None = None, may_fail: bool = False, between=None
) -> dict[str, dict[str, list]]:
    """Seconds of processor time (user and system, all threads) and of wall time of whole commands, round by round.

    Each round runs every command once, so that a change of the machine's pace meets all of them; the first round, in
    which files come into the system's cache, is not counted. `between` is called once a round, too, with whether it
    counts. The answer has `processor`, `wall` and `status`, a list each, by the command's name.
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
        # It warns that a command is quick, or has failed as it may.
        run = subprocess.run(arguments, check=False, capture_output=True, text=True)
        if run.returncode != 0:
            raise SystemExit(f"compare: {run.stderr.strip()}")
        return {result["command"]: result for result in json.loads(answer.read_text())["results"]}


def peak_memory(command: list[str], may_fail: bool = False) -> int:
    """The peak of resident memory of a command, in bytes, pages of mapped files included."""
    with tempfile.TemporaryDirectory() as folder:
        answer = pathlib.Path(folder) / "answer"
        timed = ["/usr/bin/time", "-v", "-o", str(answer), *command]
        run = subprocess.run(timed, check=False, capture_output=True, text=True)
        if run.returncode != 0 and not may_fail:
            raise SystemExit(f"compare: {shlex.join(command)} failed: {run.stderr.strip()}")
        kibibytes = re.search(r"Maximum resident set size \(kbytes\): (\d+)", answer.read_text())
        return int(kibibytes[1]) * 1024


def median(values: list[float]) -> float:
    return statistics.median(values)
