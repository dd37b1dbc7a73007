"""Writes the page of a run, in Markdown."""

import statistics

from compare.markdown import prose

CLASSES = [
    ("under 0.3 MP", 0, 0.3),
    ("0.3 to 0.6", 0.3, 0.6),
    ("0.6 to 1.5", 0.6, 1.5),
    ("1.5 to 5", 1.5, 5),
    ("5 and more", 5, float("inf")),
]


def page(raw: dict) -> str:
    environment = raw["environment"]
    versions = ", ".join(f"{name} {version}" for name, version in environment["versions"].items())
    return "\n\n".join(
        [
            f"# Avatars of {len(raw['pictures'])} real images, {environment['date']}",
            prose(
                f"Made by `make bench-real` on {environment['processors']} × {environment['processor']}",
                f"with {environment['system']}. The load of the machine was {environment['load']} at the start.",
            ),
            prose(f"Versions: {versions}."),
            prose(
                "Each image becomes an avatar of 512 pixels, from its center if it has no face.",
                "The library is warm and goes from the file's bytes to a JPEG's.",
                f"Its figures are the minimum of {raw['rounds']} rounds.",
                "A full decode is that of the format's own library; JPEG is decoded row by row into one row.",
                f"Whole processes are medians of {raw['rounds']} rounds.",
                "Time is processor time on one thread.",
                "Ratios are of totals, so large images weigh more.",
                "Bold ratios mean that facecrop is slower.",
            ),
            tables(raw),
            '<picture><source media="(prefers-color-scheme: dark)" srcset="cost-dark.svg">'
            '<img alt="Cost over megapixels, one point per image" src="cost-light.svg"></picture>',
        ]
    ) + "\n"


def tables(raw: dict) -> str:
    rows = raw["pictures"]
    kinds = [("all", rows)]
    for has_face, word in ((True, "a face"), (False, "no face")):
        kinds.append((word, [row for row in rows if row["hasFace"] == has_face]))
    jpegs = [row for row in rows if row["format"] == "jpeg"]
    kinds.append(("JPEG, baseline", [row for row in jpegs if not row["isProgressive"]]))
    kinds.append(("JPEG, progressive", [row for row in jpegs if row["isProgressive"]]))
    for kind in sorted({row["format"] for row in rows} - {"jpeg"}):
        kinds.append((kind.upper(), [row for row in rows if row["format"] == kind]))
    for name, least, most in CLASSES:
        kinds.append((f"JPEG, {name}", [row for row in jpegs if least <= _megapixels(row) < most]))
    return "\n\n".join([_kinds([kind for kind in kinds if kind[1]]), _batch(raw["batch"], len(rows))])


def _kinds(kinds: list[tuple[str, list[dict]]]) -> str:
    lines = [
        "| images | files | full decode, median | avatar, median | avatar over full decode | without the detector "
        "| process over djpeg's | over djpeg 1/8 gray's |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, rows in kinds:
        full, avatar, known = ([row[key] for row in rows] for key in ("fullDecode", "avatar", "avatarOfKnownFace"))
        cells = [
            name,
            str(len(rows)),
            f"{statistics.median(full) * 1e3:.1f} ms",
            f"{statistics.median(avatar) * 1e3:.1f} ms",
            _ratio(sum(avatar), sum(full)),
            _ratio(sum(known), sum(full)),
        ]
        for other in ("djpeg", "djpeg 1/8 gray"):
            both = [row["process"] for row in rows if other in row["process"]]
            cells.append(
                _ratio(sum(times["facecrop"] for times in both), sum(times[other] for times in both)) if both else ""
            )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _batch(batch: dict, count: int) -> str:
    rates = {name: count / statistics.median(samples["wall"]) for name, samples in batch.items()}
    memory = statistics.median(batch["facecrop"]["memory"]) / (1 << 20)
    ratio = f"{rates['facecrop'] / rates['vipsthumbnail']:.2f}"
    if rates["facecrop"] < rates["vipsthumbnail"]:
        ratio = f"**{ratio}**"
    return prose(
        f"All {count} images, two at a time: `batch --jobs 2` crops {rates['facecrop']:.1f} per second,",
        f"and vipsthumbnail by `xargs -P 2` {rates['vipsthumbnail']:.1f}.",
        f"The ratio is {ratio}.",
        f"The peak memory is {memory:.0f} MiB.",
    )


def _ratio(value: float, by: float) -> str:
    text = f"{value / by:.2f}"
    return f"**{text}**" if value > by else text


def _megapixels(row: dict) -> float:
    return row["width"] * row["height"] / 1e6
