"""Agent of the compatibility kit (packages/testkit/src/compat): a bare loop whose model follows a script. Reads one run a line, as JSON; answers
`{"opened": true}`, waits for a line, and answers what the model received and what the run gave. With `has_orders`, each turn begins with `{"ended": n}`, the
number of calls that have ended, and waits for a line."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import signalbox
from signalbox import Message, Step, ToolCall, Turn


class ScriptedModel:
    """Afterwards it always answers that it is done."""

    def __init__(self, script: list[dict[str, Any]], has_orders: bool) -> None:
        self._script = script
        self._has_orders = has_orders
        self._calls = 0
        #: Text of each request.
        self.requests: list[str] = []

    def __call__(self, messages: Sequence[Message]) -> Turn:
        turn = self._script[len(self.requests)] if len(self.requests) < len(self._script) else {}
        self.requests.append("\n".join(message.content for message in messages))
        if self._has_orders:
            send({"ended": self._calls})
            sys.stdin.readline()
        self._calls += len(turn.get("calls", ()))
        used = {"input_tokens": 10, "output_tokens": 5}
        if "calls" in turn:
            return Turn(calls=[translate(call) for call in turn["calls"]], **used)
        if "output" in turn:
            return Turn(output=turn["output"], **used)
        return Turn(text=turn.get("say", "Done."), **used)


def translate(call: dict[str, Any]) -> ToolCall:
    """A call in the kit's terms as a call of this agent's tools."""
    if "write" in call:
        return ToolCall(
            "call", "write_file", {"file_path": call["write"], "content": call["content"]}
        )
    if "read" in call:
        return ToolCall("call", "read_file", {"file_path": call["read"]})
    if "check" in call:
        return ToolCall("call", "run_check", {"how": call["check"]})
    steps = [[step["title"], "done" if step["done"] else "pending"] for step in call["plan"]]
    return ToolCall("call", "update_plan", {"steps": steps})


def run(settings: dict[str, Any]) -> dict[str, Any]:
    workspace = settings["workspace"]
    own: signalbox.Settings = {
        "address": settings["address"],
        "workspace_root": workspace,
        "state_folder": settings["state_folder"],
        "timeout": settings["timeout"],
    }
    if "token_file" in settings:
        own["token_file"] = settings["token_file"]
    if "deadlineInMs" in settings:
        own["deadline"] = timedelta(milliseconds=settings["deadlineInMs"])
    if "budget" in settings:
        own["budget"] = signalbox.Budget(**settings["budget"])
    model = ScriptedModel(settings["script"], settings["has_orders"])
    with signalbox.session("compat/kit", agent="kit", **own) as s:

        def write_file(file_path: str, content: str) -> str:
            with open(os.path.join(workspace, file_path), "w", encoding="utf-8") as file:
                file.write(content)
            return "Written."

        def read_file(file_path: str) -> str:
            with open(os.path.join(workspace, file_path), encoding="utf-8") as file:
                return file.read()

        def run_check(how: str) -> str:
            if how == "passes":
                return "The check passed."
            file = how.removeprefix("fails").removeprefix(" with ")
            raise RuntimeError(read_file(file) if file else "The check failed.")

        def update_plan(steps: list[list[str]]) -> str:
            s.plan([Step(title, status) for title, status in steps])
            return "Planned."

        send({"opened": True})
        sys.stdin.readline()
        tools = {one.__name__: one for one in (write_file, read_file, run_check, update_plan)}
        turn = s.guarded_loop(model, tools, [Message("user", "Begin.")])
        output = turn.text if turn.output is signalbox.ABSENT else turn.output
        s.end(output=output)
    return {"requests": model.requests, "output": output}


def send(answer: dict[str, Any]) -> None:
    sys.stdout.write(f"{json.dumps(answer)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    logging.getLogger("signalbox").setLevel(logging.CRITICAL)
    for line in sys.stdin:
        send(run(json.loads(line)))
