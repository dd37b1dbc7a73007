"""Names and rows."""

import pyarrow as pa
import pytest

from facecrop_spark import naming, schema
from facecrop_spark.crop import _Batch


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("/a/b c.jpg", "/a/b c.jpg"),
        ("file:/a/b%20c.jpg", "/a/b%20c.jpg"),
        ("file:///a/b.jpg", "/a/b.jpg"),
        ("a/b:c.jpg", "a/b:c.jpg"),
    ],
)
def test_local_paths(name: str, path: str) -> None:
    assert naming.local_path(name) == path
    with pytest.raises(naming.NameFault, match="s3a"):
        naming.local_path(f"s3a://bucket/{path}")


def test_names_come_from_the_input_alone() -> None:
    name = naming.output_name("/photos/a/me.jpeg", None, None)
    assert name == naming.output_name("/photos/a/me.jpeg", None, None)
    assert name != naming.output_name("/photos/b/me.jpeg", None, None)
    # SHA-256 of the name, from sha256sum.
    assert name == "dc/me-dc28a95209349d47.jpeg"
    assert naming.output_name("s3a://bucket/x y.heic", None, None).endswith(".jpg")
    assert naming.output_name("/a/b.jpg", None, "webp").endswith(".webp")
    assert naming.output_name("/a/b.gif", None, None).endswith(".jpg")
    assert naming.output_name("/a/b.gif", None, None, "keep").endswith(".gif")
    assert len(naming.output_name("/" + "n" * 300 + ".jpg", None, None).split("/")[1]) < 140
    assert not naming.output_name("/a/.hidden.jpg", None, None).split("/")[1].startswith(".")
    assert naming.output_name("/a/\udcff.jpg", None, None).isascii()


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/in/a/b.png", "a/b.png"),
        ("file:/in/b.HEIC", "b.jpg"),
        ("/in/a/../c.jpg", "c.jpg"),
        ("/in/b.tar.jpg", "b.tar.jpg"),
    ],
)
def test_names_below_a_base(path: str, name: str) -> None:
    assert naming.output_name(path, "/in", None) == name


def test_names_that_leave_a_folder() -> None:
    for path in ("/out/a.jpg", "/in/../a.jpg", "/in", "/inner/a.jpg"):
        with pytest.raises(naming.NameFault):
            naming.output_name(path, "/in", None)
    for name in ("", "/a.jpg", "../a.jpg", "a/../../b.jpg", ".", "a\0.jpg"):
        with pytest.raises(naming.NameFault):
            naming.checked(name)


def test_rows_have_every_column() -> None:
    row = schema.row({"status": "cropped", "peakMemory": 5, "possibleFace": {"x": 0}, "id": 1, "input": "a"}, 2)
    assert list(row) == schema.RESULT_SCHEMA.names
    assert (row["peak_memory"], row["possible_face"], row["attempts"], row["faces"]) == (5, {"x": 0}, 2, None)


def test_a_batch_is_handed_on_in_parts() -> None:
    batch = _Batch(pa.RecordBatch.from_pydict({"number": list(range(600))}))
    done = {"outputs": [{"content": b"x"}]}
    for index in range(1, 300):
        batch.settle(index, done)
    assert batch.take() is None  # The first is missing.
    batch.settle(0, done)
    part, rows = batch.take() or pytest.fail("nothing was taken")
    assert part.column("number").to_pylist() == list(range(300))
    assert len(rows) == 300
    assert batch.take() is None  # Too few.
    batch.settle(300, {"outputs": [{"content": b"x" * (32 << 20)}]})
    part, _ = batch.take() or pytest.fail("nothing was taken")
    assert part.column("number").to_pylist() == [300]
    for index in range(301, 600):
        batch.settle(index, {"outputs": None})
    assert not batch.is_over
    assert batch.take()
    assert batch.is_over
