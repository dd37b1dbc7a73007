"""What is asked of facecrop, as arguments of its command line."""

from collections.abc import Mapping, Sequence

Option = bool | int | float | str | Sequence[int] | Sequence[float] | None

# Said by parameters of their own, or not for a worker at all.
RESERVED = frozenset(
    {"worker", "picture_process", "jobs", "memory", "timeout", "progress", "manifest", "resume", "no_resume"}
    | {"retry", "verify", "recursive", "from_list", "base", "name", "output_dir", "reject_dir", "dry_run"}
    | {"pairs", "plan_in", "plan_out", "report", "shard", "on_collision", "prune", "help", "version"}
)


def arguments(options: Mapping[str, Option]) -> tuple[str, ...]:
    """`preset="avatar", size=[512, 128], upscale=True` as `--preset=avatar --size=512,128 --upscale`.

    What facecrop makes of them only facecrop knows: a worker that is given others ends with status 64.
    """
    words: list[str] = []
    for name, value in sorted(options.items()):
        if name in RESERVED:
            raise ValueError(f"{name} is no option of a crop; a worker has its own, see crop_images")
        if not name.replace("_", "").isalpha() or not name.islower() or not name.isascii():
            raise ValueError(f"{name!r} is no option's name")
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        words.append(flag if value is True else f"{flag}={_text(name, value)}")
    return tuple(words)


def _text(name: str, value: Option) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Sequence) and value and all(_is_number(part) for part in value):
        return ",".join(repr(part) for part in value)
    raise ValueError(f"{name} is {value!r}, which is neither a number nor a text nor a list of numbers")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
