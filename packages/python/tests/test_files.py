from __future__ import annotations

import hashlib
import os
import pathlib
import tempfile
import unittest

from signalbox._files import MAX_HASHED_BYTES, is_link, look_up_file

UNKNOWN = {"exists": "unknown"}


class FilesTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.outside = pathlib.Path(folder.name)
        self.root = self.outside / "work"
        (self.root / "sub").mkdir(parents=True)
        (self.root / "a.txt").write_bytes(b"text")
        (self.outside / "secret").write_bytes(b"x")
        (self.root / "inner").symlink_to("a.txt")
        (self.root / "outer").symlink_to(self.outside / "secret")
        (self.root / "up").symlink_to(self.outside)
        (self.root / "dangling").symlink_to("nothing")
        (self.root / "loop").symlink_to("loop")
        os.mkfifo(self.root / "pipe")

    def look_up(self, path: str) -> object:
        return look_up_file(str(self.root), path)

    def test_a_file_has_the_digest_of_its_content_also_through_a_link_inside(self) -> None:
        digest = f"sha256:{hashlib.sha256(b'text').hexdigest()}"
        expected = {"exists": True, "kind": "file", "fingerprint": digest}
        for path in ("a.txt", "inner"):
            self.assertEqual(self.look_up(path), expected)

    def test_a_folder_has_no_fingerprint(self) -> None:
        for path in ("sub", "", "."):
            self.assertEqual(self.look_up(path), {"exists": True, "kind": "directory"})

    def test_a_missing_file_does_not_exist_wherever_its_path_ends(self) -> None:
        for path in ("b.txt", "sub/b.txt", "no/such/folder", "a.txt/below"):
            self.assertEqual(self.look_up(path), {"exists": False})

    def test_what_cannot_be_determined_is_unknown(self) -> None:
        for path in (
            "outer",
            "up/secret",
            "up/new",
            "dangling",
            "dangling/x",
            "loop",
            "pipe",
            "a\0b",
        ):
            self.assertEqual(self.look_up(path), UNKNOWN, path)

    def test_a_path_that_leaves_the_workspace_is_unknown(self) -> None:
        for path in ("../secret", "sub/../../secret", "/etc/passwd", str(self.root / "a.txt")):
            self.assertEqual(self.look_up(path), UNKNOWN, path)
            self.assertEqual(is_link(str(self.root), path), "unknown", path)

    def test_a_missing_workspace_is_unknown(self) -> None:
        self.assertEqual(look_up_file(str(self.outside / "gone"), "a.txt"), UNKNOWN)

    def test_a_large_file_is_compared_by_size_and_time(self) -> None:
        with open(self.root / "large", "wb") as file:
            file.truncate(MAX_HASHED_BYTES + 1)
        fact = look_up_file(str(self.root), "large")
        self.assertRegex(str(fact["fingerprint"]), rf"^stat:{MAX_HASHED_BYTES + 1}:\d+$")

    def test_links_are_recognized_without_following_the_last_one(self) -> None:
        root = str(self.root)
        for path in ("inner", "outer", "dangling", "loop"):
            self.assertIs(is_link(root, path), True, path)
        for path in ("a.txt", "sub", "nothing", "a.txt/below"):
            self.assertIs(is_link(root, path), False, path)
