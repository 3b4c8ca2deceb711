"""The blocking session."""

from __future__ import annotations

import functools
import inspect
import logging
import threading
import uuid
import weakref
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from ._errors import Denied, Unavailable
from ._guard import Exchange, Guard, Unanswered
from ._http import Answer, Request, Transport
from ._json import JsonObject, JsonValue
from ._loop import Message, ToolCall, Turn
from ._model import ABSENT, Call, EndReason, Outcome, Report, Step, Verdict, Via
from ._opening import DEFAULT_BEAT_SECONDS, Settings, create_guard, describe_failure, find_daemon
from ._tools import (
    PendingFeedback,
    bind_call,
    bind_to,
    describe_exit,
    render,
    require_finished,
    require_plain,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

logger = logging.getLogger("signalbox")
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def session(prompt: str, *, agent: str, **settings: Unpack[Settings]) -> Session:
    """Opens a session of the prompt `ns/key`. Leaving its `with` block ends it.

    Raises Unavailable when the daemon is away or refuses, and TypeError or ValueError for a setting that cannot be sent."""
    return Session(create_guard(prompt, agent, settings), settings)


class Session:
    """One run of an agent. Threads may share it."""

    def __init__(self, guard: Guard, settings: Settings) -> None:
        self._guard = guard
        try:
            self._transport = Transport(find_daemon(settings))
        except OSError as error:
            raise Unavailable(f"The session cannot be opened, because {error}.") from None
        self._pending = PendingFeedback()
        self._ended = threading.Event()
        self._run(guard.open(is_local=self._transport.address.path is not None))
        seconds = settings.get("beat_every", DEFAULT_BEAT_SECONDS)
        if seconds > 0:
            beating = [weakref.ref(self), self._ended, seconds]
            threading.Thread(target=_beat_until_ended, args=beating, daemon=True).start()

    @property
    def id(self) -> str:
        return self._guard.id

    @property
    def url(self) -> str | None:
        """Page of the session in the console; None: there is no control plane."""
        return self._guard.url

    @property
    def config(self) -> JsonObject | None:
        """Version, digest and environment of the rules in force; None: the startup policy applies."""
        return self._guard.config

    @property
    def startup_policy(self) -> JsonValue:
        return self._guard.startup_policy

    def check(
        self,
        tool: str,
        args: Mapping[str, object],
        *,
        call_id: str | None = None,
        native_tool: str | None = None,
        agent_path: str | None = None,
    ) -> Call:
        """Asks whether the call may run, and waits for a reviewer where a rule asks for one. Raises Denied.

        `call_id` must be new in the session: the same id with the same arguments gets the same answer. None: one is made."""
        return self._run(
            self._guard.check(
                tool, args, call_id=call_id, native_tool=native_tool, agent_path=agent_path
            )
        )

    def report(
        self,
        call: Call,
        outcome: Outcome = "success",
        *,
        output: object = ABSENT,
        error: BaseException | str | None = None,
    ) -> Report:
        """Reports how the call ended. Raises Denied when the result must not reach the agent, because it was not inspected."""
        return self._run(self._guard.report(call, outcome, output=output, error=error))

    def tool(
        self,
        function: Callable[Parameters, Result],
        *,
        name: str | None = None,
        returns_denials: bool = False,
    ) -> Callable[Parameters, Result | JsonValue]:
        """Decorates a function: asks first, runs it, reports, and appends feedback to its result.

        Calling it raises Denied; with `returns_denials` it returns the reason as its result, for frameworks that end the run at an
        exception."""
        require_plain(function, is_async=False)
        tool, signature = name or function.__name__, inspect.signature(function)

        @functools.wraps(function)
        def guarded(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result | JsonValue:
            try:
                asked = bind_call(signature, args, kwargs)
                call = self.check(tool, asked.named)
                bound = asked.apply(call)
                work = functools.partial(function, *bound.args, **bound.kwargs)
                return self._perform(call, work)
            except Denied as denied:
                if returns_denials:
                    return self._pending.append_to(denied.reason)
                raise

        return guarded

    def run(
        self, tool: str, function: Callable[..., Result] | None, args: Mapping[str, object]
    ) -> Result | JsonValue:
        """Runs the function as this tool, as `tool` does. None, and arguments that the function does not take, are reported as invalid and
        raise TypeError."""
        call = self.check(tool, args)
        try:
            work = bind_to(tool, function, call.args)
        except TypeError as error:
            self._pending.keep(self.report(call, "invalid", error=error).feedback)
            raise
        return self._perform(call, work)

    def stop(
        self,
        *,
        via: Via = "turn_end",
        output: object = ABSENT,
        last_message: str | None = None,
        stop_reason: str | None = None,
        attempt_id: str | None = None,
    ) -> Verdict:
        """Asks whether the agent may stop. Never raises: without an answer the first stop is blocked and the next one passes."""
        return self._run(
            self._guard.stop(
                via=via,
                output=output,
                last_message=last_message,
                stop_reason=stop_reason,
                attempt_id=attempt_id,
            )
        )

    def plan(self, steps: Sequence[Step]) -> None:
        """Replaces the agent's plan. Raises Unavailable when it was not recorded."""
        self._run(self._guard.plan(steps))

    def usage(
        self,
        evaluation_id: str,
        *,
        input_tokens: int,
        output_tokens: int,
        total_tokens: int | None = None,
    ) -> None:
        """Counts tokens. Another report with the same id replaces the first one; different ids add up."""
        self._run(
            self._guard.usage(
                evaluation_id,
                input_tokens=input_tokens,
                output_tokens=output_tokens,
                total_tokens=total_tokens,
            )
        )

    def note(self, text: str) -> None:
        self._run(self._guard.note(text))

    def beat(self) -> None:
        """Reports that the agent works. A thread does so every `beat_every` seconds."""
        self._run(self._guard.beat())

    def state(self) -> JsonObject:
        """Plan, prerequisites, and what a stop would meet now. Its verdict is "unknown" if it depends on files, a model or custom code.

        Raises Unavailable."""
        return self._run(self._guard.state())

    def end(
        self,
        reason: EndReason = "completed",
        *,
        output: object = ABSENT,
        error: BaseException | str | None = None,
    ) -> None:
        """Ends the session once; later calls have no effect. Raises VerificationFailed."""
        if self._ended.is_set():
            return
        self._ended.set()
        try:
            self._run(self._guard.end(reason, output=output, error=error))
        finally:
            self._transport.close()

    def guarded_loop(
        self,
        model: Callable[[Sequence[Message]], Turn],
        tools: Mapping[str, Callable[..., object]],
        messages: list[Message],
    ) -> Turn:
        """Runs an agent: asks the model, runs its calls one after the other, and continues while a stop is blocked. Returns the last turn.

        Appends to `messages`. The model reads denials, errors and feedback as results of its calls."""
        while True:
            turn = model(messages)
            if turn.input_tokens is not None or turn.output_tokens is not None:
                self.usage(
                    str(uuid.uuid4()),
                    input_tokens=turn.input_tokens or 0,
                    output_tokens=turn.output_tokens or 0,
                )
            messages.append(Message("assistant", turn.text, turn.calls))
            for call in turn.calls:
                messages.append(Message("tool", self._answer(call, tools), call_id=call.id))
            if turn.calls:
                continue
            verdict = self.stop(
                via="turn_end" if turn.output is ABSENT else "structured_output",
                output=turn.output,
                last_message=turn.text or None,
                stop_reason=turn.stop_reason,
            )
            if verdict.allowed:
                return turn
            messages.append(Message("user", verdict.message))

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end(describe_exit(error), error=error)

    def _perform(self, call: Call, work: Callable[[], Result]) -> Result | JsonValue:
        try:
            result = work()
            require_finished(call.tool, result)
        except BaseException as error:
            failed: Report | None = None
            try:
                failed = self.report(call, "failure", error=error)
                self._pending.keep(failed.feedback)
            except Denied as gone:
                if isinstance(error, Exception):
                    # Its text would reach the model.
                    raise gone from error
                logger.warning("%s", gone)
            if failed and failed.output is not ABSENT and isinstance(error, Exception):
                # A content rule replaced the error's text.
                raise Denied(render(failed.output)) from None
            raise
        return self._pending.compose(result, self.report(call, output=result))

    def _answer(self, call: ToolCall, tools: Mapping[str, Callable[..., object]]) -> str:
        try:
            # The model's own id may come again in a later turn, so the guard gets another one.
            result = self.run(call.tool, tools.get(call.tool), call.args)
            return result if isinstance(result, str) else render(result)
        except Exception as error:
            return self._pending.append_to(str(error) or type(error).__name__)

    def _run(self, exchange: Exchange[Result]) -> Result:
        try:
            request = next(exchange)
            while True:
                request = exchange.send(self._send(request))
        except StopIteration as end:
            result: Result = end.value
            return result

    def _send(self, request: Request) -> Answer | Unanswered:
        try:
            return self._transport.send(request)
        except OSError as error:
            return describe_failure(self._transport.address, request.timeout, error)


def _beat_until_ended(
    session: weakref.ref[Session], ended: threading.Event, seconds: float
) -> None:
    """Also stops when the program has dropped the session without an end."""
    while not ended.wait(seconds):
        working = session()
        if working is None:
            return
        working.beat()
        del working
