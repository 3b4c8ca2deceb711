"""Runs one test in the blocking session and in the one for asyncio."""

from __future__ import annotations

import asyncio
import inspect
import unittest
from collections.abc import Awaitable, Callable
from typing import Any

from scripted_daemon import Script, ScriptedDaemon

import signalbox


class Awaited:
    """A blocking session with the methods of the other one, so that a test is written once."""

    def __init__(self, session: signalbox.Session) -> None:
        self._session = session

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._session, name)
        if not callable(member):
            return member

        async def call(*args: Any, **kwargs: Any) -> Any:
            return await asyncio.to_thread(member, *args, **kwargs)

        return call

    def tool(
        self, function: Callable[..., Awaitable[Any]], **how: Any
    ) -> Callable[..., Awaitable[Any]]:
        """Guards an async function of the test as a blocking one."""

        def blocking(*args: Any, **kwargs: Any) -> Any:
            return asyncio.run(_completed(function, args, kwargs))

        blocking.__name__ = function.__name__
        blocking.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
        guarded = self._session.tool(blocking, **how)

        async def call(*args: Any, **kwargs: Any) -> Any:
            return await asyncio.to_thread(guarded, *args, **kwargs)

        return call


async def _completed(function: Callable[..., Awaitable[Any]], args: Any, kwargs: Any) -> Any:
    return await function(*args, **kwargs)


Case = Callable[[Any, ScriptedDaemon], Awaitable[None]]


class BothKinds(unittest.TestCase):
    def run_both(
        self, script: Callable[[], Script], case: Case, *, everywhere: bool = False, **settings: Any
    ) -> None:
        """`case` gets a session, and the daemon that follows a fresh script: the blocking session on a socket and the other one over TCP, or
        both in both ways."""
        ways = [("blocking", False), ("asyncio", True)]
        for kind, over_tcp in ways + (
            [("blocking", True), ("asyncio", False)] if everywhere else []
        ):
            with self.subTest(kind=kind, over_tcp=over_tcp):
                with ScriptedDaemon(script(), over_tcp=over_tcp) as daemon:
                    asyncio.run(_run_case(kind, case, daemon, settings))


async def _run_case(kind: str, case: Case, daemon: ScriptedDaemon, settings: Any) -> None:
    own = {"state_folder": daemon.state_folder, "address": daemon.address, **settings}
    if daemon.address.startswith("http"):
        own["token_file"] = daemon.write_file("token", "t" * 43 + "\n")
    if kind == "asyncio":
        async with signalbox.async_session("team/coder", agent="tester", **own) as session:
            await case(session, daemon)
    else:
        with signalbox.session("team/coder", agent="tester", **own) as session:
            await case(Awaited(session), daemon)
