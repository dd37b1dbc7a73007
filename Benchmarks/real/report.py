"""Writes the page of a run, in Markdown."""

import statistics

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
            f"# An avatar of {len(raw['pictures'])} pictures that nobody made for us, {environment['date']}",
            f"Made by `make bench-real` on {environment['processors']} × {environment['processor']}, {environment['system']}, "
            f"{versions}; load of the machine when it began: {environment['load']}. Each picture becomes an avatar of 512 pixels, "
            "without a face from its middle. The library is warm, from the file's bytes to a JPEG's, and its figures the least of "
            f"{raw['rounds']} rounds; a full decode is that of the format's own library, of JPEG row by row into one row. Whole "
            "processes are medians of as many. Processor time, one thread; ratios are of totals, so that large pictures weigh more: "
            "bold is what takes longer than what it stands beside.",
            tables(raw),
            '<picture><source media="(prefers-color-scheme: dark)" srcset="cost-dark.svg">'
            '<img alt="Cost over megapixels, a point for each picture" src="cost-light.svg"></picture>',
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
        "| pictures | files | full decode, median | avatar, median | avatar over full decode | without the detector "
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
    return (
        f"All {count}, two at a time: `batch --jobs 2` {rates['facecrop']:.1f} pictures a second, vipsthumbnail by `xargs -P 2` "
        f"{rates['vipsthumbnail']:.1f}: {rates['facecrop'] / rates['vipsthumbnail']:.2f} times as many. Peak memory {memory:.0f} MiB."
    )


def _ratio(value: float, by: float) -> str:
    text = f"{value / by:.2f}"
    return f"**{text}**" if value > by else text


def _megapixels(row: dict) -> float:
    return row["width"] * row["height"] / 1e6
