"""`crop_images`: crops a DataFrame of images and returns a DataFrame of results."""

import collections
import dataclasses
import functools
import itertools
import logging
import os
import pathlib
import shutil
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import BinaryType, StringType, StructType

from facecrop import options
from facecrop.scratch import Scratch
from facecrop.worker import Answer, Request, Settings, Worker, check, request_or_fault
from facecrop_spark import naming, schema
from facecrop_spark.progress import Progress

_log = logging.getLogger("facecrop_spark")


def crop_images(
    df: DataFrame,
    *,
    output: str | None = None,
    path: str = "path",
    content: str | None = None,
    name: str | None = None,
    base: str | None = None,
    keep: Iterable[str] | None = None,
    facecrop: str | None = None,
    jobs: int | None = None,
    memory: str | None = "1GiB",
    timeout: float | None = None,
    answer_timeout: float | None = None,
    attempts: int = 4,
    fail_fast: bool = False,
    scratch_dir: str | None = None,
    progress: Progress | None = None,
    **wanted: options.Option,
) -> DataFrame:
    """Returns one row for each row of `df`: the columns of `keep`, and those of `RESULT_SCHEMA`.

    An image that fails is a row with the reason; it is never an exception or a lost row. Each task
    starts one worker process with its first row.

    Args:
        df: Images with the column `path`, of text, or of bytes for names that are not UTF-8.
        output: The folder for the outputs, under the same path on every executor. None returns them in
            `outputs.content`, through a temporary folder.
        path: The column with the images' names: local files (also `file:`), unless there is `content`. Relative paths
            start at the driver's current folder.
        content: The column with the files' bytes, such as `content` of Spark's `binaryFile` source.
        name: The column with the outputs' names below `output`. They must differ.
        base: Names outputs by the inputs' paths below this folder, like `facecrop batch --base`. By default the SHA-256
            of the whole path names them; see `naming.output_name`.
        keep: The columns of `df` to keep. By default all except `content`.
        facecrop: The command, on every executor; by default that of the wheel `facecrop`, or the one on PATH.
        jobs: Images that a worker processes at a time; by default as many as the task has processors.
        memory: Upper bound of a worker, besides the JVM's memory; an executor runs one worker for each concurrent task.
        timeout: Seconds for an image; by default facecrop's 30.
        answer_timeout: Seconds without a response after which a worker is ended; by default those of `facecrop.batch`.
        attempts: Number of times in a row that the worker may end without any response.
        fail_fast: Fails the job at the first image that fails.
        scratch_dir: The folder for temporary folders on every executor; by default Spark's local folder.
        progress: Counts the results.
        **wanted: Options of `facecrop batch`, with underscores: `preset="avatar", size=[512, 128], quality=85`.

    Raises:
        ValueError: Columns, names or options are invalid; nothing has run yet. Options are only checked if the driver
            has the command too; otherwise an invalid one fails the job with its message.
    """
    types = {field.name: field.dataType for field in df.schema.fields}
    for parameter, column, allowed in (
        ("path", path, (StringType, BinaryType)),
        ("content", content, (BinaryType,)),
        ("name", name, (StringType,)),
    ):
        if column is not None and not isinstance(types.get(column), allowed):
            raise ValueError(f"{parameter} names {column!r}, which is missing or has the wrong type (columns: {types})")
    if output is not None and naming.scheme(output) != "file":
        raise ValueError(f"facecrop cannot write to output {output} (omit output to get a column)")
    if output is None and (name is not None or base is not None):
        raise ValueError("name and base need a folder for the outputs (pass output)")
    if name is not None and base is not None:
        raise ValueError("name and base cannot be combined")
    if wanted.get("faces") == "each" and output is None:
        raise ValueError("faces='each' needs a folder for the outputs (pass output)")

    kept = [field.name for field in df.schema.fields if field.name != content] if keep is None else list(keep)
    twice = sorted(set(kept) & set(schema.RESULT_SCHEMA.names))
    if twice or not set(kept) <= set(types):
        raise ValueError(f"columns {twice or kept} are missing or named like results (rename them)")
    format_ = wanted.get("format")
    task = _Task(
        settings=Settings(
            facecrop=facecrop,
            arguments=options.arguments(wanted),
            jobs=1 if jobs is None else jobs,
            memory=memory,
            timeout=timeout,
            answer_timeout=answer_timeout,
            attempts=attempts,
        ),
        jobs_of_task=jobs is None,
        folder=os.getcwd(),
        output=None if output is None else os.path.abspath(naming.local_path(output)),
        path=path,
        content=content,
        name=name,
        base=base,
        format=format_ if isinstance(format_, str) else None,
        animation=wanted.get("animation"),
        kept=tuple(kept),
        fail_fast=fail_fast,
        scratch_dir=scratch_dir,
        counts=None if progress is None else progress.counts,
    )
    check(task.settings)
    used = list(dict.fromkeys([*kept, *(column for column in (path, content, name) if column is not None)]))
    result = StructType([*(df.schema[column] for column in kept), *schema.RESULT_SCHEMA.fields])
    return df.select(*(f"`{column.replace('`', '``')}`" for column in used)).mapInArrow(task, result)


# Rows that are returned together, unless their contents are larger.
_ROWS = 256
_BYTES = 32 << 20
_ARROW = to_arrow_schema(schema.RESULT_SCHEMA)


