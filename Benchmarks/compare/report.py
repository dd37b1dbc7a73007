"""Writes the page of a run, in Markdown."""

from statistics import median

from compare import thumbor
from compare.batch import FEWER
from compare.markdown import prose
from compare.rows import Row, mebibytes, rate, rows, seconds
from compare.tools import Tool

PICTURE = "12 MP baseline JPEG"
DIFFERENCES = prose(
    "The outputs are in the order of the table, with thumbor at the end.",
    "The two decoders write nothing.",
    "The tools thumbor and vipsthumbnail shrink the largest square around the faces or the most salient region.",
    "The others cut to the face.",
)
GROWTH = prose(
    "The limit for linear or no growth is 1.1.",
    "`Without mapped files` is facecrop's own memory, sampled every half millisecond.",
)


def page(raw: dict, tools: list[Tool]) -> str:
    """Returns README.md of a run's folder, which also contains the plots."""
    environment = raw["environment"]
    versions = "\n".join(f"- {name} {version}" for name, version in environment["versions"].items())
    made = prose(
        f"Made by `make compare` on {environment['processors']} × {environment['processor']} with {environment['system']}.",
        f"The load of the machine was {environment['load']} at the start.",
    )
    method = prose(
        f"Figures are medians of {raw['rounds']} rounds.",
        "Each round runs each tool once, in turn.",
        "Every sample is in raw.json.",
        "Processor time is user and system time of all threads, from hyperfine, or from /proc for thumbor's server.",
        "Memory is the peak resident memory, from `/usr/bin/time -v`, or VmHWM for thumbor's server.",
        "The images are made from the portrait in the repository: see [Benchmarks](../../../README.md).",
    )
    parts = [
        f"# facecrop beside others, {environment['date']}",
        made,
        f"Versions:\n\n{versions}",
        method,
        "## Requirements",
        asked_table(rows(raw)),
        GROWTH,
        f"## One image: {PICTURE}, {raw['picture']['bytes'] / 1e6:.1f} MB, to 512 × 512",
        themed("whole", "Processor time and peak memory of each tool"),
        tools_table(raw["whole"], tools),
        "![The output of each tool](crops.jpg)",
        DIFFERENCES,
        *_own(raw["own"], tools),
        "## 200 images, two at a time",
        _batch_table(raw["batch"]),
        "## Growth",
        themed("time", "Processor time over the file's size, 1 to 100 MP"),
        themed("memory", "Peak memory over the image's height"),
        _growth_table(raw),
        *_package(raw),
        "## Commands",
        "```\n" + "\n".join(tool.shown() for tool in tools) + "\n"
        "facecrop batch -d OUT --preset avatar --size 512 --jobs 2 IN…\n"
        "xargs -a NAMES -P 2 -I {} autocrop … (or vipsthumbnail …)\n"
        "bench --warm\n```\n\n"
        f"thumbor's configuration:\n\n```python\n{thumbor.CONFIGURATION.format(folder='…').strip()}\n```",
    ]
    return "\n\n".join(parts) + "\n"


def asked_table(all_rows: list[Row]) -> str:
    """Formats all rows, with losing ones in bold."""
    lines = []
    for row in all_rows:
        # Three significant digits.
        figure = f"{row.ratio:.0f}" if row.ratio >= 100 else f"{row.ratio:.3g}"
        if row.asked is None:
            asked = verdict = ""
        else:
            asked = f"{'≥' if row.at_least else '≤'} {row.asked_as or f'{row.asked:g}'}"
            verdict = "yes" if row.holds else "**no**"
            figure = figure if row.holds else f"**{figure}**"
        lines.append([row.what, row.against, row.ours, row.theirs, figure, asked, verdict])
    return _table(["measured", "against", "facecrop", "other", "ratio", "limit", "met"], lines, left=2)


