"""JSON that reads the same on both sides. Arguments that JSON cannot express are refused: the guard would judge something else than what runs."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from typing import Union

JsonValue = Union[None, bool, int, float, str, "list[JsonValue]", "dict[str, JsonValue]"]
JsonObject = dict[str, JsonValue]

#: Larger integers lose digits in the daemon.
MAX_INTEGER = 2**53 - 1


def to_json(value: object) -> JsonValue:
    """Converts tuples to lists and paths to strings. Raises TypeError or ValueError for everything else that is not JSON."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise ValueError(f"the number {value} is too large for JSON")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"the number {value} is not JSON")
        return float(value)
    if isinstance(value, (list, tuple)):
        return [to_json(one) for one in value]
    if isinstance(value, Mapping):
        return to_json_object(value)
    if isinstance(value, os.PathLike):
        return to_json(os.fspath(value))
    raise TypeError(f"a value of type {type(value).__name__} is not JSON")


def to_json_object(value: Mapping[str, object]) -> JsonObject:
    """Raises as to_json does."""
    for key in value:
        if not isinstance(key, str):
            raise TypeError(f"the key {key!r} is not a string")
    return {key: to_json(one) for key, one in value.items()}


def to_recordable(value: object) -> JsonValue:
    """Like to_json, but with the text of what is not JSON: a result was produced already, whatever its type."""
    try:
        return to_json(value)
    except (TypeError, ValueError, RecursionError):
        pass
    try:
        return str(value)
    except Exception:
        # Its text cannot be computed either, such as that of a list nested beyond the recursion limit.
        return f"a value of type {type(value).__name__}"


def encode(value: JsonObject) -> bytes:
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")


def decode_object(data: bytes) -> JsonObject:
    """Raises ValueError when the bytes are not one JSON object."""
    try:
        value: object = json.loads(data)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("the JSON is not an object")
    return value
