"""Gathers the figures of the newest runs, writes them into the pages, and checks the pages.

figures gather     reads the newest runs, and writes Benchmarks/figures.json and the pages; `make figures` does it
figures tasks      stores the newest run of `make compare ONLY=tasks` alone
figures archive F  measures the archive F of `make tarball`, and writes it likewise
figures write      writes the pages from figures.json
figures check      fails if a page differs from figures.json, or README.md states a figure of its own
figures complete   fails also if a figure is missing, or belongs to another commit than the others
"""

import json
import pathlib
import statistics
import subprocess
import sys

from compare import report as compare_report
from compare.rows import mebibytes, rows, seconds
from compare.tools import all_tools
from figures.blocks import PART, blocks, filled, parts, quantities
from real import report as real_report

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = ROOT / "Benchmarks/runs"
FIGURES = ROOT / "Benchmarks/figures.json"
# The pages, with their paths to the folder of runs.
PAGES = {"README.md": "Benchmarks/runs", "Benchmarks/FIGURES.md": "runs", "Server/README.md": "../Benchmarks/runs"}
# Printed by `bench`, and kept by `make figures`.
PRINTED = ROOT / ".build/figures"


def main() -> None:
    words = sys.argv[1:]
    if words == ["gather"]:
        gather()
    elif words == ["tasks"]:
        store(stored() | {"tasks": committed_tasks()})
    elif words[:1] == ["archive"] and len(words) == 2:
        archive(pathlib.Path(words[1]))
    elif words == ["write"]:
        write()
    elif words in (["check"], ["complete"]):
        if faults := check(words == ["complete"]):
            sys.exit("\n".join(f"figures: {fault}" for fault in faults))
    else:
        sys.exit(__doc__)


def stored() -> dict:
    return json.loads(FIGURES.read_text()) if FIGURES.exists() else {}


def store(figures: dict) -> None:
    FIGURES.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n")
    write()


def write() -> None:
    texts = blocks(stored())
    for name, runs in PAGES.items():
        page = ROOT / name
        page.write_text(filled(page.read_text(), texts, runs))


def newest(pattern: str) -> tuple[pathlib.Path, dict]:
    """Returns the file of the last run that has it. Folders of runs have dates."""
    files = sorted(RUNS.glob(pattern))
    if not files:
        sys.exit(f"figures: there is no {RUNS.name}/{pattern} (run make figures)")
    return files[-1], json.loads(files[-1].read_text())


def committed_tasks() -> dict:
    _, tasks = newest("*/compare/tasks.json")
    if "+" in tasks["environment"]["commit"]:
        sys.exit("figures: the sources differ from the commit (commit them, and measure again)")
    return tasks


def gather() -> None:
    tasks = committed_tasks()
    environment = tasks["environment"]
    commit = environment["commit"]
    sections = {}

    def add(name: str, file: pathlib.Path, text: str) -> None:
        # A file that git knows is from an earlier measurement.
        changed = subprocess.run(
            ["git", "-C", ROOT, "status", "--porcelain", "--", file], check=True, capture_output=True, text=True
        )
        if not changed.stdout:
            sys.exit(f"figures: {file.relative_to(ROOT)} was not measured again (run make figures)")
        link = file.parent.relative_to(ROOT / "Benchmarks")
        sections[name] = {
            "commit": commit,
            "date": environment["date"],
            "text": f"[All figures]({link}/README.md).\n\n{text}",
        }

    sets = {}
    for file in sorted(RUNS.glob("*/real/*/raw.json")):
        sets[file.parent.name] = file
    for name, wanted in (("web-images", "web"), ("camera-files", "camera")):
        chosen = [file for folder, file in sets.items() if folder == wanted]
        if not chosen:
            sys.exit(f"figures: no run of bench-real has the name {wanted} (run make figures)")
        add(name, chosen[0], real_report.tables(json.loads(chosen[0].read_text())))
    file, raw = newest("*/compare/raw.json")
    plot = compare_report.themed(
        "whole", "Processor time and peak memory of each tool", f"{file.parent.relative_to(RUNS.parent)}/"
    )
    add(
        "other-tools",
        file,
        plot
        + "\n\n"
        + compare_report.asked_table(rows(raw))
        + "\n\n"
        + compare_report.tools_table(raw["whole"], all_tools("facecrop")),
    )
    file, raw = newest("*/raw.json")
    add("time-and-memory", file, time_and_memory(raw))
    file, raw = newest("*/server/raw.json")
    add("server", file, servers(raw["servers"]))
    for name in ("batches", "library"):
        text = (PRINTED / f"{name}.md").read_text().strip()
        sections[name] = {"commit": commit, "date": environment["date"], "text": text}
    store(stored() | {"tasks": tasks, "sections": sections})


