"""`make spark-demo`: draws images, and crops them on Spark's `local[2]` with the submitted script."""

import pathlib
import shutil
import sys

from facecrop_spark import submit
from samples import pictures
from samples.spark_session import start_spark


def main(facecrop: pathlib.Path, folder: pathlib.Path) -> None:
    """Makes everything in a folder, which is replaced."""
    shutil.rmtree(folder, ignore_errors=True)
    drawn = folder / "pictures"
    pictures.draw(drawn, 40, sides=(300, 500))
    pictures.poison(drawn / "poison", 8)
    # The script takes this session.
    start_spark("facecrop demo")
    folders = [f"--output={folder / 'avatars'}", f"--results={folder / 'results.parquet'}"]
    wanted = ["--option=preset=avatar", "--option=size=128", "--option=no-face=skip", "--per-task=10"]
    submit.main([str(drawn), f"--base={drawn}", f"--facecrop={facecrop.resolve()}", *folders, *wanted])


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
