"""Errors of this package. Each text is a sentence that the agent or its operator can act on."""

from __future__ import annotations

from collections.abc import Sequence


class SignalboxError(Exception):
    """Base of all errors of this package."""


class Denied(SignalboxError):
    """The call must not run, or its result must not reach the agent. Give the text to the agent.

    `rules`: ids of the rules that denied; empty: the guard could not be asked."""

    def __init__(self, reason: str, rules: Sequence[str] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.rules = tuple(rules)


class Unavailable(SignalboxError):
    """The session could not be opened: the daemon is away, or refuses the prompt. Without a session no call is allowed."""


class VerificationFailed(SignalboxError):
    """The run ended with an output although its task is incomplete, and its config makes that an error."""
