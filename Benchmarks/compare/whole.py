"""Measures whole commands on one image, alternating with requests to a warm thumbor."""

import pathlib
import shutil
import subprocess

from PIL import Image

from compare import thumbor
from compare.measure import peak_memory, run_in_turn
from compare.pictures import Picture
from compare.tools import SIDE, Tool

REQUESTS = 3
SMALL = 140


def measure(tools: list[Tool], picture: Picture, rounds: int, work: pathlib.Path, own: bool = False) -> dict[str, dict]:
    """Returns samples of `processor`, `wall` (seconds) and `memory` (bytes) by tool, and whether it has `found` a face.

    Each tool must find one and make SIDE × SIDE pixels, except on the user's `own` images.
    """
    # In our own folder and under our own name, so that thumbor may read it.
    served = work / "served"
    served.mkdir(exist_ok=True)
    name = f"{picture.width}x{picture.height}-{picture.bytes}.jpg"
    shutil.copyfile(picture.path, served / name)
    source = str(served / name)

    commands = {tool.name: tool.command(source, str(output(tool.name, work))) for tool in tools}
    server = {"processor": [], "wall": [], "status": []}
    with thumbor.Server(served) as running:

        def request(counts: bool):
            processor, wall = running.cost(name, REQUESTS)
            if counts:
                server["processor"].append(processor)
                server["wall"].append(wall)
                server["status"].append(0)

        found = running.has_found_a_face(name)
        samples = run_in_turn(commands, rounds, may_fail=own, between=request)
        output(thumbor.NAME, work).write_bytes(running.request(name))
        server["memory"] = [running.peak_memory()]
    for _ in range(3):
        for tool in tools:
            samples[tool.name].setdefault("memory", []).append(peak_memory(commands[tool.name], may_fail=own))

    for tool in tools:
        samples[tool.name]["found"] = finds(tool, commands[tool.name]) if tool.looks_for_faces else None
    samples[thumbor.NAME] = server | {"found": found}
    if not own:
        for name in [tool.name for tool in tools if tool.makes_output] + [thumbor.NAME]:
            if not is_as_asked(output(name, work)):
                raise SystemExit(f"compare: {name} did not make {SIDE} × {SIDE} pixels")
    return samples


def finds(tool: Tool, command: list[str]) -> bool:
    return subprocess.run([*command, *tool.strict], check=False, capture_output=True).returncode == 0


def show_outputs(tools: list[Tool], work: pathlib.Path, path: pathlib.Path):
    """Draws each tool's result for the last image, small and side by side, in the order of the table."""
    names = [tool.name for tool in tools if tool.makes_output] + [thumbor.NAME]
    sheet = Image.new("RGB", (len(names) * SMALL, SMALL))
    for place, name in enumerate(names):
        with Image.open(output(name, work)) as made:
            sheet.paste(made.resize((SMALL, SMALL)), (place * SMALL, 0))
    sheet.save(path, quality=85)


def output(name: str, work: pathlib.Path) -> pathlib.Path:
    return work / f"{name.replace(' ', '-').replace('/', '-')}.jpg"


def is_as_asked(path: pathlib.Path) -> bool:
    if not path.exists():
        return False
    with Image.open(path) as made:
        return made.size == (SIDE, SIDE)
