"""The system calls that a unit's lines of SystemCallFilter allow, by systemd.exec(5) and the sets of systemd-analyze."""

import re
import subprocess

# What systemd itself needs to start the command; it allows these too.
ALWAYS = "@default"


def values(unit: str, name: str) -> list[str]:
    """Returns the values of a unit's lines with a name, in order."""
    return re.findall(rf"^{name}=(.*)$", unit, re.MULTILINE)


def calls_of(name: str, system: str) -> set[str]:
    """Returns the system calls of a name, which may be a set of sets, in the system of a folder."""
    if not name.startswith("@"):
        return {name}
    command = [*([] if system == "/" else ["chroot", system]), "systemd-analyze", "syscall-filter", name]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[1:]
    words = {line.strip() for line in lines if not line.strip().startswith("#")} - {""}
    return set().union(*(calls_of(word, system) for word in words))


def allowed(unit: str, system: str = "/") -> set[str]:
    """Returns the system calls that a unit allows. Its first line of them is a list of those; later ones change it."""
    filters = values(unit, "SystemCallFilter")
    if not filters or filters[0].startswith("~"):
        raise SystemExit("syscalls: the unit's first SystemCallFilter is no list of what is allowed")
    found = calls_of(ALWAYS, system)
    for line in filters:
        calls = set().union(*(calls_of(name, system) for name in line.lstrip("~").split()))
        found = found - calls if line.startswith("~") else found | calls
    return found
