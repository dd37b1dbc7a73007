"""`crop_images` on `local[2]`."""

import hashlib
import os
import pathlib
import shutil
import subprocess
from typing import Any

import pyspark
import pytest
from PIL import Image
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import ArrayType, StructType

from facecrop_spark import RESULT_SCHEMA, Progress, crop_images, submit
from facecrop_spark.schema import MEMBERS
from samples import pictures
from samples.fixtures import command_batch, fate
from samples.spark_session import frame, written

PORTRAIT = str(pictures.PORTRAIT)
TEXT = str(pictures.REPOSITORY / "Tests/Fixtures/README.md")


@pytest.fixture
def paths(spark: SparkSession) -> DataFrame:
    rows = [(3, PORTRAIT), (1, f"file:{PORTRAIT}"), (4, TEXT), (1, "/nowhere.jpg"), (5, "s3a://a/b.jpg"), (9, None)]
    return spark.createDataFrame(rows, "number int, path string").coalesce(1)


def test_paths_in_files_out(paths: DataFrame, facecrop: str, tmp_path: pathlib.Path) -> None:
    rows = crop_images(paths, output=str(tmp_path), facecrop=facecrop, preset="avatar", size=[128, 64]).collect()
    assert [row.number for row in rows] == [3, 1, 4, 1, 5, 9]
    failures = [("failed", kind) for kind in ("unsupported", "unreadable", "name", "name")]
    assert [fate(row) for row in rows] == [("cropped", None), ("cropped", None), *failures]
    first = rows[0]
    assert [output.width for output in first.outputs] == [128, 64]
    for row in rows[:2]:
        for output in row.outputs:
            assert output.content is None
            assert hashlib.sha256(pathlib.Path(output.file).read_bytes()).hexdigest() == output.sha256
    # Two names of one image have an output each.
    assert len(list(tmp_path.rglob("*.jpg"))) == 4
    assert first.width == first.height == 512
    assert len(first.faces) == 1
    assert len(first.faces[0].landmarks) == 5
    assert 0 < first.regions[0].width < 1
    assert first.milliseconds.detect > 0
    assert (first.attempts, rows[4].attempts) == (1, 0)


def test_content_in_content_out(spark: SparkSession, facecrop: str, tmp_path: pathlib.Path) -> None:
    folder = str(pathlib.Path(PORTRAIT).parent)
    df = spark.read.format("binaryFile").option("pathGlobFilter", "astronaut.*").load(folder)
    rows = crop_images(df, content="content", facecrop=facecrop, size=64, format="webp", scratch_dir=str(tmp_path))
    assert rows.columns == ["path", "modificationTime", "length", *RESULT_SCHEMA.names]
    (row,) = rows.collect()
    (output,) = row.outputs
    assert row.path == f"file:{PORTRAIT}"
    assert hashlib.sha256(output.content).hexdigest() == output.sha256
    assert output.content[8:12] == b"WEBP"
    assert output.file == "crop.webp"
    assert list(tmp_path.iterdir()) == []


def test_the_format_is_that_of_the_content(spark: SparkSession, facecrop: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "in").mkdir()
    file = tmp_path / "in/a.jpg"
    Image.new("RGBA", (64, 64), (200, 90, 10, 128)).save(file, "PNG")
    options = {"facecrop": facecrop, "size": 16, "no_face": "center"}
    df = spark.createDataFrame([(str(file), file.read_bytes())], "path string, data binary")
    (row,) = crop_images(df, content="data", **options).collect()
    assert row.outputs[0].file == "crop.png"
    crop_images(df.select("path"), output=str(tmp_path / "out"), base=str(tmp_path / "in"), **options).collect()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["a.png"]


def test_content_in_files_out(spark: SparkSession, facecrop: str, tmp_path: pathlib.Path) -> None:
    data = pathlib.Path(PORTRAIT).read_bytes()
    df = spark.createDataFrame(
        [("s3a://bucket/a.jpg", data, "x/a.png"), ("b", None, "b.jpg"), ("c", data, "../c.jpg"), ("d", b"", "d.jpg")],
        "path string, data binary, target string",
    )
    rows = crop_images(df, output=str(tmp_path), content="data", name="target", keep=["path"], facecrop=facecrop)
    assert [(row.path, *fate(row)) for row in rows.orderBy("path").collect()] == [
        ("b", "failed", "name"),
        ("c", "failed", "name"),
        ("d", "failed", "corrupt"),
        ("s3a://bucket/a.jpg", "cropped", None),
    ]
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")] == ["x/a.png"]