def time_and_memory(raw: dict) -> str:
    """The tables of `make bench` that a user asks for."""
    lines = ["| image | `plan` + `render` over a full decode | `crop` over a full decode |", "|---|---:|---:|"]
    for one in raw["time"]:
        full = statistics.median(one["fullDecode"])
        both = statistics.median(one["plan"]) + statistics.median(one["render"])
        cells = [ratio(both / full), ratio(statistics.median(one["crop"]) / full)]
        lines.append(f"| {one['scenario']} | {' | '.join(cells)} |")
    lines += ["", "| image | memory of `crop` | time with detection |", "|---|---:|---:|"]
    for one in raw["memory"]:
        peak, wall = statistics.median(one["peakMemory"]), statistics.median(one["wallTime"])
        lines.append(f"| {one['picture']} | {mebibytes(peak)} | {seconds(wall)} |")
    return "\n".join(lines)


def ratio(value: float) -> str:
    text = f"{value:.2f}"
    return f"**{text}**" if value > 1 else text


def servers(raw: dict) -> str:
    """The table of `make compare-server`."""
    lines = ["| requests | measure | thumbor | facecrop-server | ratio |", "|---|---|---:|---:|---:|"]
    for part, title in (
        ("cold", "new images"),
        ("sizes", "other sizes of known images"),
        ("warm", "the same URLs again"),
    ):
        for key, measure in (
            ("rate", "responses per second"),
            ("p50", "p50, ms"),
            ("p99", "p99, ms"),
            ("processor", "processor time per response, ms"),
            ("peak", "largest memory, MiB"),
        ):
            one, other = raw["Thumbor"][part][key], raw["Facecrop"][part][key]
            is_better = other > one if key == "rate" else other < one
            text = f"{other / one:.2f}" if one else ""
            cells = [title if key == "rate" else "", measure, f"{one:.1f}", f"{other:.1f}"]
            lines.append(f"| {' | '.join([*cells, text if is_better else f'**{text}**'])} |")
    return "\n".join(lines)


def archive(file: pathlib.Path) -> None:
    """Stores the size of an archive, packed and unpacked."""
    listed = subprocess.run(["tar", "--list", "--verbose", "--file", file], check=True, capture_output=True, text=True)
    unpacked = sum(int(line.split()[2]) for line in listed.stdout.splitlines() if line.startswith("-"))
    store(stored() | {"archive": {"bytes": file.stat().st_size, "unpacked": unpacked}})


def check(is_complete: bool) -> list[str]:
    figures, faults = stored(), []
    texts = blocks(figures)
    for name, runs in PAGES.items():
        text = (ROOT / name).read_text()
        if text != filled(text, texts, runs):
            faults.append(f"{name} differs from {FIGURES.name} (run PYTHONPATH=Benchmarks python3 -m figures write)")
        if text.count("<!-- figures: ") != len(PART.findall(text)):
            faults.append(f"{name} has a part without its end")
        if is_complete:
            faults += [
                f"{name}: {part} is not measured (run make figures)" for part in parts(text) if part not in texts
            ]
    readme = (ROOT / "README.md").read_text()
    # An unmeasured part is empty: nothing of an earlier version stays.
    faults += [
        f"README.md: {part} has text that nobody measured"
        for part, text in parts(readme).items()
        if text and part not in texts
    ]
    known = " ".join(texts.values())
    faults += [
        f"README.md states {found}, which {FIGURES.name} has not (measure it, or leave it out)"
        for found in quantities(readme)
        if found not in known
    ]
    commits = {section["commit"] for section in figures.get("sections", {}).values()}
    if "tasks" in figures:
        commits.add(figures["tasks"]["environment"]["commit"])
    if is_complete and len(commits) != 1:
        faults.append(f"figures.json has figures of {len(commits)} commits (run make figures)")
    return faults


main()
