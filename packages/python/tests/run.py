"""Runs every test of this folder: `python3 packages/python/tests/run.py`. With a path, also writes counts and failures there as JSON, which
scripts/test.mjs adds to its own."""

from __future__ import annotations

import json
import os
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).parent


class CountingResult(unittest.TextTestResult):
    passed = 0

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self.passed += 1


def main(report: str | None) -> int:
    sys.path[:0] = [str(HERE), str(HERE.parent / "src")]
    # Programs that tests start find the package, too.
    os.environ["PYTHONPATH"] = str(HERE.parent / "src")
    tests = unittest.defaultTestLoader.discover(str(HERE))
    result = unittest.TextTestRunner(resultclass=CountingResult).run(tests)
    assert isinstance(result, CountingResult)
    failures = [f"{test.id()}\n{text}" for test, text in [*result.failures, *result.errors]]
    failures += [
        f"{test.id()}\nThe test was expected to fail." for test in result.unexpectedSuccesses
    ]
    if report is not None:
        counts = {"passed": result.passed, "failed": len(failures), "skipped": len(result.skipped)}
        Path(report).write_text(json.dumps({**counts, "failures": failures}), "utf-8")
    return 0 if result.passed > 0 and failures == [] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else None))
