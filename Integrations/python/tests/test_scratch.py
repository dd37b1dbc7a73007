"""Temporary folders."""

import concurrent.futures
import multiprocessing
import os
import pathlib
import signal

import pytest

from facecrop.scratch import Scratch
from samples.fixtures import run_python


def test_scratch_is_removed_and_what_was_left_too(tmp_path: pathlib.Path) -> None:
    with Scratch(str(tmp_path)) as one, Scratch(str(tmp_path)) as two:
        (one / "file").touch()
        assert one != two
        assert one.exists()  # Still locked, so it is kept.
    assert list(tmp_path.iterdir()) == []

    script = (
        "import os, signal\nfrom facecrop.scratch import Scratch\n"
        f"with Scratch({str(tmp_path)!r}): os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert run_python(script, check=False).returncode == -signal.SIGKILL
    left = list(tmp_path.iterdir())
    assert len(left) == 1
    with Scratch(str(tmp_path)) as folder:
        assert os.listdir(tmp_path) == [folder.name]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_of_a_pool_leave_nothing(tmp_path: pathlib.Path, method: str) -> None:
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        assert all(pool.map(_keep_one, [str(tmp_path)] * 4))
    assert list(tmp_path.iterdir()) == []


_kept: list[Scratch] = []


def _keep_one(parent: str) -> bool:
    _kept.append(Scratch(parent))
    return _kept[-1].folder.exists()


def test_who_was_forked_leaves_it_to_its_owner(tmp_path: pathlib.Path) -> None:
    with Scratch(str(tmp_path)) as folder:
        child = os.fork()
        if child == 0:
            with Scratch(str(tmp_path)):
                pass
            os._exit(0 if folder.exists() else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert folder.exists()


def test_folders_that_are_not_ours_stay(tmp_path: pathlib.Path) -> None:
    """A folder of photos may have our prefix, a file with our lock's name, and even a copy of our lock."""
    with Scratch(str(tmp_path)) as folder:
        lock = next(folder.iterdir())
        album = tmp_path / "album"
        album.mkdir(mode=0o700)
        (album / "photo.jpg").touch()
        (album / lock.name).write_bytes(lock.read_bytes())
        (album / lock.name).chmod(0o600)
        (tmp_path / "facecrop-link").symlink_to(album)
        for name, mode, mark in [
            ("photos", 0o700, b""),
            ("old", 0o700, None),
            ("open", 0o755, lock.read_bytes()),
            ("more", 0o700, lock.read_bytes() + b"."),
        ]:
            other = tmp_path / f"facecrop-{name}"
            other.mkdir()
            (other / "photo.jpg").touch()
            (other / "lock").touch()
            if mark is not None:
                (other / lock.name).write_bytes(mark)
                (other / lock.name).chmod(0o600)
            other.chmod(mode)
        for name in ("linked", "pipe"):
            (tmp_path / f"facecrop-{name}").mkdir(mode=0o700)
            (tmp_path / f"facecrop-{name}" / "photo.jpg").touch()
        (tmp_path / "facecrop-linked" / lock.name).symlink_to(album / lock.name)
        os.mkfifo(tmp_path / "facecrop-pipe" / lock.name, 0o600)
        before = sorted(tmp_path.rglob("*"))
        with Scratch(str(tmp_path)):
            pass
        assert sorted(tmp_path.rglob("*")) == before
