from __future__ import annotations

import concurrent.futures
import pathlib
import stat
import sys
import tempfile
import unittest

import ragdb

from .server import Calls, Case, program


class TestCalls(Calls, Case):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.db = ragdb.open(cls.demo, program=program())

    def test_new_database(self) -> None:
        db = ragdb.open(self.folder / "new.ragdb", program=program())
        with self.assertRaises(ragdb.NotFoundError):
            db.status()
        self.assertEqual(db.add([ragdb.Document("a", "The owl of Alta nests in Bergen.")], methods=["bridge"]).added, 1)
        self.assertEqual(db.status().methods, ["bridge"])
        self.assertIn("Bergen", db.ask("Where does the owl of Alta nest?").text)

    def test_lines_for_the_shell(self) -> None:
        for statement in (".help", "RETURN 1;\n  .help", ":help"):
            with self.assertRaises(ragdb.UsageError):
                self.db.query(statement)
        with self.assertRaises(ragdb.UsageError):
            self.db.query("RETURN 1", {"a b": 1})
        self.assertEqual(list(self.db.query("RETURN $v AS v", {"v": "a\n.help\n:x"})), [{"v": "a\n.help\n:x"}])

    def test_what_the_command_cannot_take(self) -> None:
        for d in (
            ragdb.Document("a", "x", meta={"title": "y"}),
            ragdb.Document("a.md", "x", title="y"),
            ragdb.Document("a.md", "x", meta={"l": ["y"]}),
        ):
            with self.assertRaises(ragdb.UsageError):
                self.db.add([d])
        with self.assertRaises(ragdb.UsageError):
            self.db.ask("a\0b")

    def test_program(self) -> None:
        with self.assertRaises(ragdb.Error) as e:
            ragdb.open(self.demo, program="/absent/ragdb").status()
        self.assertEqual(e.exception.code, "unreachable")

    @unittest.skipIf(sys.platform == "win32", "the program of the test is a script")
    def test_strange_programs(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            script = pathlib.Path(name, "ragdb")
            for body, code in (("echo hello", "protocol"), ("echo broken >&2; exit 7", "protocol")):
                script.write_text("#!/bin/sh\n" + body + "\n")
                script.chmod(script.stat().st_mode | stat.S_IXUSR)
                with self.assertRaises(ragdb.Error) as e:
                    ragdb.open(self.demo, program=script).status()
                self.assertEqual(e.exception.code, code)

    def test_timeout(self) -> None:
        slow = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(*)"
        with self.assertRaises(ragdb.Error) as e:
            list(ragdb.open(self.demo, program=program(), timeout=0.05).query(slow))
        self.assertIn(e.exception.code, ("timeout", "limit"))


class TestBesideServer(Case):
    """The command works through the server that holds the database."""

    def test_both(self) -> None:
        address = self.serve("demo.ragdb")
        db = ragdb.open(self.demo, program=program())
        with ragdb.connect(address) as served:
            self.assertEqual(list(db.documents()), list(served.documents()))
            question = "How many steps does the tower of the lighthouse have?"
            a, b = db.ask(question), served.ask(question)
            self.assertEqual((a.text, a.sources, a.nearest), (b.text, b.sources, b.nearest))
            self.assertEqual([h.raw for h in db.search(question)], [h.raw for h in served.search(question)])
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                list(pool.map(lambda n: (db, served)[n % 2].add([ragdb.Document(f"n{n}", f"Number {n}.")]), range(6)))
            self.assertEqual(len(list(served.documents(prefix="n"))), 6)


class TestLocked(Case):
    def test_locked(self) -> None:
        self.serve("demo.ragdb", "--no-attach")
        with self.assertRaises(ragdb.BusyError) as e:
            ragdb.open(self.demo, program=program()).status()
        self.assertEqual((e.exception.code, e.exception.status), ("locked", 4))
