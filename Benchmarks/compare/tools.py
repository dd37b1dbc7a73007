"""Defines the compared commands, each as a user would type it."""

import dataclasses
import os
import pathlib
import sys
from collections.abc import Callable

SIDE = 512

# The programs of the virtual environment that runs this.
VENV = pathlib.Path(sys.executable).parent


@dataclasses.dataclass(frozen=True)
class Tool:
    """A command that reads one image."""

    name: str
    # Its task, in the words of the table.
    does: str
    looks_for_faces: bool
    # Builds the command line from an image and an output.
    command: Callable[[str, str], list[str]]
    # Whether the output is an image.
    makes_output: bool = True
    # Options that make the command fail without a face, if it does not by itself.
    strict: tuple[str, ...] = ()

    def shown(self) -> str:
        """Returns the command line without this machine's folders."""
        words = self.command("IN.jpg", "OUT.jpg")
        return " ".join(
            pathlib.Path(word).name if word.startswith("/") and word != os.devnull else word for word in words
        )


def facecrop(program: str, *options: str, name: str, does: str) -> Tool:
    return Tool(
        name=name,
        does=does,
        looks_for_faces=True,
        command=lambda picture, output: [
            program, "avatar", "--size", str(SIDE), *options, picture, "-o", output,
        ],
        strict=("--no-face", "fail"),
    )  # fmt: skip


def all_tools(program: str) -> list[Tool]:
    """Returns all tools, facecrop first; the others' figures are relative to it."""
    return [
        facecrop(program, name="facecrop", does="an avatar, default detector (auto)"),
        facecrop(program, "--detector", "yunet", name="facecrop yunet", does="an avatar, YuNet"),
        facecrop(program, "--detector", "haar", name="facecrop haar", does="an avatar, Haar cascades"),
        Tool(
            name="autocrop",
            does="the largest face, YuNet at full size",
            looks_for_faces=True,
            command=lambda picture, output: [
                str(VENV / "autocrop"), "-w", str(SIDE), "-H", str(SIDE), "-o", output, picture,
            ],
        ),
        Tool(
            name="OpenCV in Python",
            does="the largest face, detectMultiScale (opencv_crop.py)",
            looks_for_faces=True,
            command=lambda picture, output: [
                str(VENV / "python"), str(pathlib.Path(__file__).with_name("opencv_crop.py")), picture, output,
            ],
        ),
        Tool(
            name="vipsthumbnail",
            does="the most salient square, without faces",
            looks_for_faces=False,
            command=lambda picture, output: [
                "vipsthumbnail", picture, "--size", f"{SIDE}x{SIDE}", "--smartcrop", "attention", "-o", output,
            ],
        ),
        Tool(
            name="djpeg",
            does="a full decode and nothing else",
            looks_for_faces=False,
            command=lambda picture, output: ["djpeg", "-outfile", os.devnull, picture],
            makes_output=False,
        ),
        Tool(
            name="djpeg 1/8 gray",
            does="a decode to gray at 1/8 and nothing else",
            looks_for_faces=False,
            command=lambda picture, output: [
                "djpeg", "-scale", "1/8", "-grayscale", "-outfile", os.devnull, picture,
            ],
            makes_output=False,
        ),
    ]  # fmt: skip
