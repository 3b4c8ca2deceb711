from __future__ import annotations

import asyncio
import functools
import glob
import json
import logging
import os
import pathlib
import tempfile
import time
import unittest
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from both_kinds import Awaited, BothKinds
from scripted_daemon import OPENED, ScriptedDaemon, answer

import signalbox
from signalbox import Denied, Message, Step, ToolCall, Turn, Unavailable

ALLOW = (200, {"decision": "allow"})
RAN = (200, {"feedback": None, "entries": []})
HINT = "<feedback provider='Static'>\nKeep it short.\n</feedback>"
UNRECORDED = "The output could not be recorded."
DENY = (
    200,
    {
        "decision": "deny",
        "reason": "Tool 'deploy' requires: build",
        "rules": [
            {"rule": "order", "type": "sequential_dependency", "code": "missing", "reason": "x"}
        ],
    },
)


def setUpModule() -> None:
    logging.getLogger("signalbox").setLevel(logging.CRITICAL)


def tearDownModule() -> None:
    logging.getLogger("signalbox").setLevel(logging.NOTSET)


class OpeningTest(BothKinds):
    def test_opening_sends_the_prompt_the_agent_and_its_capabilities(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            opened = daemon.body("")
            self.assertEqual(opened["prompt"], "team/coder")
            self.assertEqual(
                opened["agent"], {"name": "tester", "language": "python", "version": "2"}
            )
            self.assertEqual(opened["capabilities"], signalbox.CUSTOM_LOOP)
            self.assertEqual(opened["budget"], {"max_total_tokens": 9})
            self.assertEqual(opened["tags"], {"team": "a"})
            self.assertAlmostEqual(opened["deadline_at"] / 1000, time.time() + 60, delta=30)
            self.assertEqual((s.id, s.url, s.config), ("sess_1", OPENED["url"], OPENED["config"]))

        self.run_both(
            answer,
            case,
            agent_version="2",
            budget=signalbox.Budget(max_total_tokens=9),
            tags={"team": "a"},
            deadline=timedelta(minutes=1),
        )

    def test_a_prompt_that_is_refused_opens_no_session_and_gives_the_reason(self) -> None:
        refusal = {"title": "Forbidden", "detail": "The prompt is not on the list of this daemon."}
        with ScriptedDaemon(answer(open=(403, refusal))) as daemon:
            with self.assertRaisesRegex(Unavailable, "status 403: The prompt is not on the list"):
                signalbox.session("team/other", agent="tester", address=daemon.address)

    def test_without_a_daemon_no_session_opens(self) -> None:
        with self.assertRaisesRegex(Unavailable, "listens on /nowhere.sock: start it with `signalbox daemon`"):
            signalbox.session("team/coder", agent="tester", address="/nowhere.sock")

    def test_an_unreadable_token_file_opens_no_session(self) -> None:
        with self.assertRaisesRegex(Unavailable, "nowhere.token"):
            signalbox.session(
                "a/b", agent="tester", address="http://127.0.0.1:1", token_file="/nowhere.token"
            )

    def test_an_address_that_is_none_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "neither a socket path nor an address"):
            signalbox.session("a/b", agent="tester", address="ftp://127.0.0.1")

    def test_an_address_that_cannot_be_used_opens_no_session(self) -> None:
        with ScriptedDaemon(answer()) as daemon:
            token_file = daemon.write_file("token", "t" * 43)
            for address, reason in (
                ("http://a..b", "'a..b' is not a host name"),
                ("http://guard.example", "the token would be readable on its way"),
                ("http://192.0.2.1:4620", "the token would be readable on its way"),
                ("http://127.0.0.1.example:4620", "the token would be readable on its way"),
                ("http://[::1]:1", r"listens on \[::1\]:1|connection to .* on \[::1\]:1 failed"),
                ("http://localhost:1", "listens on localhost:1"),
            ):
                with self.subTest(address), self.assertRaisesRegex(Unavailable, reason):
                    signalbox.session("a/b", agent="tester", address=address, token_file=token_file)

    def test_on_a_socket_the_workspace_is_proven_by_a_file_that_is_removed_again(self) -> None:
        seen: list[object] = []
        opens = answer()

        def read(path: str, body: dict[str, object]) -> Any:
            if path == "":
                file = pathlib.Path(
                    str(body["workspace_root"]), f".signalbox-{body.get('root_nonce')}"
                )
                seen.append(file.exists() and file.read_text() == body["root_nonce"])
            return opens(path, body)

        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            self.assertEqual(seen.pop(), not daemon.address.startswith("http"))

        with tempfile.TemporaryDirectory() as folder:
            self.run_both(lambda: read, case, everywhere=True, workspace_root=folder)
            self.assertEqual(os.listdir(folder), [])
            # A workspace that cannot be written is not proven.
            self.run_both(
                lambda: read, self.unproven(seen), workspace_root=os.path.join(folder, "gone")
            )

    def unproven(self, seen: list[object]) -> Any:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            self.assertEqual(seen.pop(), False)

        return case

    def test_tcp_carries_the_token_and_a_socket_does_not(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            expected = f"Bearer {'t' * 43}" if daemon.address.startswith("http") else None
            self.assertEqual(daemon.tokens, {expected})

        self.run_both(answer, case, everywhere=True)


class CallTest(BothKinds):
    def test_an_allowed_call_runs_and_its_result_is_reported(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            @s.tool
            async def add(left: int, right: int = 2) -> int:
                return left + right

            self.assertEqual(await add(1), 3)
            asked, reported = daemon.body("before-tool"), daemon.body("after-tool")
            self.assertEqual((asked["tool"], asked["args"]), ("add", {"left": 1, "right": 2}))
            self.assertEqual(reported["call_id"], asked["call_id"])
            self.assertEqual((reported["outcome"], reported["output"]), ("success", 3))

        self.run_both(lambda: answer(before_tool=ALLOW, after_tool=RAN), case)

    def test_a_denied_call_does_not_run_and_raises_the_reason_with_its_rules(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            ran = []

            @s.tool
            async def deploy() -> None:
                ran.append(1)

            with self.assertRaises(Denied) as caught:
                await deploy()
            self.assertEqual(str(caught.exception), "Tool 'deploy' requires: build")
            self.assertEqual(caught.exception.rules, ("order",))
            self.assertEqual((ran, "after-tool" in daemon.paths()), ([], False))

        self.run_both(lambda: answer(before_tool=DENY), case)

    def test_the_orders_of_a_person_reach_the_agent_word_for_word(self) -> None:
        for text in ("Paused by Mira: It loops.", "Ended by Mira: Enough for today."):
            held = (200, {"decision": "deny", "reason": text, "rules": []})

            async def case(s: Any, daemon: ScriptedDaemon, text: str = text) -> None:
                @s.tool
                async def deploy() -> None:
                    raise AssertionError("it ran")

                with self.assertRaises(Denied) as caught:
                    await deploy()
                self.assertEqual((str(caught.exception), caught.exception.rules), (text, ()))
                self.assertTrue((await s.stop()).allowed)

            self.run_both(lambda held=held: answer(before_tool=held, stop=ALLOW), case)

    def test_a_denial_is_the_result_where_the_framework_ends_at_exceptions(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            async def deploy() -> None:
                raise AssertionError("it ran")

            guarded = s.tool(deploy, returns_denials=True)
            self.assertEqual(await guarded(), "Tool 'deploy' requires: build")

        self.run_both(lambda: answer(before_tool=DENY), case)

    def test_masked_arguments_reach_the_tool_and_the_others_keep_their_types(self) -> None:
        masked = {"decision": "allow", "args": {"path": "a.txt", "text": "[secrets]", "more": 1}}

        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            @s.tool
            async def write(path: pathlib.Path, text: str, **options: int) -> str:
                return f"{type(path).__name__} {text} {options}"

            written = await write(pathlib.PurePosixPath("a.txt"), "sk-1", more=1)
            self.assertEqual(written, "PurePosixPath [secrets] {'more': 1}")

        self.run_both(lambda: answer(before_tool=(200, masked), after_tool=RAN), case)

    def test_a_path_object_is_resolved_once_and_the_function_gets_what_was_judged(self) -> None:
        class Turning:
            asked = 0

            def __fspath__(self) -> str:
                self.asked += 1
                return f"{self.asked // 3}.txt"

        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            @s.tool
            async def write(*paths: Any, **named: Any) -> str:
                return " ".join(os.fspath(one) for one in (*paths, *named["more"]))

            written = await write(Turning(), pathlib.Path("a"), more=[Turning()])
            args = {"paths": ["0.txt", "a"], "more": ["0.txt"]}
            self.assertEqual(daemon.body("before-tool")["args"], args)
            self.assertEqual(written, "0.txt a 0.txt")
            circular: list[object] = []
            circular.append(circular)
            with self.assertRaisesRegex(Denied, "nested too deeply"):
                await write(circular)

        self.run_both(lambda: answer(before_tool=ALLOW, after_tool=RAN), case)

    def test_arguments_that_got_other_names_do_not_run(self) -> None:
        changed = (200, {"decision": "allow", "args": {"other": 1}})

        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            @s.tool
            async def write(path: str) -> None:
                raise AssertionError("it ran")

            with self.assertRaisesRegex(Denied, "other names"):
                await write("a")

        self.run_both(lambda: answer(before_tool=changed), case)

    def test_arguments_that_are_not_json_are_denied_without_asking(self) -> None:
        circular: list[object] = []
        circular.append(circular)

        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            for value in (object(), {1: "a"}, float("nan"), 2**53, b"bytes", circular):
                with self.assertRaisesRegex(Denied, "Tool 'write' was not run, because"):
                    await s.check("write", {"value": value})
            self.assertEqual(daemon.paths(), [""])

        self.run_both(lambda: answer(before_tool=ALLOW), case)

    def test_a_result_that_a_rule_replaced_is_the_one_that_the_agent_reads(self) -> None:
        withheld = (200, {"feedback": None, "entries": [], "output": "Result withheld: secrets."})

        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            @s.tool
            async def read() -> str:
                return "sk-1"

            self.assertEqual(await read(), "Result withheld: secrets.")

        self.run_both(lambda: answer(before_tool=ALLOW, after_tool=withheld), case)

    def test_feedback_follows_the_result_as_text(self) -> None:
        hinted = (200, {"feedback": HINT, "entries": [{}]})

        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            @s.tool
            async def text() -> str:
                return "Written."

            @s.tool
            async def record() -> dict[str, int]:
                return {"lines": 2}

            self.assertEqual(await text(), f"Written.\n\n{HINT}")
            self.assertEqual(await record(), f'{{"lines": 2}}\n\n{HINT}')

        self.run_both(lambda: answer(before_tool=ALLOW, after_tool=hinted), case)

    def test_an_exception_is_a_failure_and_its_feedback_comes_with_the_next_result(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            @s.tool
            async def fail() -> None:
                raise LookupError("no such row")

            @s.tool
            async def succeed() -> str:
                return "ok"

            with self.assertRaisesRegex(LookupError, "no such row"):
                await fail()
            reported = daemon.body("after-tool")
            self.assertEqual(reported["outcome"], "failure")
            self.assertEqual(reported["error"], {"kind": "LookupError", "message": "no such row"})
            self.assertNotIn("output", reported)
            self.assertEqual(await succeed(), f"ok\n\n{HINT}")

        self.run_both(
            lambda: answer(
                before_tool=ALLOW, after_tool=[(200, {"feedback": HINT, "entries": [{}]}), RAN]
            ),
            case,
        )

    def test_a_result_that_is_not_json_is_reported_as_its_text(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            @s.tool
            async def span() -> timedelta:
                return timedelta(seconds=1)

            self.assertEqual(await span(), timedelta(seconds=1))
            self.assertEqual(daemon.body("after-tool")["output"], "0:00:01")

        self.run_both(lambda: answer(before_tool=ALLOW, after_tool=RAN), case)

    def test_wrong_arguments_are_reported_as_invalid(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            def add(left: int) -> int:
                raise AssertionError("it ran")

            for function, text in (
                (add, "missing a required argument"),
                (None, "There is no tool 'add'."),
            ):
                with self.assertRaisesRegex(TypeError, text):
                    await s.run("add", function, {"right": 1})
                self.assertEqual(daemon.body("after-tool")["outcome"], "invalid")

        self.run_both(lambda: answer(before_tool=ALLOW, after_tool=RAN), case)


class WaitingTest(BothKinds):
    def test_a_call_waits_for_its_reviewer_with_the_same_body_and_beyond_the_time_limit(
        self,
    ) -> None:
        waiting = (202, {"waiting": {"approval": "apr_1", "until": 1}})

        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            plain = daemon.script
            polls: list[float] = []

            def slow(path: str, body: dict[str, object]) -> Any:
                if path == "before-tool":
                    polls.append(time.monotonic())
                    # The second answer takes longer than the client's limit for other calls.
                    if len(polls) == 2:
                        time.sleep(0.6)
                return plain(path, body)

            daemon.script = slow
            await s.check("deploy", {})
            asked = [body for path, body in daemon.calls if path == "before-tool"]
            self.assertEqual(len(asked), 4)
            self.assertEqual([body == asked[0] for body in asked], [True] * 4)
            # A daemon that answers early is not asked without a pause.
            self.assertGreater(polls[3] - polls[2], 0.4)

        self.run_both(
            lambda: answer(before_tool=[waiting, waiting, waiting, ALLOW]), case, timeout=0.3
        )


class FactsTest(BothKinds):
    def test_needed_facts_come_from_the_own_disk_and_the_call_is_repeated(self) -> None:
        need = [
            {"id": "1", "kind": "file", "path": "old.txt"},
            {"id": "2", "kind": "file", "path": "new.txt"},
            {"id": "3", "kind": "link", "path": "link"},
            {"id": "4", "kind": "file", "path": "../outside"},
            {"id": "5", "kind": "later", "path": "old.txt"},
        ]

        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            await s.check("write", {"path": "old.txt"})
            facts = {fact["id"]: fact["value"] for fact in daemon.body("facts")["facts"]}
            self.assertEqual(facts["1"]["exists"], True)
            self.assertRegex(facts["1"]["fingerprint"], "^sha256:[0-9a-f]{64}$")
            self.assertEqual(facts["2"], {"exists": False})
            self.assertEqual((facts["3"], facts["5"]), (True, "unknown"))
            self.assertEqual(facts["4"], {"exists": "unknown"})
            first, second = [body for path, body in daemon.calls if path == "before-tool"]
            self.assertEqual(first, second)

        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "old.txt").write_text("x")
            os.symlink("old.txt", os.path.join(folder, "link"))
            self.run_both(
                lambda: answer(before_tool=[(202, {"need": need}), ALLOW]),
                case,
                workspace_root=folder,
            )

    def test_without_a_workspace_every_file_is_unknown(self) -> None:
        need = [{"id": "1", "kind": "file", "path": "a"}, {"id": "2", "kind": "link", "path": "a"}]

        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            self.assertTrue((await s.stop()).allowed)
            expected = [
                {"id": "1", "value": {"exists": "unknown"}},
                {"id": "2", "value": "unknown"},
            ]
            self.assertEqual(daemon.body("facts"), {"facts": expected})

        self.run_both(lambda: answer(stop=[(202, {"need": need}), ALLOW]), case)

    def test_a_daemon_that_never_has_enough_facts_is_given_up(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            with self.assertRaisesRegex(Denied, "cannot be read"):
                await s.check("write", {})

        self.run_both(lambda: answer(before_tool=(202, {"need": []})), case)


#: Every way not to give an answer, and a part of the reason that the agent reads.
NO_ANSWERS = [
    (None, "did not answer within 0.2 s"),
    ((500, {"title": "Internal error"}), "status 500: Internal error"),
    ((404, {"detail": "The session is not known."}), "status 404: The session is not known"),
    ((401, b"not json"), "status 401: it gave no reason"),
    ((302, {}), "status 302"),
    ((200, b"not json"), "its answer is not JSON"),
    ((200, b"[]"), "its answer is not JSON"),
    ((200, b"[" * 100_000), "its answer is not JSON"),
    ((200, {}), "cannot be read"),
    ((200, {"decision": "maybe"}), "cannot be read"),
    ((202, {}), "cannot be read"),
]


class ClosedTest(BothKinds):
    def test_a_call_without_an_answer_is_denied_with_the_reason(self) -> None:
        for reply, reason in NO_ANSWERS:

            async def case(s: Any, daemon: ScriptedDaemon, reason: str = reason) -> None:
                with self.assertRaises(Denied) as caught:
                    await s.check("write", {"path": "a"})
                self.assertIn("Tool 'write' was not run, because", str(caught.exception))
                self.assertIn(reason, str(caught.exception))
                self.assertEqual(caught.exception.rules, ())

            with self.subTest(reason):
                self.run_both(lambda: answer(before_tool=reply), case, timeout=0.2)

    def test_a_call_is_denied_when_its_allowed_arguments_are_no_object(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            with self.assertRaisesRegex(Denied, "cannot be read"):
                await s.check("write", {})

        self.run_both(lambda: answer(before_tool=(200, {"decision": "allow", "args": []})), case)

    def test_a_daemon_that_is_gone_denies(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            await s.check("write", {})
            daemon.stop()
            with self.assertRaisesRegex(Denied, "no Signalbox daemon listens on"):
                await s.check("write", {})

        self.run_both(lambda: answer(before_tool=ALLOW), case, timeout=1)

    def test_a_result_that_nobody_inspected_is_withheld(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            @s.tool
            async def read() -> str:
                return "sk-1"

            with self.assertRaisesRegex(Denied, "'read' ran, but its result is withheld"):
                await read()

        self.run_both(lambda: answer(before_tool=ALLOW, after_tool=(503, {})), case)

    def test_an_exception_that_nobody_inspected_is_withheld(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            async def fail() -> None:
                raise LookupError("sk-1")

            with self.assertRaisesRegex(Denied, "'fail' ran, but its result is withheld") as caught:
                await s.tool(fail)()
            self.assertNotIn("sk-1", str(caught.exception))
            self.assertIsInstance(caught.exception.__cause__, LookupError)
            self.assertNotIn("sk-1", await s.tool(fail, returns_denials=True)())

        self.run_both(lambda: answer(before_tool=ALLOW, after_tool=(503, {})), case)

    def test_an_exit_stays_itself_when_its_report_gets_no_answer(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            @s.tool
            async def leave() -> None:
                raise asyncio.CancelledError

            with self.assertRaises(asyncio.CancelledError):
                await leave()

        self.run_both(lambda: answer(before_tool=ALLOW, after_tool=(503, {})), case)

    def test_a_plan_that_was_not_recorded_raises(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            with self.assertRaisesRegex(Unavailable, "The plan was not recorded, because"):
                await s.plan([Step("Publish")])
            with self.assertRaisesRegex(Unavailable, "The state cannot be read, because"):
                await s.state()

        self.run_both(lambda: answer(plan=(503, {}), open=[(201, OPENED), (503, {})]), case)

    def test_usage_notes_heartbeats_and_the_end_never_raise(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            await s.usage("run", input_tokens=1, output_tokens=2)
            await s.note("A note.")
            await s.beat()
            await s.end()
            self.assertEqual(daemon.paths(), ["", "usage", "note", "beat", "end"])

        gone = (503, {})
        self.run_both(lambda: answer(usage=gone, note=gone, beat=gone, end=gone), case)


class StopTest(BothKinds):
    def test_a_blocked_stop_has_a_message_and_what_remains(self) -> None:
        block = (200, {"decision": "block", "message": "Not yet.", "remaining": ["done.txt"]})

        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            first = await s.stop(last_message="Done.", output=None, stop_reason="end_turn")
            self.assertEqual((first.allowed, first.message), (False, "Not yet."))
            self.assertEqual((first.remaining, first.unjudged), (("done.txt",), None))
            sent = daemon.body("stop")
            self.assertEqual((sent["via"], sent["last_message"]), ("turn_end", "Done."))
            self.assertEqual((sent["output"], sent["stop_reason"]), (None, "end_turn"))
            self.assertTrue((await s.stop()).allowed)
            self.assertNotIn("output", daemon.body("stop"))

        self.run_both(lambda: answer(stop=[block, ALLOW]), case)

    def test_a_stop_without_an_answer_is_blocked_once_then_passes_and_is_recorded(self) -> None:
        for reply, reason in NO_ANSWERS:

            async def case(s: Any, daemon: ScriptedDaemon, reason: str = reason) -> None:
                first = await s.stop()
                self.assertEqual(
                    (first.allowed, glob.glob(f"{daemon.state_folder}/*")), (False, [])
                )
                self.assertIn(reason, first.message)
                second = await s.stop()
                self.assertTrue(second.allowed)
                self.assertIn(reason, second.unjudged)
                (file,) = glob.glob(f"{daemon.state_folder}/*")
                self.assertEqual(os.stat(file).st_mode & 0o777, 0o600)
                record = json.loads(pathlib.Path(file).read_text())
                self.assertEqual((record["session"], record["reason"]), ("sess_1", second.unjudged))
                self.assertAlmostEqual(record["at"] / 1000, time.time(), delta=60)

            with self.subTest(reason):
                self.run_both(lambda: answer(stop=reply), case, timeout=0.2)

    def test_an_answer_in_between_makes_the_next_failure_block_again(self) -> None:
        gone, block = (503, {}), (200, {"decision": "block", "message": "No.", "remaining": []})

        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            verdicts = [await s.stop() for _ in range(4)]
            self.assertEqual([one.allowed for one in verdicts], [False, False, False, True])
            self.assertEqual(len(os.listdir(daemon.state_folder)), 1)

        self.run_both(lambda: answer(stop=[gone, block, gone, gone]), case)

    def test_a_stop_of_a_sub_agent_without_an_answer_does_not_let_the_main_agent_pass(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            ways = ("subagent_end", "turn_end", "subagent_end", "turn_end")
            verdicts = [await s.stop(via=via) for via in ways]
            self.assertEqual([one.allowed for one in verdicts], [False, False, True, True])

        self.run_both(lambda: answer(stop=(503, {})), case)

    def test_a_stop_with_details_that_are_refused_is_judged_without_them(self) -> None:
        refused, block = (400, {"title": "x"}), (200, {"decision": "block", "message": "No."})

        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            for _ in range(2):
                verdict = await s.stop(output={"a": 1}, last_message="x", attempt_id="1")
                self.assertEqual((verdict.allowed, verdict.unjudged), (False, None))
                self.assertEqual(
                    daemon.body("stop"),
                    {"attempt_id": "1", "via": "turn_end", "output": UNRECORDED},
                )
                self.assertFalse((await s.stop(last_message="x", attempt_id="2")).allowed)
                self.assertEqual(daemon.body("stop"), {"attempt_id": "2", "via": "turn_end"})
            await s.end(output={"a": 1}, error="x")
            self.assertEqual(daemon.body("end"), {"reason": "completed", "output": UNRECORDED})

        self.run_both(lambda: answer(stop=[refused, block] * 4, end=[(413, {}), (200, {})]), case)

    def test_a_stop_reason_is_shortened_and_an_empty_one_is_left_out(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            await s.stop(stop_reason="x" * 301)
            self.assertEqual(daemon.body("stop")["stop_reason"], "x" * 150)
            await s.stop(stop_reason="")
            self.assertNotIn("stop_reason", daemon.body("stop"))

        self.run_both(lambda: answer(stop=ALLOW), case)

    def test_a_stop_passes_even_when_it_cannot_be_recorded(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            self.assertFalse((await s.stop()).allowed)
            self.assertTrue((await s.stop()).allowed)

        self.run_both(lambda: answer(stop=(503, {})), case, state_folder="/dev/null/state")


class LoopTest(BothKinds):
    def test_the_model_reads_denials_errors_feedback_and_blocked_stops(self) -> None:
        turns = [
            Turn(calls=[ToolCall("1", "deploy", {}), ToolCall("2", "fail", {})], input_tokens=3),
            Turn(calls=[ToolCall("3", "nothing", {}), ToolCall("4", "add", {"left": 1})]),
            Turn(output={"answer": 1}),
            Turn(text="Done.", stop_reason="end_turn"),
        ]
        hint = (200, {"feedback": HINT, "entries": [{}]})
        block = (200, {"decision": "block", "message": "Not yet.", "remaining": []})

        def fail() -> None:
            raise LookupError("no such row")

        def add(left: int) -> int:
            return left + 1

        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            read: list[list[str]] = []

            def model(messages: Sequence[Message]) -> Turn:
                read.append([one.content for one in messages])
                return turns[len(read) - 1]

            def adapt(function: Any) -> Any:
                @functools.wraps(function)
                async def later(*args: Any, **kwargs: Any) -> Any:
                    return function(*args, **kwargs)

                return function if isinstance(s, Awaited) else later

            messages = [Message("user", "Begin.")]
            tools = {one.__name__: adapt(one) for one in (fail, add)}
            last = await s.guarded_loop(adapt(model), tools, messages)
            self.assertEqual(last, turns[3])
            denied, failed = "Tool 'deploy' requires: build", f"no such row\n\n{HINT}"
            self.assertEqual(read[1], ["Begin.", "", denied, failed])
            self.assertEqual(read[2][-2:], ["There is no tool 'nothing'.", "2"])
            self.assertEqual(read[3][-1], "Not yet.")
            stops = [body for path, body in daemon.calls if path == "stop"]
            self.assertEqual(
                (stops[0]["via"], stops[0]["output"]), ("structured_output", {"answer": 1})
            )
            self.assertEqual((stops[1]["via"], stops[1]["last_message"]), ("turn_end", "Done."))
            self.assertEqual(daemon.body("usage")["input_tokens"], 3)
            outcomes = [body["outcome"] for path, body in daemon.calls if path == "after-tool"]
            self.assertEqual(outcomes, ["failure", "invalid", "success"])

        self.run_both(
            lambda: answer(before_tool=[DENY, ALLOW], after_tool=[hint, RAN], stop=[block, ALLOW]),
            case,
        )


class EndTest(BothKinds):
    def test_leaving_the_block_ends_the_session_with_the_reason(self) -> None:
        endings: list[tuple[BaseException | None, str]] = [
            (None, "completed"),
            (LookupError("x"), "failed"),
            (KeyboardInterrupt(), "aborted"),
        ]
        for error, reason in endings:
            with self.subTest(reason), ScriptedDaemon(answer()) as daemon:
                try:
                    with signalbox.session("a/b", agent="tester", address=daemon.address):
                        if error is not None:
                            raise error
                except (LookupError, KeyboardInterrupt):
                    pass
                self.assertEqual(daemon.body("end")["reason"], reason)

    def test_a_session_ends_once(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            await s.end(output={"answer": 42})
            await s.end("failed")
            ended = [body for path, body in daemon.calls if path == "end"]
            self.assertEqual(ended, [{"reason": "completed", "output": {"answer": 42}}])

        self.run_both(answer, case)

    def test_an_output_that_was_not_verified_raises(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            with self.assertRaisesRegex(signalbox.VerificationFailed, "Missing required files"):
                await s.end(output="x")

        self.run_both(lambda: answer(end=(200, {"error": "Missing required files: a"})), case)

    def test_a_call_that_is_canceled_while_its_answer_arrives_does_not_run(self) -> None:
        async def cancel_after(turns: int) -> None:
            with ScriptedDaemon(answer(before_tool=ALLOW, after_tool=RAN)) as daemon:
                settings = {"address": daemon.address}
                async with signalbox.async_session("a/b", agent="tester", **settings) as s:
                    was_canceled, late = False, []

                    @s.tool
                    async def work() -> None:
                        late.append(was_canceled)

                    task = asyncio.create_task(work())
                    while "before-tool" not in daemon.paths():
                        await asyncio.sleep(0)
                    # The answer arrives while the loop stands still.
                    time.sleep(0.02)
                    for _ in range(turns):
                        await asyncio.sleep(0)
                    was_canceled = task.cancel()
                    await asyncio.wait({task})
                    self.assertEqual((task.cancelled(), True in late), (was_canceled, False))

        for turns in range(12):
            with self.subTest(turns):
                asyncio.run(cancel_after(turns))

    def test_a_cancelled_tool_is_a_failure(self) -> None:
        async def run() -> dict[str, object]:
            with ScriptedDaemon(answer(before_tool=ALLOW, after_tool=RAN)) as daemon:
                settings = {"address": daemon.address}
                async with signalbox.async_session("a/b", agent="tester", **settings) as s:
                    started = asyncio.Event()

                    @s.tool
                    async def hang() -> None:
                        started.set()
                        await asyncio.Event().wait()

                    task = asyncio.create_task(hang())
                    await started.wait()
                    task.cancel()
                    with self.assertRaises(asyncio.CancelledError):
                        await task
                    return daemon.body("after-tool")

        reported = asyncio.run(run())
        self.assertEqual(reported["outcome"], "failure")
        self.assertEqual(reported["error"], {"kind": "cancelled", "message": ""})


class BeatTest(BothKinds):
    def test_heartbeats_come_until_the_end(self) -> None:
        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            while daemon.paths().count("beat") < 2:
                await asyncio.sleep(0.01)
            await s.end()
            count = daemon.paths().count("beat")
            await asyncio.sleep(0.1)
            self.assertLessEqual(daemon.paths().count("beat"), count + 1)

        self.run_both(answer, case, beat_every=0.02)


class DecoratorTest(BothKinds):
    def test_a_function_whose_body_runs_later_is_refused(self) -> None:
        async def later() -> None: ...

        def parts() -> Any:
            yield 1

        with ScriptedDaemon(answer()) as daemon:
            with signalbox.session("a/b", agent="tester", address=daemon.address) as s:
                with self.assertRaisesRegex(TypeError, "needs signalbox.async_session"):
                    s.tool(later)
                with self.assertRaisesRegex(TypeError, "is a generator"):
                    s.tool(parts)
            unopened = signalbox.async_session("a/b", agent="tester", address=daemon.address)
            with self.assertRaisesRegex(TypeError, "needs signalbox.session"):
                unopened.tool(len)  # type: ignore[arg-type]

    def test_a_generator_as_a_result_is_a_failure_because_its_body_has_not_run(self) -> None:
        def parts() -> Any:
            yield 1

        async def async_parts() -> Any:
            yield 1

        def return_from(function: Any) -> Any:
            async def work() -> Any:
                return function()

            return work

        async def case(s: Any, daemon: ScriptedDaemon) -> None:
            for function in (parts, async_parts):
                with self.assertRaisesRegex(TypeError, "'work' returned before it ran"):
                    await s.tool(return_from(function))()
                self.assertEqual(daemon.body("after-tool")["outcome"], "failure")

        with self.subTest("decorator"), ScriptedDaemon(answer()) as daemon:
            unopened = signalbox.async_session("a/b", agent="tester", address=daemon.address)
            for function in (parts, async_parts):
                with self.assertRaisesRegex(TypeError, "is a generator"):
                    unopened.tool(function)
        self.run_both(lambda: answer(before_tool=ALLOW, after_tool=RAN), case)

    def test_a_result_that_has_not_run_yet_is_a_failure(self) -> None:
        async def later() -> None: ...

        with ScriptedDaemon(answer(before_tool=ALLOW, after_tool=RAN)) as daemon:
            with signalbox.session("a/b", agent="tester", address=daemon.address) as s:
                unawaited = later()
                with self.assertRaisesRegex(TypeError, "'wait' returned before it ran"):
                    s.run("wait", lambda: unawaited, {})
                unawaited.close()
                self.assertEqual(daemon.body("after-tool")["outcome"], "failure")

    def test_two_arguments_of_one_name_are_refused_because_only_one_could_be_judged(self) -> None:
        def write(path: str, /, **options: str) -> None:
            raise AssertionError("it ran")

        with ScriptedDaemon(answer(before_tool=ALLOW, after_tool=RAN)) as daemon:
            with signalbox.session("a/b", agent="tester", address=daemon.address) as s:
                with self.assertRaisesRegex(TypeError, "the same name"):
                    s.tool(write)("/etc/passwd", path="notes.txt")

    def test_a_guarded_function_keeps_its_name_signature_and_text(self) -> None:
        with ScriptedDaemon(answer()) as daemon:
            with signalbox.session("a/b", agent="tester", address=daemon.address) as s:

                def write(path: str) -> None:
                    """Writes."""

                guarded = s.tool(write, name="write_file")
                self.assertEqual((guarded.__name__, guarded.__doc__), ("write", "Writes."))


if __name__ == "__main__":
    unittest.main()
