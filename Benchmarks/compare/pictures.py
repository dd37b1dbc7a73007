"""Provides the inputs: images that `bench` makes from the portrait in the repository, or the user's own."""

import dataclasses
import pathlib
import subprocess

from PIL import Image

FOLDER = pathlib.Path(".build/bench-pictures")


@dataclasses.dataclass(frozen=True)
class Picture:
    path: pathlib.Path
    width: int
    height: int

    @property
    def megapixels(self) -> float:
        return self.width * self.height / 1e6

    @property
    def bytes(self) -> int:
        return self.path.stat().st_size


def portrait(bench: str) -> Picture:
    """Makes the baseline image of 12 MP that all ratios use."""
    subprocess.run([bench, "--generate"], check=True)
    return Picture(FOLDER / "12-MP-baseline.jpg", 4_000, 3_000)


def batch(bench: str) -> list[pathlib.Path]:
    """Makes 200 images of 12 MP, 20 of them different."""
    subprocess.run([bench, "--generate", "--batch"], check=True)
    return sorted((FOLDER / "batch").glob("*.jpg"))


def drawn(bench: str, width: int, height: int, faces: int = 1) -> Picture:
    """Makes an image of any size with one or two faces, once."""
    path = FOLDER / f"{width}x{height}-{faces}.jpg"
    if not path.exists():
        subprocess.run([bench, "--draw", str(path), f"{width}x{height}", "--faces", str(faces)], check=True)
    return Picture(path, width, height)


def own(folder: str | None) -> list[Picture]:
    """Lists the JPEG files in the user's folder."""
    if not folder:
        return []
    found = []
    for path in sorted(pathlib.Path(folder).resolve().glob("*")):
        if path.suffix.lower() in {".jpg", ".jpeg"}:
            try:
                with Image.open(path) as header:
                    found.append(Picture(path, *header.size))
            except OSError as error:
                raise SystemExit(f"compare: {path} cannot be read ({error}); take it out of the folder") from error
    if not found:
        raise SystemExit(f"compare: there is no JPEG file in {folder}; name another folder in PICTURES")
    return found
