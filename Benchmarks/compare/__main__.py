"""Runs all measurements, and writes a run's folder."""

import argparse
import datetime
import json
import pathlib
import re
import tempfile

from compare import batch, pictures, plots, report, rows, scaling, tasks, whole
from compare.environment import environment, package_facts
from compare.measure import library
from compare.tools import all_tools
from figures.blocks import tasks_table


def main():
    options = parse()
    if options.draw_again:
        folder = pathlib.Path(options.draw_again)
        return write(json.loads((folder / "raw.json").read_text()), options.facecrop, folder)

    folder = pathlib.Path(options.runs) / datetime.date.today().isoformat() / "compare"
    folder.mkdir(parents=True, exist_ok=True)
    if options.set:
        facts = environment(options.facecrop)
        pinned = pathlib.Path(__file__).with_name("mediapipe.txt").read_text()
        facts["versions"]["MediaPipe"] = re.search(r"^mediapipe==(\S+)", pinned, re.MULTILINE)[1]
        measured = {"environment": facts, "tasks": measure_tasks(options)}
        (folder / "tasks.json").write_text(json.dumps(measured, indent=1) + "\n")
        (folder / "tasks.md").write_text(tasks_table(measured) + "\n")
        print(tasks_table(measured))
    if options.only_tasks:
        return None
    raw = measure(options, folder)
    (folder / "raw.json").write_text(json.dumps(rounded(raw), indent=1) + "\n")
    return write(raw, options.facecrop, folder)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="compare", description=__doc__)
    parser.add_argument("--facecrop", default=".build/release/facecrop", help="the release build that is measured")
    parser.add_argument("--bench", default=".build/release/bench", help="makes the pictures and measures the library")
    parser.add_argument("--pictures", metavar="FOLDER", help="JPEG files of the user's that are measured, too")
    parser.add_argument("--set", type=pathlib.Path, metavar="FOLDER", help="annotated web images, for the three tasks")
    parser.add_argument("--server", default="Server/.build/release/facecrop-server", help="the server that is measured")
    parser.add_argument("--mediapipe", default=".build/mediapipe/bin/python", help="Python with MediaPipe and Pillow")
    parser.add_argument("--only-tasks", action="store_true", help="measure the three tasks and nothing else")
    parser.add_argument("--rounds", type=int, default=11, help="how often each tool runs on a picture")
    parser.add_argument("--runs", default="Benchmarks/runs", metavar="FOLDER", help="gets a folder of today's date")
    parser.add_argument("--draw-again", metavar="FOLDER", help="only writes page and plots anew, from raw.json there")
    return parser.parse_args()


def measure_tasks(options: argparse.Namespace) -> list[dict]:
    paths = (options.facecrop, options.server, options.mediapipe)
    # A link to Python stays: it finds its packages by its own place.
    programs = tasks.Programs(*(str(pathlib.Path(path).absolute()) for path in paths))
    portrait = pictures.portrait(str(pathlib.Path(options.bench).resolve()))
    with tempfile.TemporaryDirectory() as folder:
        step("three tasks")
        few = max(options.rounds // 2, 1)
        return tasks.measure(
            programs, all_tools(programs.facecrop), portrait.path, options.set, few, pathlib.Path(folder)
        )


def measure(options: argparse.Namespace, results: pathlib.Path) -> dict:
    program, bench = (str(pathlib.Path(path).resolve()) for path in (options.facecrop, options.bench))
    raw = {"environment": environment(program), "rounds": options.rounds}
    own = pictures.own(options.pictures)
    portrait, many = pictures.portrait(bench), pictures.batch(bench)
    raw["picture"] = {"width": portrait.width, "height": portrait.height, "bytes": portrait.bytes}
    tools = all_tools(program)
    few = max(options.rounds // 3, 1)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        step("one picture")
        raw["whole"] = whole.measure(tools, portrait, options.rounds, work)
        whole.show_outputs(tools, work, results / "crops.jpg")
        step("the library, warm")
        raw["library"] = library(bench, options.rounds)
        step("200 pictures")
        raw["batch"] = batch.measure(program, tools, many, few, work)
        step("time from 1 to 100 MP")
        raw["timeBySize"] = scaling.time_by_size(bench, tools, few, work)
        step("memory to 25,000 rows")
        raw["memoryByHeight"] = scaling.memory_by_height(bench, tools, few, work)
        raw["own"] = []
        for number, picture in enumerate(own, 1):
            step(f"your picture {number}")
            samples = whole.measure(tools, picture, few, work, own=True)
            raw["own"].append(
                {"width": picture.width, "height": picture.height, "bytes": picture.bytes, "whole": samples}
            )
    raw["package"] = package_facts()
    return raw


def write(raw: dict, program: str, folder: pathlib.Path):
    tools = all_tools(program)
    (folder / "README.md").write_text(report.page(raw, tools))
    plots.draw(raw, folder)
    print(report.asked_table(rows.rows(raw)))
    print(report.tools_table(raw["whole"], tools))
    print(f"All of it: {folder / 'README.md'}")


def rounded(value):
    """Rounds seconds to the microsecond, which is the clocks' resolution."""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list) else value


def step(name: str):
    print(f"compare: {name} …", flush=True)


if __name__ == "__main__":
    main()
