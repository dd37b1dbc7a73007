"""Checks that each record appears once, with the same result as from one process, although workers are killed."""

import contextlib
import os
import pathlib
import random
from collections.abc import Iterator
from typing import Any

from pyspark.sql import SparkSession

from facecrop_spark import Progress, crop_images
from samples import pictures
from samples.fixtures import command_batch, killing
from samples.spark_session import frame, written

RECORDS = int(os.environ.get("RECORDS", "20000"))
# Small, so that 20,000 take only minutes, and with cascades, which are fast on small images.
OPTIONS: dict[str, Any] = {"preset": "avatar", "size": 48, "detector": "haar", "no_face": "skip", "timeout": 5}
# A run could read a folder's files, but a worker cannot; so they use different reasons.
A_FOLDER = {"kind": "unreadable", "message": "the input is a folder, not a regular file"}


def workers(command: str) -> Iterator[int]:
    """Yields the processes of a command."""
    for folder in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit() and (folder / "cmdline").read_bytes().split(b"\0")[0] == os.fsencode(command):
                yield int(folder.name)


def hostile(base: pathlib.Path, count: int) -> dict[str, set[str]]:
    """Makes images that crash or hang their reader, and their possible reasons. One that hangs may be killed each time
    before its timeout."""
    made = {}
    for number in range(count):
        kind = "hang" if number % 5 == 4 else "crash"
        (path,) = pictures.copies(base, f"hostile-{number}/{kind}.jpg")
        made[str(path)] = {"limit", "crashed"} if kind == "hang" else {"crashed"}
    return made


def essence(entry: dict[str, Any]) -> tuple[object, ...]:
    """Returns the fields that a row and a manifest's entry must share."""
    reason = entry.get("reason")
    if reason and reason["kind"] == "folder":
        reason = A_FOLDER
    return (
        entry["status"],
        reason and (reason["kind"], reason["message"]),
        [(output["sha256"], output["bytes"], output["width"]) for output in entry.get("outputs") or []],
        known(entry.get("faces") or []),
        entry.get("regions") or [],
    )


def known(value: Any) -> Any:
    """Returns a value without null members, which a row has but a manifest does not."""
    if isinstance(value, dict):
        return {name: known(member) for name, member in value.items() if member is not None}
    return [known(member) for member in value] if isinstance(value, list) else value


def test_killed_at_random_all_rows_are_those_of_one_process(
    spark: SparkSession, poisoned_command: str, tmp_path: pathlib.Path
) -> None:
    base = tmp_path / "in"
    # One in a hundred is bad, and a tenth of these would end a single process.
    damaged = pictures.poison(base / "poison", max(RECORDS // 110, 1))
    deadly = hostile(base, max(RECORDS // 1000, 2))
    sound = pictures.draw(base, RECORDS - len(damaged) - len(deadly))
    options = ["--preset=avatar", "--size=48", "--detector=haar", "--no-face=skip", "--jobs=2"]
    expected = command_batch(base, tmp_path / "alone", options, sound + damaged)
    alone = {path: essence(entry) for path, entry in expected.items()}

    inputs = [str(path) for path in sound + damaged] + list(deadly)
    random.Random(3).shuffle(inputs)
    assert len(inputs) == RECORDS
    df = frame(spark, inputs).repartition(8)
    own = str(tmp_path / "facecrop-of-this-test")
    kills = restarts = 0
    # A random kill may hit no worker, so it repeats until one was restarted.
    while kills == 0 or restarts == 0:
        run = tmp_path / f"run-{kills}-{restarts}-{random.random()}"
        with Progress(spark, RECORDS, seconds=15) as progress, killing(lambda: workers(own), (0.5, 2.5)) as killed:
            results = crop_images(
                df, output=str(run / "out"), progress=progress, facecrop=poisoned_command, base=str(base), **OPTIONS
            )
            rows = [row.asDict(recursive=True) for row in written(results, run / "results.parquet")]
        restarted = progress.counts["restarts"].value
        print(f"{len(rows)} rows; {len(killed)} processes killed, {restarted} workers restarted")
        # Each input has one row, equal to an undisturbed run's.
        assert len(rows) == RECORDS
        by_path = {row["path"]: essence(row) for row in rows}
        assert set(by_path) == set(inputs)
        wrong = {path: (by_path[path], entry) for path, entry in alone.items() if by_path[path] != entry}
        assert not wrong, f"{len(wrong)} differ, as {next(iter(wrong.items()))}"
        # Only bad files fail.
        failed = {row["path"]: row["reason"]["kind"] for row in rows if row["status"] == "failed"}
        assert set(failed) == {str(path) for path in damaged} | set(deadly)
        assert not {path: failed[path] for path in deadly if failed[path] not in deadly[path]}
        # Every output exists with the bytes of its row, which are the other run's.
        made = [pathlib.Path(one["file"]) for row in rows for one in row["outputs"] or []]
        for path in made:
            assert path.read_bytes() == (tmp_path / "alone" / path.relative_to(run / "out")).read_bytes()
        assert sorted(made) == sorted(path for path in (run / "out").rglob("*") if path.is_file())
        kills += len(killed)
        restarts += restarted
