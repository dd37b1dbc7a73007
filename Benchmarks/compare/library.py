"""Measures the library with loaded models, using `bench`."""

import json
import subprocess


def measure(bench: str, rounds: int) -> dict[str, list[float]]:
    """Returns seconds of processor time: `fullDecode`, and bytes to a JPEG of 512 pixels by `yunet`, `auto` and
    `haar`."""
    run = subprocess.run([bench, "--warm", "--rounds", str(rounds)], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)
