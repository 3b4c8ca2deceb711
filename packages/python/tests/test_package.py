"""The wheel and the source archive, as the build writes them."""

from __future__ import annotations

import base64
import csv
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[3]
WRITE = "import('./scripts/python-package.mjs').then((made) => made.writePythonPackage(process.argv[1]))"


class PackageTest(unittest.TestCase):
    folder: tempfile.TemporaryDirectory[str]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.write_package(cls.folder.name, {})
        (cls.wheel,) = Path(cls.folder.name).glob("*.whl")
        (cls.archive,) = Path(cls.folder.name).glob("*.tar.gz")

    @staticmethod
    def write_package(folder: str, env: dict[str, str]) -> None:
        command = ["node", "-e", WRITE, folder]
        subprocess.run(command, cwd=ROOT, env={**os.environ, **env}, check=True)

    def test_the_record_of_the_wheel_names_every_file_with_its_digest(self) -> None:
        with zipfile.ZipFile(self.wheel) as wheel:
            (record,) = [name for name in wheel.namelist() if name.endswith("/RECORD")]
            rows = list(csv.reader(wheel.read(record).decode().splitlines()))
            self.assertEqual([row[0] for row in rows], wheel.namelist())
            for name, digest, size in rows:
                if name == record:
                    continue
                data = wheel.read(name)
                told = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, size), (f"sha256={told}", str(len(data))))

    def test_pip_installs_the_wheel_without_a_network_and_it_runs_on_its_own(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            pip = ["-m", "pip", "--isolated", "install", "--quiet", "--no-index", "--no-cache-dir"]
            command = [sys.executable, *pip, "--target", place, str(self.wheel)]
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
            program = (
                "import importlib.metadata, signalbox\n"
                "assert importlib.metadata.version('signalbox') == signalbox.__version__\n"
                "assert importlib.metadata.requires('signalbox') is None\n"
                "print(signalbox.__file__)"
            )
            ran = subprocess.run(
                [
                    sys.executable,
                    "-I",
                    "-c",
                    f"import sys; sys.path.insert(0, {place!r})\n{program}",
                ],
                check=True,
                stdout=subprocess.PIPE,
                text=True,
            )
            self.assertEqual(ran.stdout.strip(), os.path.join(place, "signalbox", "__init__.py"))
            self.assertTrue(Path(place, "signalbox", "py.typed").exists())

    def test_the_source_archive_holds_the_same_modules(self) -> None:
        with zipfile.ZipFile(self.wheel) as wheel, tarfile.open(self.archive) as archive:
            for name in wheel.namelist():
                if name.startswith("signalbox/"):
                    (member,) = [one for one in archive.getnames() if one.endswith(f"/src/{name}")]
                    packed = archive.extractfile(member)
                    assert packed is not None
                    self.assertEqual(packed.read(), wheel.read(name))
            names = {name.partition("/")[2] for name in archive.getnames()}
            self.assertLessEqual({"PKG-INFO", "pyproject.toml", "README.md", "LICENSE"}, names)

    def test_the_same_sources_give_the_same_bytes_in_every_time_zone(self) -> None:
        with tempfile.TemporaryDirectory() as again:
            self.write_package(again, {"TZ": "Pacific/Kiritimati"})
            for file in (self.wheel, self.archive):
                self.assertEqual(Path(again, file.name).read_bytes(), file.read_bytes())
