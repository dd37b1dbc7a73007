"""Crops a folder, a glob or a table of images on a cluster: `spark-submit … crop.py INPUT --results FOLDER …`."""

import argparse
import math
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from facecrop import naming
from facecrop_spark.crop import crop_images
from facecrop_spark.progress import Progress

# Spark's globs know capitals from small letters.
_PICTURES = "*.{" + ",".join([*naming.READ, *map(str.upper, naming.READ)]) + "}"


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    pairs = (word.lstrip("-").partition("=") for word in options.option)
    wanted: dict[str, Any] = {name.replace("-", "_"): value if equals else True for name, equals, value in pairs}
    spark = SparkSession.builder.appName("facecrop").config(map=_SETTINGS).getOrCreate()
    try:
        df, total = _pictures(spark, options)
        with Progress(spark, total) as progress:
            rows = crop_images(
                df,
                output=options.output,
                path=options.path_column,
                content="content" if options.content else None,
                base=options.base,
                facecrop=options.facecrop,
                memory=options.memory,
                timeout=options.timeout,
                progress=progress,
                **wanted,
            )
            rows.write.mode("overwrite" if options.overwrite else "errorifexists").parquet(options.results)
        _summarize(spark, options.results)
    finally:
        spark.stop()
    return 0


# Defaults that the user can override; with content, a batch of rows must fit into memory.
_SETTINGS = {
    "spark.sql.execution.arrow.maxBytesPerBatch": "64m",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
    # facecrop prints its own line.
    "spark.ui.showConsoleProgress": "false",
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="facecrop-spark", description=__doc__)
    parser.add_argument(
        "input", help="a folder (and all below), a glob, or a table in Parquet (its name ends in .parquet)"
    )
    parser.add_argument("--results", required=True, metavar="FOLDER", help="gets the results, Parquet, a row an input")
    parser.add_argument("-d", "--output", metavar="FOLDER", help="for the pictures; else the results have them")
    parser.add_argument("--base", metavar="FOLDER", help="outputs are as far below --output as inputs are below this")
    parser.add_argument("--content", action="store_true", help="Spark reads the files, as from s3a: or hdfs:")
    parser.add_argument("--path-column", default="path", metavar="NAME", help="of the table (default: path)")
    parser.add_argument("--per-task", type=int, default=500, metavar="N", help="pictures for a task (default: 500)")
    parser.add_argument(
        "--facecrop", metavar="FILE", help="the command, on every executor (default: the wheel's, or PATH's)"
    )
    parser.add_argument("--memory", default="1GiB", help="of a worker, outside of the JVM's (default: 1GiB)")
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds for a picture (default: 30)")
    parser.add_argument("--overwrite", action="store_true", help="replace results that are there")
    parser.add_argument(
        "-o",
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="of facecrop batch, such as preset=avatar, size=512,128, upscale; as often as needed",
    )
    return parser


def _pictures(spark: SparkSession, options: argparse.Namespace) -> tuple[DataFrame, int | None]:
    if options.input.rstrip("/").endswith(".parquet"):
        df = spark.read.parquet(options.input)
        total = df.count()
        return (df if options.content else _spread(df, total, options)), total
    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").option("pathGlobFilter", _PICTURES)
    if options.content:
        # Spark packs partitions of files by size, so they are not moved again.
        return files.load(options.input), None
    # Only names and sizes, so that Spark reads no content yet.
    df = files.load(options.input).select("path", "length")
    total = df.count()
    return _spread(df, total, options), total


def _spread(df: DataFrame, total: int, options: argparse.Namespace) -> DataFrame:
    """Splits the rows into tasks: small enough to run again cheaply, and large enough to make up for a worker's start.
    Rows are spread at random, so that a folder of large images is not one task."""
    tasks = max(math.ceil(total / options.per_task), min(df.sparkSession.sparkContext.defaultParallelism, total), 1)
    return df.repartition(tasks, F.xxhash64(options.path_column))


def _summarize(spark: SparkSession, results: str) -> None:
    rows = spark.read.parquet(results)
    counts = rows.groupBy("status", "reason.kind").count().orderBy(F.desc("count"), "status", "kind").collect()
    for row in counts:
        print(f"{row['count']:>12,}  {row['status']}{f' ({row.kind})' if row['kind'] else ''}")
    print(f"results: {results}")
