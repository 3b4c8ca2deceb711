"""The Python programs of our documents. Those that name this test run as they stand. Those for frameworks are not run here, but use only what
this package has."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from scripted_daemon import ScriptedDaemon, answer

import signalbox

ROOT = Path(__file__).parents[3]
ALLOW = (200, {"decision": "allow"})


def read_programs(file: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", file.read_text("utf-8"), re.M | re.S)


class DocumentsTest(unittest.TestCase):
    def test_every_program_that_names_this_test_runs(self) -> None:
        documents = [ROOT / "packages/python/README.md", *(ROOT / "docs").rglob("*.md")]
        mark = f"<!-- run: by {Path(__file__).relative_to(ROOT)} -->\n"
        marked = [(page, page.read_text("utf-8").count(mark)) for page in documents]
        programs = [
            program for page, count in marked if count > 0 for program in read_programs(page)
        ]
        self.assertEqual(len(programs), sum(count for _, count in marked))
        self.assertGreater(len(programs), 3)
        for program in programs:
            daemon = ScriptedDaemon(answer(before_tool=ALLOW, after_tool=(200, {}), stop=ALLOW))
            with self.subTest(program), daemon, tempfile.TemporaryDirectory() as folder:
                ran = subprocess.run(
                    [sys.executable, "-c", program],
                    cwd=folder,
                    env={**os.environ, "SIGNALBOX_AGENT_URL": daemon.address},
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
                self.assertEqual(ran.returncode, 0, ran.stdout)
                self.assertEqual(daemon.paths()[-1], "end")

    def test_every_program_for_a_framework_uses_what_the_package_has_and_is_labeled(self) -> None:
        for name in ("claude-agent-sdk", "crewai", "langchain", "openai-agents", "pydantic-ai"):
            page = ROOT / "docs/agents" / f"{name}.md"
            with self.subTest(name):
                self.assertRegex(
                    page.read_text("utf-8"), r"\*Not run here\.\* Written against `[\w-]+` \d"
                )
                (program,) = read_programs(page)
                for node in ast.walk(ast.parse(program)):
                    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
                        continue
                    if node.value.id == "signalbox":
                        self.assertIn(node.attr, signalbox.__all__)
                    elif node.value.id == "s":
                        self.assertTrue(hasattr(signalbox.AsyncSession, node.attr), node.attr)
