"""Converts thumbor URLs for facecrop-server: removes unsupported parts, signs the rest, and names each loss.

    python3 thumbor.py [--key KEY] < URLS > NEW 2> LOSSES

Each line of URLS has a URL or its path. Without a key, new URLs begin with /unsafe/. A line that is no thumbor URL
becomes an empty line, and so does one whose signature is not by the key. The status is 1 if anything was lost.
"""

import argparse
import base64
import hmac
import re
import sys
from collections.abc import Callable

URL = re.compile(r"(?P<host>https?://[^/]+)?/(?P<signature>unsafe|[\w-]{27}=?)/(?P<rest>.+)")
# The parts in front of the image's name, in thumbor's order.
PARTS = re.compile(
    r"(?P<debug>debug/)?(?P<meta>meta/)?(?P<trim>trim(:[^/]*)?/)?(?P<crop>\d+x\d+:\d+x\d+/)?"
    r"(?P<fit>(adaptive-)?(full-)?fit-in/)?(?P<size>(-?\d*|orig)x(-?\d*|orig)/)?"
    r"(?P<horizontal>(left|center|right)/)?(?P<vertical>(top|middle|bottom)/)?(?P<smart>smart/)?"
    r"(filters:(?P<filters>.+?\))/)?(?P<image>.+)"
)
FILTER = re.compile(r"([a-z_]+)\((.*?)\)(?=:|$)")
FILTERS = {"quality", "upscale", "no_upscale", "strip_exif", "strip_icc"}
FORMATS = {"jpeg", "jpg", "png", "webp", "avif"}


def converted(path: str, lose: Callable[[str], None]) -> str:
    """Returns the path behind the signature without unsupported parts, which are passed to `lose`."""
    part = {name: text or "" for name, text in PARTS.fullmatch(path).groupdict().items()}
    for name in ("debug", "trim"):
        if part[name]:
            lose(part[name].rstrip("/"))
    if part["crop"] and part["smart"]:
        lose("smart beside a manual crop")
        part["smart"] = ""
    if "-" in part["size"]:
        lose(f"the flip in {part['size'].rstrip('/')}")
    if "orig" in part["size"]:
        lose(f"orig in {part['size'].rstrip('/')}")
    size = re.sub("-|orig", "", part["size"])
    filters = []
    for name, value in FILTER.findall(part["filters"]):
        if name in FILTERS or (name == "format" and value in FORMATS):
            filters.append(f"{name}({value})")
        else:
            lose(f"{name}({value})")
    kept = part["meta"] + part["crop"] + part["fit"] + size + part["horizontal"] + part["vertical"] + part["smart"]
    return kept + (f"filters:{':'.join(filters)}/" if filters else "") + part["image"]


def signature(path: str, key: str | None) -> str:
    """Returns the signature of the path behind it."""
    if not key:
        return "unsafe"
    return base64.urlsafe_b64encode(hmac.new(key.encode(), path.encode(), "sha1").digest()).decode()


def main() -> int:
    parser = argparse.ArgumentParser(description="Converts thumbor URLs for facecrop-server.")
    parser.add_argument("--key", help="thumbor's SECURITY_KEY, and the server's thumbor-key")
    key = parser.parse_args().key
    count = 0

    for number, line in enumerate(sys.stdin, 1):

        def lose(part: str, number: int = number) -> None:
            nonlocal count
            count += 1
            print(f"line {number}: {part} is lost", file=sys.stderr)

        url = URL.fullmatch(line.strip())
        if url is None:
            lose("a line that is no thumbor URL")
            print()
            continue
        # A new signature would make a forged URL valid.
        own, wanted = (text.rstrip("=").encode() for text in (url["signature"], signature(url["rest"], key)))
        if key and own != b"unsafe" and not hmac.compare_digest(own, wanted):
            lose("a URL whose signature does not match --key")
            print()
            continue
        path = converted(url["rest"], lose)
        print(f"{url['host'] or ''}/{signature(path, key)}/{path}")
    return 1 if count else 0


sys.exit(main())
