"""The session for asyncio: the same methods as the blocking one, to be awaited."""

from __future__ import annotations

import asyncio
import functools
import inspect
import logging
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from ._errors import Denied, Unavailable
from ._guard import Exchange, Guard, Unanswered
from ._http import Answer, AsyncTransport, Request
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


def async_session(prompt: str, *, agent: str, **settings: Unpack[Settings]) -> AsyncSession:
    """Session of the prompt `ns/key` for `async with`, which opens and ends it.

    Raises TypeError or ValueError for a setting that cannot be sent; entering raises Unavailable when the daemon is away or refuses."""
    return AsyncSession(create_guard(prompt, agent, settings), settings)


class AsyncSession:
    """One run of an agent in one event loop. Tasks may share it."""

    def __init__(self, guard: Guard, settings: Settings) -> None:
        self._guard = guard
        try:
            self._transport = AsyncTransport(find_daemon(settings))
        except OSError as error:
            raise Unavailable(f"The session cannot be opened, because {error}.") from None
        self._pending = PendingFeedback()
        self._beat_seconds = settings.get("beat_every", DEFAULT_BEAT_SECONDS)
        self._beating: asyncio.Task[None] | None = None
        self._has_ended = False

    @property
    def id(self) -> str:
        return self._guard.id

    @property
    def url(self) -> str | None:
        """Page of the session in the console; None: there is no control plane."""
        return self._guard.url

    @property
    def config(self) -> JsonObject | None:
        """Version, digest and environment of the rules in force; None: there are none, and every call is denied."""
        return self._guard.config

    @property
    def startup_policy(self) -> JsonValue:
        return self._guard.startup_policy

    async def check(
        self,
        tool: str,
        args: Mapping[str, object],
        *,
        call_id: str | None = None,
        native_tool: str | None = None,
        agent_path: str | None = None,
    ) -> Call:
        return await self._run(
            self._guard.check(
                tool, args, call_id=call_id, native_tool=native_tool, agent_path=agent_path
            )
        )

    async def report(
        self,
        call: Call,
        outcome: Outcome = "success",
        *,
        output: object = ABSENT,
        error: BaseException | str | None = None,
    ) -> Report:
        return await self._run(self._guard.report(call, outcome, output=output, error=error))

    def tool(
        self,
        function: Callable[Parameters, Awaitable[Result]],
        *,
        name: str | None = None,
        returns_denials: bool = False,
    ) -> Callable[Parameters, Coroutine[None, None, Result | JsonValue]]:
        require_plain(function, is_async=True)
        tool, signature = name or function.__name__, inspect.signature(function)

        @functools.wraps(function)
        async def guarded(
            *args: Parameters.args, **kwargs: Parameters.kwargs
        ) -> Result | JsonValue:
            try:
                asked = bind_call(signature, args, kwargs)
                call = await self.check(tool, asked.named)
                bound = asked.apply(call)
                work = functools.partial(function, *bound.args, **bound.kwargs)
                return await self._perform(call, work)
            except Denied as denied:
                if returns_denials:
                    return self._pending.append_to(denied.reason)
                raise

        return guarded

    async def run(
        self,
        tool: str,
        function: Callable[..., Awaitable[Result]] | None,
        args: Mapping[str, object],
    ) -> Result | JsonValue:
        call = await self.check(tool, args)
        try:
            work = bind_to(tool, function, call.args)
        except TypeError as error:
            self._pending.keep((await self.report(call, "invalid", error=error)).feedback)
            raise
        return await self._perform(call, work)

    async def stop(
        self,
        *,
        via: Via = "turn_end",
        output: object = ABSENT,
        last_message: str | None = None,
        stop_reason: str | None = None,
        attempt_id: str | None = None,
    ) -> Verdict:
        return await self._run(
            self._guard.stop(
                via=via,
                output=output,
                last_message=last_message,
                stop_reason=stop_reason,
                attempt_id=attempt_id,
            )
        )

    async def plan(self, steps: Sequence[Step]) -> None:
        await self._run(self._guard.plan(steps))

    async def usage(
        self,
        evaluation_id: str,
        *,
        input_tokens: int,
        output_tokens: int,
        total_tokens: int | None = None,
    ) -> None:
        await self._run(
            self._guard.usage(
                evaluation_id,
                input_tokens=input_tokens,
                output_tokens=output_tokens,
                total_tokens=total_tokens,
            )
        )

    async def note(self, text: str) -> None:
        await self._run(self._guard.note(text))

    async def beat(self) -> None:
        await self._run(self._guard.beat())

    async def state(self) -> JsonObject:
        return await self._run(self._guard.state())

    async def end(
        self,
        reason: EndReason = "completed",
        *,
        output: object = ABSENT,
        error: BaseException | str | None = None,
    ) -> None:
        if self._has_ended:
            return
        self._has_ended = True
        if self._beating is not None:
            self._beating.cancel()
        try:
            await self._run(self._guard.end(reason, output=output, error=error))
        finally:
            self._transport.close()

    async def guarded_loop(
        self,
        model: Callable[[Sequence[Message]], Awaitable[Turn]],
        tools: Mapping[str, Callable[..., Awaitable[object]]],
        messages: list[Message],
    ) -> Turn:
        while True:
            turn = await model(messages)
            if turn.input_tokens is not None or turn.output_tokens is not None:
                await self.usage(
                    str(uuid.uuid4()),
                    input_tokens=turn.input_tokens or 0,
                    output_tokens=turn.output_tokens or 0,
                )
            messages.append(Message("assistant", turn.text, turn.calls))
            for call in turn.calls:
                messages.append(Message("tool", await self._answer(call, tools), call_id=call.id))
            if turn.calls:
                continue
            verdict = await self.stop(
                via="turn_end" if turn.output is ABSENT else "structured_output",
                output=turn.output,
                last_message=turn.text or None,
                stop_reason=turn.stop_reason,
            )
            if verdict.allowed:
                return turn
            messages.append(Message("user", verdict.message))

    async def __aenter__(self) -> AsyncSession:
        await self._run(self._guard.open(is_local=self._transport.address.path is not None))
        if self._beat_seconds > 0:
            self._beating = asyncio.create_task(self._beat_until_cancelled())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.end(describe_exit(error), error=error)

    async def _perform(
        self, call: Call, work: Callable[[], Awaitable[Result]]
    ) -> Result | JsonValue:
        try:
            result = await work()
            require_finished(call.tool, result)
        except BaseException as error:
            failed: Report | None = None
            try:
                failed = await self.report(call, "failure", error=error)
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
        return self._pending.compose(result, await self.report(call, output=result))

    async def _answer(
        self, call: ToolCall, tools: Mapping[str, Callable[..., Awaitable[object]]]
    ) -> str:
        try:
            # See Session._answer.
            result = await self.run(call.tool, tools.get(call.tool), call.args)
            return result if isinstance(result, str) else render(result)
        except Exception as error:
            return self._pending.append_to(str(error) or type(error).__name__)

    async def _beat_until_cancelled(self) -> None:
        while True:
            await asyncio.sleep(self._beat_seconds)
            await self.beat()

    async def _run(self, exchange: Exchange[Result]) -> Result:
        try:
            request = next(exchange)
            while True:
                request = exchange.send(await self._send(request))
        except StopIteration as end:
            result: Result = end.value
            return result

    async def _send(self, request: Request) -> Answer | Unanswered:
        try:
            return await self._transport.send(request)
        except OSError as error:
            return describe_failure(self._transport.address, request.timeout, error)
