"""The client against a real daemon: kills on both sides, and many calls at once."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any

from real_daemon import RealDaemon

import signalbox
from signalbox import Denied

#: Threads or tasks that call at once.
TOGETHER = 50
AGENT = """
import os, signal, sys, signalbox
address, workspace, step = sys.argv[1:]
s = signalbox.session("team/coder", agent="killed", address=address, workspace_root=workspace, session_key="one")
if step == "first":
    s.report(s.check("build", {}, call_id="b"))
    s.check("deploy", {}, call_id="open")
    print(s.id, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
s.check("deploy", {}, call_id="d")
print(s.id, flush=True)
s.end()
"""


def setUpModule() -> None:
    logging.getLogger("signalbox").setLevel(logging.CRITICAL)


def tearDownModule() -> None:
    logging.getLogger("signalbox").setLevel(logging.NOTSET)


def open_session(daemon: RealDaemon, **settings: Any) -> signalbox.Session:
    own = {"address": daemon.address, "workspace_root": daemon.workspace, "timeout": 30.0}
    own["state_folder"] = daemon.overridden
    return signalbox.session("team/coder", agent="tester", **{**own, **settings})


class KillTest(unittest.TestCase):
    def test_a_killed_daemon_denies_and_the_next_one_goes_on_with_the_session(self) -> None:
        with RealDaemon() as daemon, open_session(daemon) as s:
            with self.assertRaisesRegex(Denied, "Tool 'deploy' requires: build"):
                s.check("deploy", {})
            s.report(s.check("build", {}))
            open_call = s.check("deploy", {})
            daemon.kill()
            with self.assertRaisesRegex(Denied, "no Signalbox daemon listens"):
                s.check("deploy", {})
            daemon.start()
            # What was allowed before the kill is reported after it, and what succeeded still counts.
            s.report(open_call, output="deployed")
            s.report(s.check("deploy", {}))
            self.assertEqual(s.state()["session"], s.id)
            s.end()
            self.assertEqual(
                [one["reason"] for one in daemon.events("session.ended")], ["completed"]
            )

    def test_a_killed_agent_goes_on_with_its_session_under_the_same_key(self) -> None:
        with RealDaemon() as daemon:

            def run(step: str) -> subprocess.CompletedProcess[str]:
                words = [sys.executable, "-c", AGENT, daemon.address, str(daemon.workspace), step]
                return subprocess.run(words, stdout=subprocess.PIPE, text=True)

            first = run("first")
            self.assertEqual(first.returncode, -signal.SIGKILL)
            self.assertEqual(daemon.events("session.ended"), [])
            second = run("second")
            self.assertEqual((second.returncode, second.stdout), (0, first.stdout))
            outcomes = {one["call_id"]: one["outcome"] for one in daemon.events("tool.invoked")}
            self.assertEqual(outcomes["b"], "success")
            # Nobody knows how the call ended during which the agent was killed.
            self.assertNotEqual(outcomes.get("open"), "success")

    def test_a_stop_that_passed_unjudged_is_recorded_by_the_next_daemon(self) -> None:
        with RealDaemon() as daemon:
            s = open_session(daemon)
            self.assertEqual(s.stop().message, "Missing required files: done.txt")
            daemon.kill()
            first, second = s.stop(), s.stop()
            self.assertEqual((first.allowed, second.allowed), (False, True))
            self.assertEqual(len(os.listdir(daemon.overridden)), 1)
            daemon.start()
            self.assertEqual(os.listdir(daemon.overridden), [])
            (overridden,) = daemon.events("completion.overridden")
            self.assertIn("no Signalbox daemon listens", overridden["cause"])


class JudgedTest(unittest.TestCase):
    def test_no_details_of_a_stop_or_an_end_avoid_the_judgment(self) -> None:
        large = "x" * 9 * 1024 * 1024
        details: list[dict[str, Any]] = [{"stop_reason": ""}, {"output": {"\ud800": 10**5000}}]
        for text in (large, "\ud800", "\0", "\U0001f600" * 200_000):
            details.append({"output": text, "last_message": text, "stop_reason": text})
        for depth in (100, 300, 600, 5000):
            deep: list[object] = []
            for _ in range(depth):
                deep = [deep]
            details.append({"output": deep, "via": "structured_output"})
        with RealDaemon(rules={"final_verification": "error"}) as daemon:
            for one in details:
                s = open_session(daemon)
                for _ in range(2):
                    verdict = s.stop(**one)
                    self.assertEqual((verdict.allowed, verdict.unjudged), (False, None))
                s.end("aborted")
            with self.assertRaisesRegex(signalbox.VerificationFailed, "done.txt"):
                open_session(daemon).end(output=large)


class TcpTest(unittest.TestCase):
    def test_a_token_is_required_and_facts_come_from_the_client(self) -> None:
        with RealDaemon("--listen", "127.0.0.1:0") as daemon:
            with self.assertRaisesRegex(signalbox.Unavailable, "status 401"):
                open_session(daemon, address=daemon.url)
            Path(daemon.workspace, "old.txt").write_text("x")
            remote = {"address": daemon.url, "token_file": daemon.token_file}
            with open_session(daemon, **remote) as s:
                with self.assertRaisesRegex(Denied, "must be read before overwriting"):
                    s.check("write_file", {"path": "old.txt"})
                s.report(s.check("write_file", {"path": "new.txt"}))
                s.report(s.check("read_file", {"path": "old.txt"}))
                s.report(s.check("write_file", {"path": "old.txt"}))
                self.assertEqual(s.stop().remaining, ("done.txt",))
            # The files of a client that cannot see its workspace are unknown.
            gone = daemon.workspace / "gone"
            with open_session(daemon, workspace_root=gone, **remote) as s:
                with self.assertRaises(Denied) as caught:
                    s.check("write_file", {"path": "new.txt"})
                self.assertEqual(caught.exception.rules, ("read-first",))


class TlsTest(unittest.TestCase):
    def test_tls_is_verified_and_both_kinds_of_session_speak_it(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            cert, key = os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem")
            made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=test"]
            made += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert]
            subprocess.run(made, check=True, stderr=subprocess.DEVNULL)
            tls = ("--listen", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key)
            with RealDaemon(*tls) as daemon:
                remote = {"address": daemon.url, "token_file": daemon.token_file}
                with self.assertRaisesRegex(signalbox.Unavailable, "certificate verify failed"):
                    open_session(daemon, **remote)
                with open_session(daemon, ca_file=cert, **remote) as s:
                    s.report(s.check("build", {}))

                async def run() -> None:
                    own: signalbox.Settings = {"ca_file": cert, "timeout": 30.0, **remote}
                    async with signalbox.async_session("team/coder", agent="a", **own) as s:
                        await s.report(await s.check("build", {}))

                asyncio.run(run())


class ManyCallsTest(unittest.TestCase):
    daemon: RealDaemon

    @classmethod
    def setUpClass(cls) -> None:
        cls.daemon = RealDaemon()
        cls.daemon.start()
        cls.addClassCleanup(cls.daemon.remove)

    def verify(self, session: str, count: int) -> None:
        """Every call is requested, decided and ended once."""
        asked, decided, ended = (
            [one["call_id"] for one in self.daemon.events(kind, session)]
            for kind in ("tool.requested", "tool.decided", "tool.invoked")
        )
        for ids in (asked, decided, ended):
            self.assertEqual((len(ids), len(set(ids))), (count, count))
        outputs = {
            one["call_id"]: one["output"] for one in self.daemon.events("tool.invoked", session)
        }
        self.assertEqual(outputs, {call_id: f"result of {call_id}" for call_id in asked})

    def test_1000_calls_of_50_threads_are_told_apart(self) -> None:
        with open_session(self.daemon) as s:
            failures: list[BaseException] = []

            def work(thread: int) -> None:
                try:
                    for number in range(20):
                        call_id = f"{thread}-{number}"
                        call = s.check("build", {"of": call_id}, call_id=call_id)
                        s.report(call, output=f"result of {call.args['of']}")
                except BaseException as error:
                    failures.append(error)

            threads = [threading.Thread(target=work, args=[one]) for one in range(TOGETHER)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(failures, [])
        self.verify(s.id, 20 * TOGETHER)

    def test_calls_of_50_tasks_are_told_apart(self) -> None:
        async def run() -> str:
            settings: signalbox.Settings = {"address": self.daemon.address, "timeout": 30.0}
            async with signalbox.async_session("team/coder", agent="tester", **settings) as s:

                async def work(task: int) -> None:
                    for number in range(4):
                        call_id = f"{task}-{number}"
                        call = await s.check("build", {"of": call_id}, call_id=call_id)
                        await s.report(call, output=f"result of {call.args['of']}")

                await asyncio.gather(*(work(task) for task in range(TOGETHER)))
                return s.id

        self.verify(asyncio.run(run()), 4 * TOGETHER)
