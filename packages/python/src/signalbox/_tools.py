"""Functions as tools: their arguments as the guard judges them, and their results as the agent reads them."""

from __future__ import annotations

import functools
import inspect
import json
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import TypeVar

from ._errors import Denied
from ._json import JsonObject, JsonValue, to_json_object, to_recordable
from ._model import ABSENT, Call, EndReason, Report

Result = TypeVar("Result")


@dataclass(frozen=True)
class BoundCall:
    """Arguments of one call of a Python function, by name."""

    bound: inspect.BoundArguments
    named: dict[str, object]

    def apply(self, call: Call) -> inspect.BoundArguments:
        """Replaces the arguments that a content rule masked; the others keep their types. Raises Denied when their names differ."""
        sent = to_json_object(self.named)
        if call.args.keys() != sent.keys():
            raise Denied(f"Tool '{call.tool}' was not run, because its arguments got other names.")
        for name, value in call.args.items():
            if value != sent[name]:
                self._replace(name, value)
        return self.bound

    def _replace(self, name: str, value: JsonValue) -> None:
        arguments, parameters = self.bound.arguments, self.bound.signature.parameters
        if name not in parameters:
            rest = next(one.name for one in parameters.values() if one.kind is one.VAR_KEYWORD)
            arguments[rest][name] = value
        elif parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            arguments[name] = tuple(value) if isinstance(value, list) else (value,)
        else:
            arguments[name] = value


def bind_call(
    signature: inspect.Signature, args: tuple[object, ...], kwargs: dict[str, object]
) -> BoundCall:
    """Raises TypeError when the function does not take these arguments, and Denied when they cannot be read."""
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    try:
        for name, value in bound.arguments.items():
            bound.arguments[name] = _resolve_paths(value)
    except RecursionError:
        reason = "The call was not run, because its arguments are nested too deeply."
        raise Denied(reason) from None
    named: dict[str, object] = {}
    for name, value in bound.arguments.items():
        if signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            if named.keys() & value.keys():
                # Only one of both could be judged.
                raise TypeError("two arguments have the same name")
            named.update(value)
        else:
            named[name] = value
    return BoundCall(bound, named)


def _resolve_paths(value: object) -> object:
    """Replaces path objects with strings, because they may return another path each time they are asked. Those of pathlib cannot."""
    if type(value) is list:
        return [_resolve_paths(one) for one in value]
    if type(value) is tuple:
        return tuple(_resolve_paths(one) for one in value)
    if type(value) is dict:
        return {key: _resolve_paths(one) for key, one in value.items()}
    if isinstance(value, os.PathLike) and not isinstance(value, PurePath):
        return os.fspath(value)
    return value


def bind_to(
    tool: str, function: Callable[..., Result] | None, args: JsonObject
) -> Callable[[], Result]:
    """Raises TypeError when there is no function, or it does not take these arguments."""
    if function is None:
        raise TypeError(f"There is no tool '{tool}'.")
    bound = inspect.signature(function).bind(**args)
    return functools.partial(function, *bound.args, **bound.kwargs)


def require_plain(function: Callable[..., object], *, is_async: bool) -> None:
    """Raises TypeError for a function whose body runs after its call returned: its result would be reported before it exists."""
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(f"{function!r} is a generator, which runs after its call returned")
    if inspect.iscoroutinefunction(function) != is_async:
        other = "signalbox.session" if is_async else "signalbox.async_session"
        raise TypeError(f"{function!r} needs {other}")


def require_finished(tool: str, result: object) -> None:
    """Raises TypeError, as require_plain does, for a function that only its result shows to run later."""
    if inspect.isawaitable(result) or inspect.isgenerator(result) or inspect.isasyncgen(result):
        raise TypeError(f"Tool '{tool}' returned before it ran: {result!r}")


class PendingFeedback:
    """Feedback about calls that raised. The agent reads it with the next text that it gets."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._texts: list[str] = []

    def keep(self, feedback: str | None) -> None:
        with self._lock:
            self._texts += [] if feedback is None else [feedback]

    def append_to(self, text: str) -> str:
        with self._lock:
            texts, self._texts = self._texts, []
        return "\n\n".join([text, *texts])

    def compose(self, result: Result, report: Report) -> Result | JsonValue:
        """The result as the agent reads it. One that is no text becomes JSON when feedback follows it."""
        self.keep(report.feedback)
        value = result if report.output is ABSENT else report.output
        if isinstance(value, str):
            return self.append_to(value)
        with self._lock:
            has_feedback = bool(self._texts)
        return self.append_to(render(value)) if has_feedback else value


def render(value: object) -> str:
    """JSON text of a result; of one that is not JSON, its own text."""
    readable = to_recordable(value)
    return readable if isinstance(readable, str) else json.dumps(readable, ensure_ascii=False)


def describe_exit(error: BaseException | None) -> EndReason:
    """An error that is no Exception, such as KeyboardInterrupt, aborts."""
    if error is None:
        return "completed"
    return "failed" if isinstance(error, Exception) else "aborted"