class _Batch:
    """An Arrow batch in progress, and its finished rows that were not returned yet."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        self.input = batch
        self._length: int = batch.num_rows
        self._rows: dict[int, dict[str, Any]] = {}
        self._taken = 0
        self._ready = 0
        self._bytes = 0

    @property
    def is_over(self) -> bool:
        return self._taken == self._length

    def settle(self, index: int, row: dict[str, Any]) -> None:
        self._rows[index] = row
        self._bytes += sum(len(output.get("content") or b"") for output in row["outputs"] or [])
        while self._ready in self._rows:
            self._ready += 1

    def take(self) -> tuple[pa.RecordBatch, list[dict[str, Any]]] | None:
        """Returns finished rows from the first on, with their part of the input, once there are enough."""
        count = self._ready - self._taken
        if not count or (self._ready < self._length and count < _ROWS and self._bytes < _BYTES):
            return None
        part = self.input.slice(self._taken, count)
        rows = [self._rows.pop(index) for index in range(self._taken, self._ready)]
        self._taken, self._bytes = self._ready, 0
        return part, rows


@dataclasses.dataclass(frozen=True)
class _Record:
    """A row of the input."""

    batch: _Batch
    index: int
    # A folder on the local disk, for inputs and outputs that are no files elsewhere.
    folder: pathlib.Path


@dataclasses.dataclass(frozen=True)
class _Task:
    """The work of an executor, run once for each partition."""

    settings: Settings
    jobs_of_task: bool
    # The driver's folder, at which relative paths start.
    folder: str
    output: str | None
    path: str
    content: str | None
    name: str | None
    base: str | None
    format: str | None
    animation: object
    kept: tuple[str, ...]
    fail_fast: bool
    scratch_dir: str | None
    counts: Mapping[str, Any] | None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        settings = self.settings
        context = TaskContext.get()
        if self.jobs_of_task and context:
            settings = dataclasses.replace(settings, jobs=context.cpus())
        parent = self.scratch_dir or os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or None
        open_: collections.deque[_Batch] = collections.deque()
        with Scratch(parent) as folder, Worker(settings) as worker:
            for answer in worker.answers(self._requests(batches, open_, folder)):
                record: _Record = answer.request.key
                self._settle(record, self._row(record, answer))
                yield from self._finished(open_)
        for warning in worker.warnings:
            _log.warning("worker: %s", warning)
        self._count("restarts", worker.restarts)

    def _requests(
        self, batches: Iterator[pa.RecordBatch], open_: collections.deque[_Batch], folder: pathlib.Path
    ) -> Iterator[Request | Answer]:
        numbers = itertools.count()
        for input_ in batches:
            batch = _Batch(input_)
            open_.append(batch)
            for index in range(input_.num_rows):
                record = _Record(batch, index, folder / str(next(numbers)))
                yield request_or_fault(record, functools.partial(self._request, record))

    def _request(self, record: _Record) -> Request:
        path = self._value(record, self.path)
        if path is None:
            raise naming.NameFault("the path is null")
        text = os.fsdecode(path) if isinstance(path, bytes) else str(path)
        content = None if self.content is None else record.batch.input.column(self.content)[record.index]
        if content is not None and not content.is_valid:
            raise naming.NameFault("the content is null")
        if self.name is not None:
            below = naming.checked(self._value(record, self.name))
        else:
            below = naming.output_name(text, self.base, self.format, self.animation, self._suffix(text, content))
        if self.output is None:
            record.folder.mkdir()
            # The name determines the format.
            output = str(record.folder / f"crop{pathlib.PurePosixPath(below).suffix}")
        else:
            output = os.path.join(self.output, below)
            os.makedirs(os.path.dirname(output), exist_ok=True)
        if content is None:
            return Request(record, naming.local_path(text), output).resolved(self.folder)
        record.folder.mkdir(exist_ok=True)
        copy = record.folder / "input"
        copy.write_bytes(content.as_buffer())
        return Request(record, str(copy), output)

    def _suffix(self, name: str, content: pa.BinaryScalar | None) -> str | None:
        """Returns the extension that counts for the format, or None if a format is given."""
        if self.format is not None:
            return None
        if content is not None:
            return naming.suffix_by_content(name, content.as_buffer()[:12].to_pybytes())
        path = os.path.join(self.folder, naming.local_path(name))
        return naming.suffix_by_content(name, naming.first_bytes(path))

    def _value(self, record: _Record, column: str) -> Any:
        return record.batch.input.column(column)[record.index].as_py()

    def _row(self, record: _Record, answer: Answer) -> dict[str, Any]:
        row = schema.row(answer.members, answer.attempts)
        if self.output is None:
            try:
                for output in row["outputs"] or []:
                    file = pathlib.Path(output["file"])
                    output |= {"file": file.name, "content": file.read_bytes()}
            except OSError as error:
                reason = {"kind": "output", "message": f"no output was written: {error}"}
                row = schema.row({"status": "failed", "reason": reason}, answer.attempts)
        if self.output is None or self.content is not None:
            shutil.rmtree(record.folder, ignore_errors=True)
        return row

    def _settle(self, record: _Record, row: dict[str, Any]) -> None:
        record.batch.settle(record.index, row)
        self._count("pictures", 1)
        self._count(row["status"], 1)
        if self.fail_fast and row["status"] == "failed":
            raise RuntimeError(f"facecrop: {self._value(record, self.path)}: {row['reason']['message']}")

    def _finished(self, open_: collections.deque[_Batch]) -> Iterator[pa.RecordBatch]:
        """Yields batches in the order of the input, whose columns are returned unchanged."""
        while open_:
            if taken := open_[0].take():
                part, rows = taken
                results = pa.RecordBatch.from_pylist(rows, schema=_ARROW)
                columns = [*(part.column(name) for name in self.kept), *results.columns]
                yield pa.RecordBatch.from_arrays(columns, names=[*self.kept, *_ARROW.names])
            if not open_[0].is_over:
                return
            open_.popleft()

    def _count(self, name: str, number: int) -> None:
        if self.counts is not None and name in self.counts and number:
            self.counts[name].add(number)
