"""The protocol of one session without its transport: each method yields requests and receives answers. Blocking and asyncio sessions run the
same steps, so that both fail closed in the same way."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import NoReturn, TypeVar
from urllib.parse import quote

from ._errors import Denied, Unavailable, VerificationFailed
from ._files import UNKNOWN, is_link, look_up_file, prove_shared_root
from ._http import Answer, Request
from ._json import JsonObject, JsonValue, decode_object, encode, to_json_object, to_recordable
from ._model import ABSENT, Call, EndReason, Outcome, Report, Step, Verdict, Via
from ._overridden import write_overridden

logger = logging.getLogger("signalbox")
Result = TypeVar("Result")
#: The daemon answers a call that waits for a reviewer at least this often, in seconds.
LONG_POLL_SECONDS = 20.0
#: Shortest time between two such requests, in seconds.
SHORTEST_POLL_SECONDS = 0.5
#: Answers to one call that ask for more facts; each follows from the facts before.
MAX_NEEDS = 100
#: Longest text that the daemon accepts, in UTF-16 code units; no character of Python has more than two.
MAX_TEXT = 50_000
#: The same for a name.
MAX_NAME = 150
#: Largest body that the daemon reads.
MAX_SENT_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True)
class Unanswered:
    """No answer arrived. `reason` is a clause that follows "because"."""

    reason: str


Exchange = Generator[Request, "Answer | Unanswered", Result]


class NoAnswer(Exception):
    """The daemon gave no answer that can be used. The text is a clause that follows "because"."""


class BodyRefused(NoAnswer):
    """The daemon works, but does not take this body."""


class Guard:
    def __init__(self, opening: JsonObject, *, timeout: float, state_folder: str) -> None:
        self._opening = opening
        self._timeout = timeout
        self._state_folder = state_folder
        self._path = "/agent/v1/sessions"
        #: Stops in a row without an answer, by their `via`: those of a sub-agent must not let the main agent pass.
        self._unjudged: Counter[Via] = Counter()
        self.id = ""
        #: Page of the session in the console; None: there is no control plane.
        self.url: str | None = None
        #: Version, digest and environment of the rules in force; None: there are none, and the startup policy applies.
        self.config: JsonObject | None = None
        self.startup_policy: JsonValue = None

    def open(self, *, is_local: bool) -> Exchange[None]:
        """`is_local`: the daemon listens on a socket, so it may see the files of the workspace."""
        try:
            opened = yield from self._ask_to_open(is_local)
        except NoAnswer as error:
            raise Unavailable(f"The session cannot be opened, because {error}.") from None
        session, config, url = opened.get("session"), opened.get("config"), opened.get("url")
        if not isinstance(session, str):
            raise Unavailable(
                "The session cannot be opened, because the answer of Signalbox has no session."
            )
        self.id = session
        self.config = config if isinstance(config, dict) else None
        self.url = url if isinstance(url, str) else None
        self.startup_policy = opened.get("startup_policy")
        self._path = f"/agent/v1/sessions/{quote(session, safe='')}"

    def check(
        self,
        tool: str,
        args: Mapping[str, object],
        *,
        call_id: str | None = None,
        native_tool: str | None = None,
        agent_path: str | None = None,
    ) -> Exchange[Call]:
        try:
            sent = to_json_object(args)
        except (TypeError, ValueError, RecursionError) as error:
            raise Denied(f"Tool '{tool}' was not run, because {error}.") from None
        asked = call_id or str(uuid.uuid4())
        body = _drop_none(
            call_id=asked, tool=tool, args=sent, native_tool=native_tool, agent_path=agent_path
        )
        try:
            answer = yield from self._ask("/before-tool", body)
        except NoAnswer as error:
            raise Denied(f"Tool '{tool}' was not run, because {error}.") from None
        if answer.get("decision") == "allow":
            allowed = answer.get("args", sent)
            if isinstance(allowed, dict):
                return Call(asked, tool, allowed)
        if answer.get("decision") == "deny":
            reason = str(answer.get("reason") or "Denied by policy.")
            raise Denied(reason, _find_rules(answer.get("rules")))
        raise Denied(f"Tool '{tool}' was not run, because the answer of Signalbox cannot be read.")

    def report(
        self,
        call: Call,
        outcome: Outcome,
        *,
        output: object = ABSENT,
        error: BaseException | str | None = None,
    ) -> Exchange[Report]:
        body = _drop_none(
            call_id=call.call_id,
            outcome=outcome,
            error=_describe_error(error),
            duration_ms=round((time.monotonic() - call.allowed_at) * 1000, 3),
        )
        if output is not ABSENT:
            body["output"] = to_recordable(output)
        try:
            answer = yield from self._ask("/after-tool", body)
        except NoAnswer as gone:
            # Without an answer the result was not inspected, so it must not reach the model.
            raise Denied(
                f"Tool '{call.tool}' ran, but its result is withheld, because {gone}."
            ) from None
        feedback = answer.get("feedback")
        return Report(feedback if isinstance(feedback, str) else None, answer.get("output", ABSENT))

    def stop(
        self,
        *,
        via: Via = "turn_end",
        output: object = ABSENT,
        last_message: str | None = None,
        stop_reason: str | None = None,
        attempt_id: str | None = None,
    ) -> Exchange[Verdict]:
        body = _drop_none(
            attempt_id=attempt_id or str(uuid.uuid4()),
            via=via,
            last_message=None if last_message is None else last_message[:MAX_TEXT],
            stop_reason=stop_reason[:MAX_NAME] if stop_reason else None,
        )
        if output is not ABSENT:
            body["output"] = to_recordable(output)
        try:
            answer = yield from self._ask_or_reduce("/stop", body, ("attempt_id", "via"))
            if answer.get("decision") not in ("allow", "block"):
                raise NoAnswer("the answer of Signalbox cannot be read")
        except NoAnswer as error:
            return self._let_through_once_blocked(via, str(error))
        del self._unjudged[via]
        if answer["decision"] == "allow":
            return Verdict(True)
        remaining = answer.get("remaining")
        return Verdict(
            False,
            str(answer.get("message") or "Tasks are incomplete."),
            tuple(remaining) if isinstance(remaining, list) else (),
        )

    def plan(self, steps: Sequence[Step]) -> Exchange[None]:
        listed: list[JsonValue] = [_drop_none(**asdict(step)) for step in steps]
        try:
            yield from self._ask("/plan", {"steps": listed})
        except NoAnswer as error:
            # An open step that is not recorded would not block a stop.
            raise Unavailable(f"The plan was not recorded, because {error}.") from None

    def usage(
        self,
        evaluation_id: str,
        *,
        input_tokens: int,
        output_tokens: int,
        total_tokens: int | None = None,
    ) -> Exchange[None]:
        body = _drop_none(
            evaluation_id=evaluation_id,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            total_tokens=total_tokens,
        )
        yield from self._notify("/usage", body)

    def note(self, text: str) -> Exchange[None]:
        yield from self._notify("/note", {"text": text[:MAX_TEXT]})

    def beat(self) -> Exchange[None]:
        yield from self._notify("/beat", {})

    def end(
        self,
        reason: EndReason,
        *,
        output: object = ABSENT,
        error: BaseException | str | None = None,
    ) -> Exchange[None]:
        """The session ends without its daemon, too; the console then shows it as lost."""
        body = _drop_none(reason=reason, error=_describe_error(error))
        if output is not ABSENT:
            body["output"] = to_recordable(output)
        ended = yield from self._notify("/end", body, ("reason",))
        if "error" in ended:
            raise VerificationFailed(str(ended["error"]))

    def state(self) -> Exchange[JsonObject]:
        try:
            return (yield from self._ask("", None))
        except NoAnswer as error:
            raise Unavailable(f"The state cannot be read, because {error}.") from None

    def _ask_to_open(self, is_local: bool) -> Exchange[JsonObject]:
        root = self._opening.get("workspace_root")
        if not is_local or not isinstance(root, str):
            return (yield from self._ask("", self._opening))
        with prove_shared_root(root) as nonce:
            return (yield from self._ask("", {**self._opening, **_drop_none(root_nonce=nonce)}))

    def _ask_or_reduce(
        self, path: str, body: JsonObject, needed: Sequence[str]
    ) -> Exchange[JsonObject]:
        """Sends a body that is refused again with only the needed members: the model chooses the others, and must not avoid the judgment with
        them."""
        try:
            return (yield from self._ask(path, body))
        except BodyRefused as error:
            logger.warning("%s of session %s is sent reduced, because %s.", path, self.id, error)
            reduced = {name: body[name] for name in needed}
            if "output" in body:
                # Some rules apply only to a run with an output.
                reduced["output"] = "The output could not be recorded."
            return (yield from self._ask(path, reduced))

    def _notify(
        self, path: str, body: JsonObject, needed: Sequence[str] = ()
    ) -> Exchange[JsonObject]:
        """Empty: the daemon had nothing to add, or gave no answer. `needed` empty: a refused body is not sent again."""
        ask = self._ask_or_reduce(path, body, needed) if needed else self._ask(path, body)
        try:
            return (yield from ask)
        except NoAnswer as error:
            logger.warning(
                "%s of session %s was not recorded, because %s.", path[1:], self.id, error
            )
            return {}

    def _let_through_once_blocked(self, via: Via, reason: str) -> Verdict:
        self._unjudged[via] += 1
        if self._unjudged[via] == 1:
            return Verdict(
                False,
                f"The stop could not be judged, because {reason}. Try again.",
                unjudged=reason,
            )
        logger.error("A stop of session %s was let through unjudged, because %s.", self.id, reason)
        write_overridden(self._state_folder, self.id, reason)
        return Verdict(True, unjudged=reason)

    def _ask(self, path: str, body: JsonObject | None) -> Exchange[JsonObject]:
        """Sends the body until it is decided: answers facts, and waits for a reviewer. Raises NoAnswer. `body` None: a GET."""
        method, sent = ("GET", b"") if body is None else ("POST", _encode_body(body))
        timeout, delay, needs = self._timeout, 0.0, 0
        while True:
            begun = time.monotonic()
            answer = yield Request(method, self._path + path, sent, timeout, delay)
            read = _read(answer)
            if not isinstance(answer, Answer) or answer.status != 202:
                return read
            if "waiting" in read:
                is_first = timeout == self._timeout
                delay = (
                    0.0
                    if is_first
                    else max(0.0, SHORTEST_POLL_SECONDS - (time.monotonic() - begun))
                )
                timeout = LONG_POLL_SECONDS + self._timeout
            elif "need" in read and needs < MAX_NEEDS:
                needs += 1
                yield from self._answer_facts(read["need"])
            else:
                raise NoAnswer("the answer of Signalbox cannot be read")

    def _answer_facts(self, needed: JsonValue) -> Exchange[None]:
        root = self._opening.get("workspace_root")
        facts: list[JsonValue] = []
        for fact in needed if isinstance(needed, list) else []:
            if isinstance(fact, dict):
                facts.append({"id": fact.get("id"), "value": _find_fact(root, fact)})
        _read(
            (
                yield Request(
                    "POST", f"{self._path}/facts", _encode_body({"facts": facts}), self._timeout
                )
            )
        )


def _find_fact(root: JsonValue, fact: JsonObject) -> JsonValue:
    """Unknown unless it is about a path in the workspace."""
    path = fact.get("path")
    is_file = fact.get("kind") == "file"
    if not isinstance(root, str) or not isinstance(path, str):
        return UNKNOWN if is_file else "unknown"
    if is_file:
        return look_up_file(root, path)
    return is_link(root, path) if fact.get("kind") == "link" else "unknown"


def _read(answer: Answer | Unanswered) -> JsonObject:
    """Raises NoAnswer for everything but a 2xx with a JSON object."""
    if isinstance(answer, Unanswered):
        raise NoAnswer(answer.reason)
    try:
        value = decode_object(answer.body)
    except ValueError:
        value = {}
        if answer.status in (200, 201, 202):
            _refuse("its answer is not JSON", answer.status)
    if answer.status not in (200, 201, 202):
        said = str(value.get("detail") or value.get("title") or "it gave no reason")
        _refuse(said.rstrip("."), answer.status)
    return value


def _refuse(reason: str, status: int) -> NoReturn:
    kind = BodyRefused if status in (400, 413) else NoAnswer
    raise kind(f"Signalbox refused the request with status {status}: {reason}")


def _encode_body(body: JsonObject) -> bytes:
    try:
        encoded = encode(body)
    except (ValueError, RecursionError) as error:
        raise BodyRefused(f"the request cannot be sent: {error}") from None
    if len(encoded) > MAX_SENT_BYTES:
        raise BodyRefused("the request is larger than 8 MiB")
    return encoded


def _describe_error(error: BaseException | str | None) -> JsonValue:
    if error is None:
        return None
    if isinstance(error, str):
        return {"message": error[:MAX_TEXT]}
    is_cancelled = isinstance(error, asyncio.CancelledError)
    kind = "cancelled" if is_cancelled else type(error).__name__
    return {"kind": kind, "message": str(error)[:MAX_TEXT]}


def _find_rules(rules: JsonValue) -> list[str]:
    named = rules if isinstance(rules, list) else []
    return [str(rule.get("rule")) for rule in named if isinstance(rule, dict)]


def _drop_none(**members: JsonValue) -> JsonObject:
    return {name: value for name, value in members.items() if value is not None}