def test_the_outputs_are_those_of_a_batch(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    inputs = pictures.draw(tmp_path / "in", 40)
    expected = command_batch(tmp_path / "in", tmp_path / "batch", ["--preset=avatar", "--size=64"], inputs)
    options = {"base": str(tmp_path / "in"), "preset": "avatar", "size": 64}
    made = crop_images(frame(spark, inputs), output=str(tmp_path / "out"), **options)
    rows = written(made, tmp_path / "results.parquet")
    sums = {path: [output["sha256"] for output in entry["outputs"]] for path, entry in expected.items()}
    assert {row.path: [output.sha256 for output in row.outputs] for row in rows} == sums
    for path in inputs:
        below = path.relative_to(tmp_path / "in")
        assert (tmp_path / "out" / below).read_bytes() == (tmp_path / "batch" / below).read_bytes()


# Members that describe the run and its files' names as bytes. No row has them.
ONLY_IN_MANIFESTS = {"input", "location", "bytes", "modified", "options", "algorithm"}


def members(value: Any, name: str = "") -> set[str]:
    """Returns the names of all values in a manifest's entry, or of the columns in a row's type."""
    if isinstance(value, dict):
        return set().union(*(members(member, f"{name}.{key}") for key, member in value.items()))
    if isinstance(value, StructType):
        return set().union(*(members(field.dataType, f"{name}.{field.name}") for field in value.fields))
    if isinstance(value, list):
        return set().union(*(members(member, name) for member in value))
    return members(value.elementType, name) if isinstance(value, ArrayType) else {name}


def test_all_that_a_manifest_says_is_in_a_row(tmp_path: pathlib.Path) -> None:
    drawn = pictures.draw(tmp_path / "in", 40)
    inputs = [pathlib.Path(shutil.copy(file, tmp_path / "in")) for file in (PORTRAIT, TEXT)] + drawn
    named = set()
    # Aligned, and extending past the image; one input is no image.
    for number, options in enumerate((["--preset=avatar", "--align"], ["--preset=passport", "--pad=edge"])):
        entries = command_batch(tmp_path, tmp_path / str(number), options, inputs).values()
        named |= members([{k: v for k, v in entry.items() if k not in ONLY_IN_MANIFESTS} for entry in entries])
    assert {".faces.head.crown.place", ".crops.turn.rect.x", ".reason.kind"} <= named
    parts = (name.split(".") for name in members(RESULT_SCHEMA))
    columns = {".".join(["", MEMBERS.get(column, column), *inner]) for _, column, *inner in parts}
    assert named <= columns, "add these to schema.py"


def test_relative_paths_are_the_drivers(spark: SparkSession, tmp_path: pathlib.Path, monkeypatch: Any) -> None:
    """Checks that executors may have folders of their own."""
    pictures.copies(tmp_path / "in", "a.jpg", "b.jpg")
    monkeypatch.chdir(tmp_path)
    df = crop_images(frame(spark, ["in/a.jpg", "in/b.jpg"]), output="out", size=64)
    monkeypatch.chdir("/")
    rows = df.collect()
    assert [row.status for row in rows] == ["cropped", "cropped"], rows
    assert all(row.outputs[0].file.startswith(f"{tmp_path}/out/") for row in rows)


def test_what_cannot_be_meant_is_said_at_once(paths: DataFrame, facecrop: str) -> None:
    for words, arguments in (
        ("path names 'nowhere'", {"path": "nowhere"}),
        ("path names 'number'", {"path": "number"}),
        ("content names 'path'", {"content": "path"}),
        ("need a folder", {"name": "path"}),
        ("name and base", {"output": "/o", "name": "path", "base": "/"}),
        ("faces='each'", {"faces": "each"}),
        ("s3a", {"output": "s3a://bucket/out"}),
        ("nothing", {"keep": ["nothing"]}),
        ("jobs", {"jobs": 0, "output": "/o"}),
        ("attempts", {"attempts": 0, "output": "/o"}),
        ("report", {"output": "/o", "report": "x.html"}),
        ("quality", {"output": "/nowhere", "facecrop": facecrop, "quality": 700}),
    ):
        with pytest.raises(ValueError, match=words):
            crop_images(paths, **arguments)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="width"):
        crop_images(paths.withColumnRenamed("number", "width"), output="/o")


def test_a_missing_command_fails_the_job(spark: SparkSession, paths: DataFrame) -> None:
    # No worker is started without rows.
    assert crop_images(frame(spark, []), output="/nowhere", facecrop="/nowhere/facecrop").collect() == []
    with pytest.raises(PythonException, match="cannot be started"):
        crop_images(paths, output="/tmp", facecrop="/nowhere/facecrop").collect()


