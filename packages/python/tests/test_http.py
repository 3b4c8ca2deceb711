from __future__ import annotations

import asyncio
import os
import random
import threading
import time
import unittest
from typing import Any

from both_kinds import BothKinds
from scripted_daemon import ScriptedDaemon, answer

import signalbox
from signalbox._http import AnswerParser, BrokenAnswer, Request, parse_address

SIZED = b'HTTP/1.1 200 OK\r\nContent-Length: 11\r\nX-Other: a: b\r\n\r\n{"a": "\\r"}'
CHUNKED = b'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{"a"\r\n7;x=y\r\n: "\\r"}\r\n0\r\n\r\n'
BODY = b'{"a": "\\r"}'


class ParserTest(unittest.TestCase):
    def test_an_answer_reads_the_same_however_its_bytes_arrive(self) -> None:
        randomness = random.Random(1)
        for whole, status in ((SIZED, 200), (CHUNKED, 201)):
            for _ in range(200):
                cuts = sorted(randomness.choices(range(1, len(whole)), k=randomness.randrange(6)))
                edges = [0, *sorted(set(cuts)), len(whole)]
                parser = AnswerParser()
                answers = [parser.feed(whole[a:b]) for a, b in zip(edges, edges[1:])]
                self.assertEqual(answers[:-1], [None] * (len(answers) - 1))
                last = answers[-1]
                assert last is not None
                self.assertEqual((last.status, last.body, last.keeps_open), (status, BODY, True))

    def test_a_server_that_closes_says_so(self) -> None:
        closing = SIZED.replace(b"X-Other: a: b", b"Connection: close")
        parsed = AnswerParser().feed(closing)
        assert parsed is not None
        self.assertFalse(parsed.keeps_open)

    def test_a_connection_with_bytes_after_the_answer_is_not_used_again(self) -> None:
        for whole in (SIZED, CHUNKED):
            parsed = AnswerParser().feed(whole + SIZED)
            assert parsed is not None
            self.assertEqual((parsed.body, parsed.keeps_open), (BODY, False))

    def test_bytes_that_are_no_answer_are_refused(self) -> None:
        for data, reason in (
            (b"", "ended before"),
            (b"SSH-2.0-OpenSSH\r\n\r\n", "not HTTP"),
            (b"HTTP/1.1 abc\r\n\r\n", "not HTTP"),
            (b"HTTP/1.1 200 OK\r\n\r\n{}", "does not state its length"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "too large"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", "too large"),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "state its length"),
            (b"HTTP/1.1 200 OK\r\n" + b"a" * 70_000, "too long"),
        ):
            with self.subTest(data[:40]), self.assertRaisesRegex(BrokenAnswer, reason):
                AnswerParser().feed(data)

    def test_random_bytes_never_raise_anything_else(self) -> None:
        randomness = random.Random(2)
        for _ in range(2000):
            data = bytearray(randomness.choice((SIZED, CHUNKED)))
            for _ in range(randomness.randrange(1, 5)):
                data[randomness.randrange(len(data))] = randomness.randrange(256)
            try:
                AnswerParser().feed(bytes(data))
            except BrokenAnswer:
                continue


class AddressTest(unittest.TestCase):
    def test_the_host_header_has_brackets_around_an_ipv6_address_and_ascii_names(self) -> None:
        for address, host in (
            ("http://[::1]:4620", "[::1]:4620"),
            ("http://127.0.0.1:4620", "127.0.0.1:4620"),
            ("https://b\u00fccher.example", "xn--bcher-kva.example:443"),
            ("/run/agent.sock", "localhost"),
        ):
            parsed = parse_address(address, None, None)
            sent = parsed.encode(Request("GET", "/", b"", timeout=1))
            self.assertIn(f"\r\nHost: {host}\r\n".encode(), sent)


class SurplusTest(BothKinds):
    def test_a_surplus_answer_is_not_taken_for_the_next_one(self) -> None:
        # Its bytes arrive while the loop stands still, or runs and has read them before the call.
        for does_run in (False, True):

            async def case(s: Any, daemon: ScriptedDaemon, does_run: bool = does_run) -> None:
                await s.check("write", {})
                allowing = b'{"decision": "allow"}'
                head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(allowing)}\r\n\r\n"
                daemon.connections[0].sendall(head.encode() + allowing)
                time.sleep(0.05)
                if does_run:
                    await asyncio.sleep(0.01)
                with self.assertRaisesRegex(signalbox.Denied, "No."):
                    await s.check("write", {})
                self.assertEqual(len(daemon.connections), 2)

            replies = [(200, {"decision": "allow"}), (200, {"decision": "deny", "reason": "No."})]
            self.run_both(lambda: answer(before_tool=list(replies)), case, everywhere=True)


class ConnectionTest(unittest.TestCase):
    def test_one_thread_uses_one_connection(self) -> None:
        with ScriptedDaemon(answer(before_tool=(200, {"decision": "allow"}))) as daemon:
            with signalbox.session("a/b", agent="tester", address=daemon.address) as s:
                for _ in range(20):
                    s.check("write", {})
                self.assertEqual(len(daemon.connections), 1)

    def test_threads_that_call_at_once_share_a_session(self) -> None:
        answers: set[str] = set()

        def echo(path: str, body: dict[str, object]) -> tuple[int, dict[str, object]]:
            if path == "":
                return 201, {"session": "sess_1"}
            return 200, {"decision": "allow", "args": body.get("args", {})}

        with ScriptedDaemon(echo) as daemon:
            with signalbox.session("a/b", agent="tester", address=daemon.address) as s:

                def work(thread: int) -> None:
                    for number in range(20):
                        call = s.check("write", {"text": f"{thread} {number}"})
                        answers.add(str(call.args["text"]))

                threads = [threading.Thread(target=work, args=[one]) for one in range(20)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
            self.assertEqual(answers, {f"{a} {b}" for a in range(20) for b in range(20)})
            self.assertLessEqual(len(daemon.connections), 20)

    def test_a_connection_that_the_daemon_ended_is_replaced(self) -> None:
        with ScriptedDaemon(answer(before_tool=(200, {"decision": "allow"}))) as daemon:
            with signalbox.session("a/b", agent="tester", address=daemon.address) as s:
                daemon.cut_connections()
                s.check("write", {})
                self.assertEqual(len(daemon.connections), 2)

    def test_a_daemon_that_answers_byte_by_byte_does_not_stretch_the_time_limit(self) -> None:
        with ScriptedDaemon(answer(before_tool=(200, {"decision": "allow"}))) as daemon:
            with signalbox.session("a/b", agent="tester", address=daemon.address, timeout=0.3) as s:
                daemon.seconds_per_byte = 0.1
                begun = time.monotonic()
                with self.assertRaisesRegex(signalbox.Denied, "did not answer within 0.3 s"):
                    s.check("write", {})
                self.assertLess(time.monotonic() - begun, 2)
                daemon.seconds_per_byte = 0.0

    def test_a_forked_child_does_not_write_into_the_connection_of_its_parent(self) -> None:
        with ScriptedDaemon(answer(before_tool=(200, {"decision": "allow"}))) as daemon:
            with signalbox.session("a/b", agent="tester", address=daemon.address) as s:
                child = os.fork()
                if child == 0:
                    try:
                        s.check("write", {})
                        os._exit(0)
                    except BaseException:
                        os._exit(1)
                self.assertEqual(os.waitpid(child, 0)[1], 0)
                s.check("write", {})
                self.assertEqual(len(daemon.connections), 2)
