"""Facts about the files of a workspace, for a daemon that cannot see them. A file that cannot be determined is unknown, and unknown denies."""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Literal

from ._json import JsonObject

#: The daemon hashes files up to this size, too; of larger ones only size and time are compared.
MAX_HASHED_BYTES = 4 * 1024 * 1024

UNKNOWN: JsonObject = {"exists": "unknown"}


@contextmanager
def prove_shared_root(root: str) -> Iterator[str | None]:
    """While it lasts, a file in the workspace shows the daemon that both see the same disk. None: it cannot be written, so the client answers
    for the files."""
    nonce = secrets.token_hex(32)
    file = os.path.join(root, f".signalbox-{nonce}")
    try:
        with open(file, "x", encoding="ascii") as opened:
            opened.write(nonce)
    except OSError:
        yield None
        return
    try:
        yield nonce
    finally:
        with suppress(OSError):
            os.unlink(file)


def look_up_file(root: str, relative_path: str) -> JsonObject:
    """`relative_path` is relative to the workspace, without `..`. Never raises."""
    try:
        path = _confine(root, relative_path)
        return UNKNOWN if path is None else _describe(path)
    except (OSError, ValueError):
        return UNKNOWN


def is_link(root: str, relative_path: str) -> bool | Literal["unknown"]:
    """Follows links in parent folders, not at the path itself. False: nothing exists there. Never raises."""
    try:
        if _is_outside(relative_path):
            return "unknown"
        return stat.S_ISLNK(os.lstat(os.path.join(root, relative_path)).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError):
        return "unknown"


def _is_outside(relative_path: str) -> bool:
    return os.path.isabs(relative_path) or ".." in relative_path.split("/")


def _confine(root: str, relative_path: str) -> str | None:
    """Path without links, even of a missing file. None: a link leads outside the folder, or to nothing."""
    if _is_outside(relative_path):
        return None
    real_root = os.path.realpath(root, strict=True)
    at, missing = os.path.join(real_root, relative_path), ""
    while True:
        try:
            real = os.path.realpath(at, strict=True)
            break
        except (FileNotFoundError, NotADirectoryError):
            if os.path.lexists(at):
                # Writing through the link would create its target.
                return None
            at, name = os.path.split(at.rstrip("/"))
            missing = os.path.join(name, missing)
    if os.path.commonpath([real, real_root]) != real_root:
        return None
    return os.path.join(real, missing).rstrip("/") or "/"


def _describe(path: str) -> JsonObject:
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return {"exists": False}
    if stat.S_ISDIR(found.st_mode):
        return {"exists": True, "kind": "directory"}
    if not stat.S_ISREG(found.st_mode):
        return UNKNOWN
    return {"exists": True, "kind": "file", "fingerprint": _fingerprint(path, found)}


def _fingerprint(path: str, found: os.stat_result) -> str:
    if found.st_size > MAX_HASHED_BYTES:
        return f"stat:{found.st_size}:{found.st_mtime_ns}"
    with open(path, "rb") as file:
        return f"sha256:{hashlib.sha256(file.read()).hexdigest()}"
