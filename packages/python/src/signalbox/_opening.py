"""Settings of a session, and where its daemon is."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TypedDict

from ._guard import Guard, Unanswered
from ._http import Address, parse_address
from ._json import JsonObject, to_json_object
from ._model import CUSTOM_LOOP, Budget, Capabilities, Deadline, to_epoch_ms


class Settings(TypedDict, total=False):
    """Settings of a session, all optional."""

    #: Version of the agent.
    agent_version: str
    #: Name and version of the agent's framework, such as `crewai 1.2`.
    framework: str
    #: A process that was killed goes on with its session under the same key. Absent: a new session.
    session_key: str
    #: Folder in which the tools work. Absent: files are unknown, and rules about files deny.
    workspace_root: str | os.PathLike[str]
    deadline: Deadline
    budget: Budget
    tags: Mapping[str, str]
    #: W3C traceparent of the span that the session belongs to.
    trace: str
    #: Absent: a loop of your own that submits every call and every stop.
    capabilities: Capabilities
    #: Socket path, or `http://host:port`, or `https://host:port`. Absent: SIGNALBOX_AGENT_URL, else SIGNALBOX_AGENT_SOCKET, else the socket
    #: of this user's daemon.
    address: str
    #: File with the token for TCP. Absent: SIGNALBOX_AGENT_TOKEN_FILE.
    token_file: str
    #: File with the certificates that https trusts. Absent: those of the system.
    ca_file: str
    #: Seconds to wait for an answer before the call is denied. Absent: 5.
    timeout: float
    #: Seconds between two heartbeats; 0: none. Absent: 60.
    beat_every: float
    #: Folder for records of stops that could not be judged. Absent: `signalbox` in XDG_STATE_HOME.
    state_folder: str | os.PathLike[str]


DEFAULT_TIMEOUT_SECONDS = 5.0
DEFAULT_BEAT_SECONDS = 60.0


def create_guard(prompt: str, agent: str, settings: Settings) -> Guard:
    """Raises TypeError or ValueError for a setting that cannot be sent."""
    opening: JsonObject = {
        "prompt": prompt,
        "session_key": settings.get("session_key", str(uuid.uuid4())),
        "agent": _describe_agent(agent, settings),
        "capabilities": to_json_object(settings.get("capabilities", CUSTOM_LOOP)),
    }
    if "workspace_root" in settings:
        opening["workspace_root"] = os.path.abspath(settings["workspace_root"])
    if "deadline" in settings:
        opening["deadline_at"] = to_epoch_ms(settings["deadline"])
    if "budget" in settings:
        limits = asdict(settings["budget"])
        opening["budget"] = {name: limit for name, limit in limits.items() if limit is not None}
    if "tags" in settings:
        opening["tags"] = to_json_object(settings["tags"])
    if "trace" in settings:
        opening["trace"] = settings["trace"]
    folder = settings.get("state_folder", _find_state_home() / "signalbox" / "overridden")
    return Guard(
        opening,
        timeout=settings.get("timeout", DEFAULT_TIMEOUT_SECONDS),
        state_folder=os.path.abspath(folder),
    )


def find_daemon(settings: Settings) -> Address:
    """Raises ValueError for an address that cannot be used, and OSError for a file that cannot be read."""
    variables = (os.environ.get(f"SIGNALBOX_AGENT_{name}") for name in ("URL", "SOCKET"))
    address = next(filter(None, [settings.get("address"), *variables]), _find_default_socket())
    token_file = settings.get("token_file") or os.environ.get("SIGNALBOX_AGENT_TOKEN_FILE")
    return parse_address(address, token_file, settings.get("ca_file"))


def describe_failure(address: Address, timeout: float, error: OSError) -> Unanswered:
    if isinstance(error, TimeoutError):
        return Unanswered(f"Signalbox did not answer within {timeout:g} s")
    if isinstance(error, (ConnectionRefusedError, FileNotFoundError)):
        return Unanswered(
            f"no Signalbox daemon listens on {address}: start it with `signalbox daemon`"
        )
    return Unanswered(f"the connection to Signalbox on {address} failed: {error}")


def _describe_agent(name: str, settings: Settings) -> JsonObject:
    agent: JsonObject = {"name": name, "language": "python"}
    if "agent_version" in settings:
        agent["version"] = settings["agent_version"]
    if "framework" in settings:
        agent["framework"] = settings["framework"]
    return agent


def _find_default_socket() -> str:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folder = Path(runtime) if runtime else _find_state_home()
    return str(folder / "signalbox" / "agent.sock")


def _find_state_home() -> Path:
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
