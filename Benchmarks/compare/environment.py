"""Describes the environment of the figures, without names of machines and folders."""

import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import re
import subprocess


PYTHON_TOOLS = ("autocrop", "thumbor", "opencv-python-headless")


def environment(program: str, tools: bool = True) -> dict:
    """Returns the environment. `tools` are those that only `make compare` runs."""
    return {
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
        "processor": processor(),
        "processors": os.cpu_count(),
        # The load at the start.
        "load": round(os.getloadavg()[0], 2),
        "system": platform.freedesktop_os_release()["PRETTY_NAME"],
        "versions": {
            "facecrop": _first_line(program, "--version"),
            **({name: importlib.metadata.version(name) for name in PYTHON_TOOLS} if tools else {}),
            "Python": platform.python_version(),
            "vipsthumbnail": _debian("libvips-tools"),
            "djpeg": _debian("libjpeg-turbo-progs"),
            "hyperfine": _debian("hyperfine"),
            "GNU time": _debian("time"),
        },
    }


def processor() -> str:
    """Returns the name, with the instruction set that decides the speed of networks."""
    facts = pathlib.Path("/proc/cpuinfo").read_text()
    name = re.search(r"^model name\s*:\s*(.+)$", facts, re.MULTILINE)
    flags = re.search(r"^flags\s*:\s*(.+)$", facts, re.MULTILINE)
    sets = {"avx512_vnni": "AVX-512 VNNI", "avx512f": "AVX-512", "avx2": "AVX2"}
    best = [title for flag, title in sets.items() if flags and flag in flags[1].split()]
    return (name[1] if name else platform.machine()) + (f" with {best[0]}" if best else "")


def commit() -> str:
    """Returns the commit that is checked out, with "+" if a file of the program was changed since."""
    found = _first_line("git", "rev-parse", "--short=12", "HEAD")
    programs = ["Sources", "Server/Sources", "Package.swift", "models"]
    return found + ("+" if _first_line("git", "status", "--porcelain", "--", *programs) else "")


def _debian(package: str) -> str:
    """Returns a package's version, or nothing if it is not installed."""
    words = ["dpkg-query", "-W", "-f", "${Version}", package]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


def _first_line(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[0]


def package_facts() -> dict | None:
    """Returns sizes in bytes, and the start-up time of the Debian package and of /bin/true in seconds; None without a
    result of `make test-deb`."""
    facts = pathlib.Path(".build/deb/facts.json")
    return json.loads(facts.read_text()) if facts.exists() else None
