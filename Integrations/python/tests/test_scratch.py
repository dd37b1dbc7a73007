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

    def other(name: str, mode: int = 0o700, mark: bytes | None = None) -> pathlib.Path:
        made = tmp_path / name
        made.mkdir()
        (made / "photo.jpg").touch()
        (made / "lock").touch()
        if mark is not None:
            (made / lock.name).write_bytes(mark)
            (made / lock.name).chmod(0o600)
        made.chmod(mode)
        return made

    with Scratch(str(tmp_path)) as folder:
        lock = next(folder.iterdir())
        ours = lock.read_bytes()
        album = other("album", mark=ours)
        (tmp_path / "facecrop-link").symlink_to(album)
        other("facecrop-photos", mark=b"")
        other("facecrop-old")
        other("facecrop-open", 0o755, ours)
        other("facecrop-more", mark=ours + b".")
        (other("facecrop-linked") / lock.name).symlink_to(album / lock.name)
        os.mkfifo(other("facecrop-pipe") / lock.name, 0o600)
        before = sorted(tmp_path.rglob("*"))
        with Scratch(str(tmp_path)):
            pass
        assert sorted(tmp_path.rglob("*")) == before
