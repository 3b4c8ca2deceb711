"""The transcripts of specs/transcripts: the client sends their requests, and understands their answers. Requests that it never sends, such as
malformed ones, are left to the tests of the daemon."""

from __future__ import annotations

import asyncio
import json
import logging
import unittest
from pathlib import Path
from typing import Any

from both_kinds import Awaited
from scripted_daemon import ScriptedDaemon

import signalbox
from signalbox import Denied, Unavailable

FILES = sorted((Path(__file__).parents[3] / "specs/transcripts").glob("*.json"))
SESSIONS = "/agent/v1/sessions"
CALLS = ("after-tool", "stop", "plan", "usage", "note", "beat", "end")


class Replay:
    """A daemon that gives the answers of a transcript, each once, to the requests that it has for them."""

    def __init__(self, exchanges: list[dict[str, Any]]) -> None:
        self.left = [
            one for one in ({"body": {}, **one} for one in exchanges) if is_sent_by_clients(one)
        ]
        self.unexpected: list[object] = []

    def answer(self, path: str, body: dict[str, object]) -> tuple[int, dict[str, object]]:
        for one in self.left:
            if find_call(one) == path and is_part(one["body"], body):
                self.left.remove(one)
                given = {
                    name: value
                    for name, value in one["answer"].items()
                    if "$absent" not in str(value)
                }
                return one["status"], {"session": "sess_1", **given}
        self.unexpected.append((path, body))
        return 500, {}


def find_call(exchange: dict[str, Any]) -> str | None:
    """Last part of the path; None: no call of a session. The opening and the state are empty."""
    path: str = exchange["path"]
    if path == SESSIONS:
        return "" if exchange["method"] == "POST" else None
    return (
        path.removeprefix(f"{SESSIONS}/{{session}}").removeprefix("/")
        if "{session}" in path
        else None
    )


def is_sent_by_clients(exchange: dict[str, Any]) -> bool:
    call, body = find_call(exchange), exchange["body"]
    if call is None or "text" in exchange:
        return False
    if call == "":
        is_whole = {"session_key", "agent", "capabilities"} <= body.keys()
        return exchange["method"] == "GET" or (
            is_whole and body.get("workspace_root") != "relative"
        )
    if call == "before-tool":
        return body["call_id"] != "" and isinstance(body["args"], dict)
    if call == "facts":
        return exchange["status"] == 200
    return call in CALLS and body.get("outcome") != "denied"


def is_part(wanted: object, given: object) -> bool:
    """Facts are compared by their ids, because the client looks at its own disk."""
    if isinstance(wanted, dict) and isinstance(given, dict):
        names = wanted.keys() - {"value", "unknown_field"}
        return all(name in given and is_part(wanted[name], given[name]) for name in names)
    if isinstance(wanted, list) and isinstance(given, list):
        return len(wanted) >= len(given) and all(map(is_part, wanted, given))
    return wanted == given


def read_opening(body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Prompt and settings."""
    names = ("session_key", "capabilities", "tags", "workspace_root")
    settings = {name: body[name] for name in names if name in body}
    if "budget" in body:
        settings["budget"] = signalbox.Budget(**body["budget"])
    agent = body["agent"]
    settings["agent"] = agent["name"]
    settings.update({"agent_version": agent["version"]} if "version" in agent else {})
    settings.update({"framework": agent["framework"]} if "framework" in agent else {})
    return body["prompt"], settings


class TranscriptTest(unittest.TestCase):
    def setUp(self) -> None:
        logging.disable(logging.WARNING)
        self.addCleanup(logging.disable, logging.NOTSET)

    def test_the_client_sends_the_requests_and_understands_the_answers(self) -> None:
        sent = 0
        for file in FILES:
            for kind in ("blocking", "asyncio"):
                with self.subTest(file=file.name, kind=kind):
                    exchanges = json.loads(file.read_text("utf-8"))["exchanges"]
                    sent += asyncio.run(self.replay(kind, Replay(exchanges)))
        # Most exchanges are requests of a client.
        self.assertGreater(sent, 80)

    async def replay(self, kind: str, replay: Replay) -> int:
        """Returns the number of requests that the client sent."""
        count = len(replay.left)
        with ScriptedDaemon(replay.answer) as daemon:
            # The first exchange opens it.
            session: Any = None
            for one in list(replay.left):
                if one not in replay.left:
                    continue
                if find_call(one) == "" and one["method"] == "POST":
                    session = await self.open(kind, daemon, one) or session
                else:
                    await self.call(session, one)
        self.assertEqual(replay.unexpected, [])
        # A session ends once, and its facts are given once.
        self.assertLessEqual({find_call(one) for one in replay.left}, {"end", "facts"})
        return count - len(replay.left)

    async def open(self, kind: str, daemon: ScriptedDaemon, one: dict[str, Any]) -> Any:
        prompt, settings = read_opening(one["body"])
        own = {"address": daemon.address, "state_folder": daemon.state_folder, **settings}
        try:
            if kind == "asyncio":
                return await signalbox.async_session(prompt, **own).__aenter__()
            return Awaited(signalbox.session(prompt, **own))
        except Unavailable as error:
            self.assertIn(f"status {one['status']}", str(error))
            return None

    async def call(self, session: Any, one: dict[str, Any]) -> None:
        body, status, answer = one["body"], one["status"], one["answer"]
        call = find_call(one)
        if call == "before-tool":
            await self.check(session, one)
        elif call == "after-tool":
            await self.report(session, one)
        elif call == "stop":
            verdict = await session.stop(**body)
            self.assertEqual(verdict.allowed, answer["decision"] == "allow")
            self.assertIn(answer.get("message", ""), verdict.message)
        elif call == "plan":
            await session.plan([signalbox.Step(**step) for step in body["steps"]])
        elif call == "usage":
            await session.usage(**body)
        elif call == "note":
            await session.note(body["text"])
        elif call == "beat":
            await session.beat()
        elif call == "end":
            error = body.get("error", {}).get("message")
            await session.end(
                body["reason"],
                error=error,
                **({"output": body["output"]} if "output" in body else {}),
            )
        elif status == 200:
            state = await session.state()
            self.assertEqual({name: state[name] for name in answer}, answer)
        else:
            with self.assertRaisesRegex(Unavailable, f"status {status}"):
                await session.state()

    async def check(self, session: Any, one: dict[str, Any]) -> None:
        body, status, answer = one["body"], one["status"], one["answer"]
        try:
            await session.check(**body)
        except Denied as denied:
            if status == 200:
                self.assertEqual(answer["decision"], "deny")
                self.assertIn(answer.get("reason", ""), denied.reason)
                self.assertEqual(
                    list(denied.rules), [rule["rule"] for rule in answer.get("rules", [])]
                )
            elif status != 202:
                self.assertIn(f"status {status}", denied.reason)
        else:
            self.assertTrue(status == 202 or answer["decision"] == "allow")

    async def report(self, session: Any, one: dict[str, Any]) -> None:
        body, status, answer = dict(one["body"]), one["status"], one["answer"]
        # The client measures the duration itself.
        took = body.pop("duration_ms", None)
        if took is not None:
            one["body"].pop("duration_ms")
        call = signalbox.Call(body.pop("call_id"), "run_tests", {})
        error = body.pop("error", None)
        if error is not None:
            body["error"] = type(error["kind"], (Exception,), {})(error["message"])
        try:
            report = await session.report(call, body.pop("outcome"), **body)
        except Denied as denied:
            self.assertIn(f"status {status}", denied.reason)
        else:
            self.assertEqual(report.feedback, answer.get("feedback", report.feedback))
