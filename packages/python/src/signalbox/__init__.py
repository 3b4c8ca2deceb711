"""Guardrails for agents in Python: every call and every stop is judged by the Signalbox daemon beside the agent, and fails closed without it."""

from ._async_session import AsyncSession, async_session
from ._errors import Denied, SignalboxError, Unavailable, VerificationFailed
from ._loop import Message, ToolCall, Turn
from ._model import ABSENT, CUSTOM_LOOP, Budget, Call, Capabilities, Report, Step, Verdict
from ._opening import Settings
from ._session import Session, session
from ._version import VERSION as __version__

__all__ = [
    "ABSENT",
    "CUSTOM_LOOP",
    "AsyncSession",
    "Budget",
    "Call",
    "Capabilities",
    "Denied",
    "Message",
    "Report",
    "Session",
    "Settings",
    "SignalboxError",
    "Step",
    "ToolCall",
    "Turn",
    "Unavailable",
    "Verdict",
    "VerificationFailed",
    "__version__",
    "async_session",
    "session",
]
