"""Measures a folder's images, and writes a run's folder."""

import argparse
import datetime
import json
import pathlib
import tempfile

from compare.environment import environment
from real import measure, plot, report


def main():
    parser = argparse.ArgumentParser(prog="real", description=__doc__)
    parser.add_argument("set", type=pathlib.Path, help="a folder of images; annotations.json lists the faces")
    parser.add_argument("--facecrop", default=".build/release/facecrop", help="the release build that is measured")
    parser.add_argument("--bench", default=".build/release/bench", help="measures the library")
    parser.add_argument("--rounds", type=int, default=5, help="measurements per image")
    parser.add_argument("--name", help="the name of the run's folder, the set's own by default")
    parser.add_argument("--runs", default="Benchmarks/runs", type=pathlib.Path, help="parent of the run's folder, which has today's date")
    options = parser.parse_args()
    program, bench = (str(pathlib.Path(path).resolve()) for path in (options.facecrop, options.bench))

    raw = {"environment": environment(program, tools=False), "rounds": options.rounds}
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        step("the library, warm")
        rows = measure.library(bench, options.set, options.rounds)
        step("whole processes")
        measure.processes(program, options.set, rows, options.rounds, work)
        step("a batch")
        raw["batch"] = measure.batches(program, options.set, rows, options.rounds, work)
    # The images' names stay private.
    raw["pictures"] = [{key: value for key, value in row.items() if key != "file"} for row in rows]

    folder = options.runs / datetime.date.today().isoformat() / "real" / (options.name or options.set.resolve().name)
    folder.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(row) for row in raw["pictures"])
    (folder / "raw.json").write_text(
        json.dumps({key: raw[key] for key in raw if key != "pictures"}, indent=1)[:-2]
        + f',\n "pictures": [\n{lines}\n]\n}}\n'
    )
    (folder / "README.md").write_text(report.page(raw))
    plot.draw(raw, folder)
    print(report.tables(raw))
    print(f"The page: {folder / 'README.md'}")


def step(name: str):
    print(f"real: {name} …", flush=True)


main()
