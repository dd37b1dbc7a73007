"""Draws the plot of a run, for light and for dark pages: each image is a point."""

import pathlib

import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter

from compare.plots import THEMES, settings


def draw(raw: dict, folder: pathlib.Path):
    """Writes cost-light.svg and cost-dark.svg."""
    for theme, colors in THEMES.items():
        with plt.rc_context(settings(colors)):
            figure, axes = plt.subplots(figsize=(8, 4.6), layout="constrained")
            megapixels = [row["width"] * row["height"] / 1e6 for row in raw["pictures"]]
            for key, label, color, size in (
                ("fullDecode", "full decode by the format's library", colors["others"], 9),
                ("avatarOfKnownFace", "avatar of a known face", colors["text"], 5),
                ("avatar", "avatar", colors["ours"], 9),
            ):
                times = [row[key] * 1e3 for row in raw["pictures"]]
                axes.scatter(megapixels, times, s=size, color=color, label=label, alpha=0.7, linewidths=0)
            axes.set_xscale("log")
            axes.set_yscale("log")
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axes.set_xlabel("megapixels")
            axes.set_ylabel("processor time, ms")
            axes.legend(frameon=False, loc="upper left", fontsize=9, markerscale=2)
            axes.grid(axis="y", linewidth=0.6)
            axes.set_axisbelow(True)
            axes.tick_params(length=0, which="both")
            axes.set_title("Cost of an avatar, warm, one point per image", loc="left", weight="bold", pad=14)
            figure.savefig(folder / f"cost-{theme}.svg", transparent=True, metadata={"Date": None})
            plt.close(figure)
