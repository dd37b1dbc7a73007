"""`make spark-demo`: draws images, crops them on Spark's `local[2]`, and prints the results."""

import argparse
import pathlib
import shutil

from facecrop_spark import Progress, crop_images
from samples import pictures
from samples.spark_session import frame, start_spark


def main() -> None:
    parser = argparse.ArgumentParser(prog="spark-demo", description=__doc__)
    parser.add_argument("--facecrop", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="for all that is made; replaced")
    parser.add_argument("--pictures", type=int, default=40)
    options = parser.parse_args()

    shutil.rmtree(options.folder, ignore_errors=True)
    inputs = pictures.draw(options.folder / "pictures", options.pictures, sides=(300, 500))
    inputs += pictures.poison(options.folder / "pictures/poison", 8)
    results = options.folder / "results.parquet"
    spark = start_spark("facecrop demo")
    df = frame(spark, inputs).repartition(4)
    with Progress(spark, total=len(inputs), seconds=1) as progress:
        crop_images(
            df,
            output=str(options.folder / "avatars"),
            base=str(options.folder / "pictures"),
            facecrop=str(options.facecrop.resolve()),
            progress=progress,
            preset="avatar",
            size=128,
            no_face="skip",
        ).write.parquet(str(results))

    rows = spark.read.parquet(str(results))
    rows.groupBy("status", "reason.kind").count().orderBy("status", "kind").show(truncate=False)
    rows.where("status = 'failed'").selectExpr(
        f"substring(path, {len(str(options.folder / 'pictures')) + 2}) AS picture", "reason.message"
    ).orderBy("picture").show(truncate=False)
    made = sum(1 for path in (options.folder / "avatars").rglob("*") if path.is_file())
    print(f"{rows.count()} pictures, a row each: {results}")
    print(f"{made} avatars: {options.folder / 'avatars'}")
    spark.stop()


if __name__ == "__main__":
    main()
