"""Messages between a bare loop and its model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ._model import ABSENT


@dataclass(frozen=True)
class ToolCall:
    """Call that the model asks for. `id` is the model's own."""

    id: str
    tool: str
    args: Mapping[str, object]


@dataclass(frozen=True)
class Turn:
    """Answer of the model. Without calls it ends the run, with its text or with `output`, the structured output.

    `input_tokens` and `output_tokens` count this turn; None: the model does not report them."""

    text: str = ""
    calls: Sequence[ToolCall] = ()
    output: object = ABSENT
    stop_reason: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True)
class Message:
    """Text for the model, or from it. `call_id`: the call whose result this is; None: it is no result."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    calls: Sequence[ToolCall] = field(default=())
    call_id: str | None = None
