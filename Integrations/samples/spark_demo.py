"""`make spark-demo`: draws images, and crops them on Spark's `local[2]` with the submitted script."""

import argparse
import pathlib
import shutil

from facecrop_spark import submit
from samples import pictures
from samples.spark_session import start_spark


def main() -> None:
    parser = argparse.ArgumentParser(prog="spark-demo", description=__doc__)
    parser.add_argument("--facecrop", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="for all that is made; replaced")
    parser.add_argument("--pictures", type=int, default=40)
    options = parser.parse_args()

    shutil.rmtree(options.folder, ignore_errors=True)
    drawn = options.folder / "pictures"
    pictures.draw(drawn, options.pictures, sides=(300, 500))
    pictures.poison(drawn / "poison", 8)
    # The script takes this session.
    start_spark("facecrop demo")
    folders = [f"--output={options.folder / 'avatars'}", f"--results={options.folder / 'results.parquet'}"]
    wanted = ["--option=preset=avatar", "--option=size=128", "--option=no-face=skip", "--per-task=10"]
    submit.main([str(drawn), f"--base={drawn}", f"--facecrop={options.facecrop.resolve()}", *folders, *wanted])


if __name__ == "__main__":
    main()