def tools_table(whole: dict, tools: list[Tool]) -> str:
    does = {tool.name: tool.does for tool in tools} | {thumbor.NAME: thumbor.DOES}
    ours = whole["facecrop"]
    lines = []
    for name, what in does.items():
        samples = whole[name]

        def times(figure: str, samples: dict = samples) -> str:
            return f"{median(samples[figure]) / median(ours[figure]):.2g}"

        lines.append(
            [
                name,
                what,
                {True: "yes", False: "no", None: "no detection"}[samples["found"]],
                seconds(median(samples["processor"])),
                times("processor"),
                seconds(median(samples["wall"])),
                mebibytes(median(samples["memory"])),
                times("memory"),
            ]
        )
    heads = ["tool", "output", "face found", "processor time", "× facecrop", "wall time", "peak memory", "× facecrop"]
    return _table(heads, lines, left=3)


def _own(own: list[dict], tools: list[Tool]) -> list[str]:
    parts = []
    for number, one in enumerate(own, 1):
        parts += [
            f"### User's image {number}: {one['width'] * one['height'] / 1e6:.1f} MP, {one['bytes'] / 1e6:.1f} MB",
            tools_table(one["whole"], tools),
        ]
    return parts


def _batch_table(batch: dict) -> str:
    lines = [
        [
            name,
            str(samples["pictures"]),
            f"{rate(samples):.2f}",
            seconds(median(samples["processor"]) / samples["pictures"]),
        ]
        for name, samples in batch.items()
    ]
    heads = ["tool", "images", "images per second", "processor time per image"]
    note = prose(
        f"Each image has 12 MP. For autocrop, which takes seconds for each, the rate is from {FEWER} images.",
    )
    return f"{_table(heads, lines)}\n\n{note}"


def _growth_table(raw: dict) -> str:
    times = [
        [
            f"{one['width'] * one['height'] / 1e6:.0f}",
            f"{one['bytes'] / 1e6:.1f}",
            *(seconds(median(values)) for values in one["processor"].values()),
        ]
        for one in raw["timeBySize"]
    ]
    names = list(raw["timeBySize"][0]["processor"])
    memory_names = list(raw["memoryByHeight"][0]["memory"])
    heights = [
        [
            f"{one['height']:,}",
            f"{one['bytes'] / 1e6:.1f}",
            mebibytes(median(one["facecropAnonymous"])),
            *(mebibytes(median(one["memory"][name])) if name in one["memory"] else "" for name in memory_names),
        ]
        for one in raw["memoryByHeight"]
    ]
    return (
        "Processor time, 4:3:\n\n"
        + _table(["MP", "file, MB", *names], times, left=0)
        + "\n\n"
        + prose(
            f"Peak memory of images of {raw['memoryByHeight'][0]['width']:,} pixels width.",
            "Two equal faces make the detection work equal.",
            "The peak contains pages of the mapped file, and the column `without files` does not:",
        )
        + "\n\n"
        + _table(["rows", "file, MB", "facecrop without files", *memory_names], heights, left=0)
    )


def _package(raw: dict) -> list[str]:
    package = raw.get("package")
    if not package:
        return []
    return [
        "## Debian package",
        _table(
            [
                "package",
                "download",
                "installed",
                "with dependencies, in a minimal Debian 12",
                "start-up",
                "/bin/true",
            ],
            [
                [
                    f"{package['package']} {package['version']}",
                    mebibytes(package["bytes"]),
                    mebibytes(package["installedBytes"]),
                    mebibytes(package["withDependenciesBytes"]),
                    seconds(median(package["startUp"])),
                    seconds(median(package["true"])),
                ]
            ],
        ),
        "Start-up is the wall time of `facecrop --version` in a fresh Debian 12 (`make test-deb`).",
    ]


def themed(name: str, alternative: str, folder: str = "") -> str:
    """Returns a plot of a run's folder, for light and dark pages."""
    return (
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="{folder}{name}-dark.svg">'
        f'<img alt="{alternative}" src="{folder}{name}-light.svg"></picture>'
    )


def _table(heads: list[str], lines: list[list[str]], left: int = 1) -> str:
    """Formats a table with `left` columns aligned to the left, and the numbers to the right."""
    rule = ["---" if column < left else "---:" for column in range(len(heads))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [heads, rule, *lines])
