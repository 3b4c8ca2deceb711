"""Values that agents give to a session and get from it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from typing import Literal, TypedDict

from ._json import JsonObject, JsonValue


class _Absent(Enum):
    ABSENT = "absent"


#: In place of an output that does not exist; None is an output.
ABSENT = _Absent.ABSENT

Outcome = Literal["success", "failure", "invalid", "unknown"]
Via = Literal["turn_end", "structured_output", "subagent_end", "final"]
EndReason = Literal["completed", "failed", "aborted"]


class _Enforced(TypedDict):
    deny_reason: bool
    inject: Literal["message", "in_result", "none"]
    block_stop: Literal["in_loop", "reprompt", "none"]
    #: Limit of the framework on blocked stops in a row; None: it has none.
    max_blocks: int | None
    structured: Literal["before_accept", "final_message", "post_only", "none"]
    structured_attempts: int | None
    failure: Literal["event", "text", "stream", "none"]
    call_ids: bool
    batch: Literal["serial", "parallel"]
    on_guard_crash: Literal["closed", "open"]
    on_guard_timeout: Literal["closed", "open"]
    #: Longest time in seconds that a call may wait for a reviewer; None: no limit.
    approval_seconds: int | None
    #: Tools that the guard does not cover, as text for people.
    ungoverned: list[str]


class Capabilities(_Enforced, total=False):
    """Abilities of the agent's framework; the console shows what it cannot enforce. Meanings: specs/adapters.md."""

    #: A call can run with other arguments than those that the model gave. Absent: it cannot.
    replaces_arguments: bool
    #: The model can be given another result than the tool returned. Absent: it cannot.
    replaces_results: bool


#: A loop of your own that submits every call and every stop.
CUSTOM_LOOP: Capabilities = {
    "deny_reason": True,
    "inject": "in_result",
    "block_stop": "in_loop",
    "max_blocks": None,
    "structured": "before_accept",
    "structured_attempts": None,
    "failure": "event",
    "call_ids": True,
    "batch": "parallel",
    "on_guard_crash": "closed",
    "on_guard_timeout": "closed",
    "approval_seconds": None,
    "replaces_arguments": True,
    "replaces_results": True,
    "ungoverned": [],
}


@dataclass(frozen=True)
class Budget:
    """Limits in tokens. None: no limit."""

    max_total_tokens: int | None = None
    max_input_tokens: int | None = None
    max_output_tokens: int | None = None


#: A time span counts from now; a datetime without a time zone is local time.
Deadline = datetime | timedelta


def to_epoch_ms(deadline: Deadline) -> int:
    if isinstance(deadline, timedelta):
        return round((time.time() + deadline.total_seconds()) * 1000)
    return round(deadline.timestamp() * 1000)


@dataclass(frozen=True)
class Call:
    """An allowed call. Run it with these arguments: a content rule may have masked some."""

    call_id: str
    tool: str
    args: JsonObject
    #: Reading of time.monotonic at the decision, in seconds.
    allowed_at: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class Report:
    """`feedback` None: there is none. `output` ABSENT: the result stays as it is."""

    feedback: str | None
    output: JsonValue | Literal[_Absent.ABSENT] = ABSENT


@dataclass(frozen=True)
class Verdict:
    """Answer to a stop. `message` is for the agent, empty when allowed. `unjudged`: reason why the guard could not be asked; None: it was."""

    allowed: bool
    message: str = ""
    remaining: Sequence[JsonValue] = ()
    unjudged: str | None = None


@dataclass(frozen=True)
class Step:
    """Step of a plan. Only the status `done` counts as done; None does not."""

    title: str
    status: str | None = None
    id: str | None = None