def test_pictures_that_end_a_process_are_named(spark: Any, poisoned_command: str, tmp_path: pathlib.Path) -> None:
    inputs = pictures.copies(tmp_path, "a.jpg", "crash.jpg", "b.jpg", "hang.jpg", "c.jpg")
    df = frame(spark, inputs).coalesce(1)
    rows = crop_images(df, output=str(tmp_path / "out"), facecrop=poisoned_command, timeout=3).collect()
    sound, crashed, late = ("cropped", None), ("failed", "crashed"), ("failed", "limit")
    assert [fate(row) for row in rows] == [sound, crashed, sound, late, sound]
    assert {row.attempts for row in rows} == {1}


def test_fail_fast(paths: DataFrame, facecrop: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(PythonException, match=r"facecrop: \S*README\.md: "):
        crop_images(paths.where("number = 4"), output=str(tmp_path), facecrop=facecrop, fail_fast=True).collect()


def test_progress_counts(paths: DataFrame, tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    with Progress(paths.sparkSession, total=6, seconds=0.05) as progress:
        crop_images(paths, output=str(tmp_path), progress=progress).collect()
        assert {name: count.value for name, count in progress.counts.items()} == {
            "pictures": 6, "cropped": 2, "no-face": 0, "failed": 4, "restarts": 0,
        }  # fmt: skip
    said = capfd.readouterr().err
    assert "; tasks: " in said
    assert said.rstrip().splitlines()[-1].startswith("facecrop: 6 of 6 pictures, ")


def test_rows_come_in_the_order_of_the_input(spark: SparkSession, facecrop: str, tmp_path: pathlib.Path) -> None:
    (picture,) = pictures.draw(tmp_path, 1)
    df = spark.range(600, numPartitions=1).selectExpr("id", f"'{picture}' AS path", "id || '.jpg' AS to")
    rows = crop_images(df, output=str(tmp_path / "o"), name="to", keep=["id"], facecrop=facecrop, detector="haar")
    assert [row.id for row in rows.collect()] == list(range(600))


def test_the_submitted_script(spark: SparkSession, tmp_path: pathlib.Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(type(spark), "stop", lambda self: None)  # Other tests need it.
    pictures.draw(tmp_path / "in", 6)
    (tmp_path / "in/bad.png").write_text("no picture")
    common = [str(tmp_path / "in"), "-o", "preset=avatar", "-o", "size=64,32", "-o", "upscale"]
    files = [*common, "-d", str(tmp_path / "out"), "--base", str(tmp_path / "in"), "--results", str(tmp_path / "a")]
    assert submit.main(files) == 0
    said = capsys.readouterr().out
    assert "6  cropped" in said
    assert "1  failed (unsupported)" in said
    assert len(list((tmp_path / "out").rglob("*.jpg"))) == 12
    assert submit.main([*common, "--content", "--results", str(tmp_path / "b")]) == 0
    rows = {name: spark.read.parquet(str(tmp_path / name)).orderBy("path").collect() for name in ("a", "b")}
    sums = {name: [[o.sha256 for o in row.outputs or []] for row in found] for name, found in rows.items()}
    assert sums["a"] == sums["b"]
    assert len(sums["a"]) == 7


def test_spark_submit(facecrop: str, tmp_path: pathlib.Path) -> None:
    # Like a cluster whose Python lacks the packages, which --py-files brings.
    packages = [
        shutil.make_archive(str(tmp_path / name), "zip", pictures.REPOSITORY / "Integrations" / name / "src")
        for name in ("python", "spark")
    ]
    pictures.draw(tmp_path / "in", 4)
    submit_command = pathlib.Path(pyspark.__file__).parent / "bin/spark-submit"
    arguments = ["--facecrop", facecrop, "-d", tmp_path / "out", "--results", tmp_path / "rows", "-o", "preset=avatar"]
    options = ["--master=local[2]", "--conf=spark.ui.enabled=false", f"--py-files={','.join(packages)}"]
    script = pictures.REPOSITORY / "Integrations/spark/crop.py"
    run = subprocess.run(
        [submit_command, *options, script, tmp_path / "in", *arguments],
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "4  cropped" in run.stdout
    # spark-submit redirects its Python's standard error to standard output.
    said = [line for line in run.stdout.splitlines() if line.startswith("facecrop: ")]
    assert said[-1].startswith("facecrop: 4 of 4 pictures, "), said
    assert len(list((tmp_path / "out").rglob("*.jpg"))) == 4
