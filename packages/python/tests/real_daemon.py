"""The daemon that users run, as the build left it (`npm run build:packages`, or `npm test`)."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any

COMMAND = Path(__file__).parents[2] / "cli/dist/bin/main.js"

RULES = {
    "schema_version": 1,
    "ns": "team",
    "key": "coder",
    "policies": [
        {"id": "order", "type": "sequential_dependency", "dependencies": {"deploy": ["build"]}},
        {
            "id": "read-first",
            "type": "read_before_write",
            "read_tools": ["read_file"],
            "write_tools": ["write_file"],
        },
    ],
    "task_completion_checker": {"id": "files", "type": "files_exist", "files": ["done.txt"]},
}


class RealDaemon:
    """`words`: more options of `signalbox daemon`. `rules`: more members of its config."""

    def __init__(self, *words: str, rules: dict[str, object] | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="sbx-"))
        self.workspace = self.folder / "work"
        self.workspace.mkdir()
        self.address = str(self.folder / "agent.sock")
        self.token_file = str(self.folder / "agent.token")
        self.overridden = self.folder / "state/signalbox/overridden"
        #: Address of the port; empty: there is none.
        self.url = ""
        self._events = self.folder / "events.ndjson"
        (self.folder / "config.json").write_text(json.dumps({**RULES, **(rules or {})}))
        self._words = [
            *("--config", str(self.folder / "config.json"), "--events", str(self._events)),
            *("--socket", str(self.folder / "daemon.sock"), "--port", "off"),
            *("--root", str(self.folder), *words),
        ]

    def __enter__(self) -> RealDaemon:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.remove()

    def remove(self) -> None:
        self.kill()
        shutil.rmtree(self.folder)

    def start(self) -> None:
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "XDG_STATE_HOME": str(self.folder / "state"),
        }
        self._process = subprocess.Popen(
            ["node", str(COMMAND), "daemon", *self._words],
            env=env,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said = ""
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self.said += line
            if line.startswith("signalbox daemon: agents"):
                port = re.search(r"https?://127\.0\.0\.1:\d+", line)
                self.url = port.group() if port else ""
                return
        raise AssertionError(f"The daemon did not start: {self.said}")

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stderr is not None
        self._process.stderr.close()

    def events(self, kind: str, session: str | None = None) -> list[dict[str, Any]]:
        """Data of every recorded event of this type. `session` None: of all sessions."""
        lines = self._events.read_text("utf-8").splitlines()
        events = [json.loads(line) for line in lines]
        return [
            one["data"]
            for one in events
            if one["type"] == kind and session in (None, one["session"])
        ]
