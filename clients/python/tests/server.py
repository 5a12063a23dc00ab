"""A database and a server of it for tests, by the program that RAGDB_PROGRAM names, or
by one that is built from the repository."""

from __future__ import annotations

import atexit
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import TYPE_CHECKING

import ragdb

ADMIN, READER = "admin-token-of-the-tests", "reader-token-of-the-tests"


@functools.cache
def program() -> str:
    """The program to test."""
    if given := os.environ.get("RAGDB_PROGRAM"):
        return given
    folder = tempfile.mkdtemp(prefix="ragdb-client")
    atexit.register(shutil.rmtree, folder)
    built = str(pathlib.Path(folder, "ragdb.exe" if sys.platform == "win32" else "ragdb"))
    root = pathlib.Path(__file__).resolve().parents[3]
    subprocess.run(["go", "build", "-o", built, "./cmd/ragdb"], cwd=root, check=True)
    return built


class Case(unittest.TestCase):
    """A class of tests that have a folder with the demo's database."""

    folder: pathlib.Path
    demo: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.demo = cls.folder / "demo.ragdb"
        cls.run_program("demo")

    if sys.version_info < (3, 11):

        @classmethod
        def enterClassContext(cls, cm):  # type: ignore[no-untyped-def]
            value = cm.__enter__()
            cls.addClassCleanup(cm.__exit__, None, None, None)
            return value

    @classmethod
    def run_program(cls, *args: str) -> None:
        subprocess.run([program(), *args], cwd=cls.folder, check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def serve(cls, *databases: str, tokens: bool = False) -> str:
        """Serve databases of the folder until the class ends, and return the address."""
        args = [program(), "serve", *databases, "--addr=127.0.0.1:0", "--quiet"]
        if tokens:
            file = cls.folder / "tokens"
            file.write_text(f"{ADMIN} admin\n{READER} read demo/main\n")
            file.chmod(0o600)
            args.append(f"--token-file={file}")
        p = subprocess.Popen(args, cwd=cls.folder, stdout=subprocess.PIPE, text=True)

        def end() -> None:
            p.terminate()
            p.communicate(timeout=30)

        cls.addClassCleanup(end)
        assert p.stdout is not None
        line = p.stdout.readline()
        found = re.search(r"http://\S+?(?=[ ,;]|$)", line)
        if found is None:
            raise AssertionError(f"serve printed {line!r}")
        return found.group()


# The tests of Calls run in the classes that extend it alone.
if TYPE_CHECKING:
    Base = Case
else:
    Base = object


class Calls(Base):
    """What both kinds of a database do alike. A class of tests has ``db``, the demo's."""

    db: ragdb.Database

    def test_ask(self) -> None:
        a = self.db.ask("How many steps does the tower of the lighthouse have?")
        self.assertTrue(a.answered)
        self.assertIn("187 steps", a.text)
        self.assertEqual(a.method, "bridge")
        self.assertEqual(a.sources[0].doc, "lighthouse/lantern-point.md")
        self.assertEqual(a.sources[0].heading, "The tower")
        self.assertTrue(a.sources[0].chunk.startswith("c:"))
        begin, end = a.sources[0].bytes
        self.assertLess(begin, end)
        self.assertTrue(a.trace.startswith("t:"))

    def test_ask_refuses(self) -> None:
        a = self.db.ask("Who was the first person on the Moon?", top=5)
        self.assertFalse(a.answered)
        self.assertEqual(a.sources, [])
        self.assertTrue(a.nearest)
        self.assertTrue(all(p.doc and p.text for p in a.nearest))

    def test_options(self) -> None:
        hits = self.db.search("Which comet was found?", method="bm25", where="kind = 'comet' OR kind = 'person'", top=2)
        self.assertTrue(0 < len(hits) <= 2)
        self.assertEqual({h.method for h in hits}, {"bm25"})
        self.assertEqual([h.rank for h in hits], list(range(1, len(hits) + 1)))
        self.assertTrue(all(h.text and h.sources[0].doc for h in hits))
        few = self.db.search("Which comet was found?", budget=100)
        self.assertLessEqual(sum(h.tokens for h in few), 100)

    def test_stream(self) -> None:
        got: list[str] = []
        question = "How many steps does the tower of the lighthouse have?"
        a = self.db.ask(question, stream=got.append)
        self.assertEqual("".join(got), a.text)
        with self.db.ask_stream(question) as stream:
            text = "".join(stream)
            self.assertEqual(text, a.text)
            self.assertEqual(stream.answer.sources, a.sources)
        self.assertEqual(self.db.ask_stream(question).answer.text, a.text)

    def test_why(self) -> None:
        question = "How many steps does the tower of the lighthouse have?"
        whys = self.db.why(question, "lighthouse/lantern-point.md")
        self.assertEqual([w.id for w in whys], ["c:lighthouse/lantern-point.md#0", "c:lighthouse/lantern-point.md#1", "c:lighthouse/lantern-point.md#2"])
        self.assertTrue(whys[1].kept)
        one = self.db.why(question, "c:lighthouse/lantern-point.md#1")
        self.assertEqual([(w.id, w.rank, w.verdict) for w in one], [(whys[1].id, whys[1].rank, whys[1].verdict)])

    def test_query(self) -> None:
        rows = list(self.db.query("MATCH (d:document) WHERE d.key STARTS WITH $p RETURN d.key AS k ORDER BY k", {"p": "ships/"}))
        self.assertEqual([r["k"] for r in rows], [f"ships/{n}.md" for n in ("constance", "ferry", "halcyon", "petrel")])
        value = {"a b": ["x\"'`\\\n\u00e9😀", 1, -2.5, True, None], "c`": {"d": []}}
        self.assertEqual(list(self.db.query("RETURN $v AS v", {"v": value})), [{"v": value}])
        self.assertEqual(list(self.db.query("MATCH (d:document) WHERE d.key = 'none' RETURN d")), [])
        self.assertEqual(list(self.db.query("RETURN {code: 'x'} AS error")), [{"error": {"code": "x"}}])
        first = next(self.db.query("UNWIND range(1, 1000000) AS n RETURN n"))
        self.assertEqual(first, {"n": 1})

    def test_query_writes_only_if_told(self) -> None:
        make = "USE notes CREATE (n:note {key: 'one', text: 'kept'}) RETURN n.text AS t"
        self.db.query("CALL db.createGraph('notes')", write=True)  # the rows are not read
        find = "USE notes MATCH (n:note) RETURN n.text AS t"
        with self.assertRaises(ragdb.Error) as e:
            list(self.db.query(make))
        self.assertEqual(e.exception.code, "read_only")
        self.assertEqual(list(self.db.query(make, write=True)), [{"t": "kept"}])
        self.assertEqual(list(self.db.query(find)), [{"t": "kept"}])
        self.db.query("USE notes MATCH (n:note) DETACH DELETE n", write=True)
        self.assertEqual(list(self.db.query(find)), [])

    def test_documents(self) -> None:
        rows = list(self.db.documents(prefix="observatory/"))
        self.assertEqual(len(rows), 6)
        row = next(r for r in rows if r.id == "observatory/comet-1889.md")
        self.assertEqual((row.title, row.format, row.lang), ("The comet of 1889", "md", "en"))
        self.assertEqual(row.meta["year"], "1889")

    def test_add_and_remove(self) -> None:
        docs: list[ragdb.Document | dict[str, object]] = [
            ragdb.Document(
                "notes/-é*?.txt", "The kraken sleeps under Bergen.", title="Kraken", meta={"year": 2024, "tags": ["a", "b"]}
            ),
            {"id": "-q", "text": "The herring king lives near Hitra.", "meta": {"deep": True}},
            ragdb.Document("w.md", "# Whales\n\n## Food\n\nThe blue whale of Narvik eats krill.", meta={"year": 2020}),
            ragdb.Document("b.html", content=b"<h1>Seals</h1><p>The seal Bodil barks at dawn.</p>"),
        ]
        before = self.db.status().docs
        done = self.db.add(docs)
        self.assertEqual((done.added, done.replaced, done.unchanged, done.docs), (4, 0, 0, before + 4))
        again = self.db.add(iter(docs))
        self.assertEqual((again.added, again.unchanged), (0, 4))
        self.assertIn("Bergen", self.db.ask("Where does the kraken sleep?").text)
        self.assertEqual({h.sources[0].doc for h in self.db.search("whale", where="year = 2020")}, {"w.md"})
        self.assertEqual({h.sources[0].doc for h in self.db.search("kraken", where="year >= 2024")}, {"notes/-é*?.txt"})
        source = self.db.ask("What does the blue whale of Narvik eat?").sources[0]
        self.assertEqual((source.doc, source.heading), ("w.md", "Food"))
        row = next(self.db.documents(prefix="notes/"))
        self.assertEqual((row.title, row.meta["tags"]), ("Kraken", '["a" "b"]'))
        dry = self.db.remove(["w.md", "-q"], dry_run=True)
        self.assertEqual((dry.dry_run, sorted(dry.docs)), (True, ["-q", "w.md"]))
        gone = self.db.remove(["notes/-é*?.txt", "-q", "w.md", "b.html"])
        self.assertEqual(len(gone.docs), 4)
        self.assertGreaterEqual(gone.chunks, 4)
        self.assertEqual(self.db.status().docs, before)
        with self.assertRaises(ragdb.NotFoundError):
            self.db.remove("notes/*")
        self.assertEqual(self.db.remove([]).docs, [])

    def test_add_files(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "sub").mkdir()
            (folder / ".hidden").mkdir()
            (folder / ".hidden" / "no.md").write_text("hidden")
            (folder / "sub" / 'a "é".md').write_text("# Aal\n\nThe eel of Molde is old.", encoding="utf-8")
            (folder / "c.csv").write_text("id,text\nr1,The cod of Vardo is green.\nr2,The pike is mean.\n")
            (folder / "photo.jpeg").write_bytes(b"\xff\xd8\xff")
            done = self.db.add_files([folder], prefix="in/")
            self.assertEqual(done.added, 3)
            self.assertEqual(self.db.add_files([folder / "sub" / 'a "é".md'], prefix="in/sub/").unchanged, 1)
            self.assertEqual(sorted(d.id for d in self.db.documents(prefix="in/")), ["in/r1", "in/r2", 'in/sub/a "é".md'])
            self.assertEqual(len(self.db.remove(d.id for d in self.db.documents(prefix="in/")).docs), 3)
            with self.assertRaises(ragdb.NotFoundError):
                self.db.add_files([folder / "absent.md"])

    def test_partial(self) -> None:
        with self.assertRaises(ragdb.Error) as e:
            self.db.add([ragdb.Document("bad.pdf", content=b"no"), ragdb.Document("good", "A good text.")])
        self.assertEqual(e.exception.code, "partial")
        with self.assertRaises(ragdb.Error) as empty:
            self.db.add([ragdb.Document("empty", " "), ragdb.Document("good", "A good text.")])
        self.assertEqual(empty.exception.code, "partial")
        assert e.exception.indexed is not None
        self.assertEqual(e.exception.indexed.added, 1)
        self.assertTrue(e.exception.indexed.bad_files[0].startswith("bad.pdf"))
        self.db.remove("good")

    def test_errors(self) -> None:
        db = self.db
        for code, kind, do in (
            ("not_found", ragdb.NotFoundError, lambda: db.remove("absent")),
            ("not_found", ragdb.NotFoundError, lambda: db.why("Who?", "c:absent#0")),
            ("not_indexed", ragdb.NotFoundError, lambda: db.ask("Who?", method="raptor")),
            ("usage", ragdb.UsageError, lambda: db.ask("Who?", method="nonsense")),
            ("usage", ragdb.UsageError, lambda: db.ask("")),
            ("usage", ragdb.UsageError, lambda: db.search("Who?", where="absent = 1")),
            ("usage", ragdb.UsageError, lambda: db.search("Who?", where="year >=")),
            ("syntax", ragdb.UsageError, lambda: db.query("MATCH (")),
            ("usage", ragdb.UsageError, lambda: db.query("RETURN $x", {"x": object()})),
            ("usage", ragdb.UsageError, lambda: db.query("RETURN $x", {"x": float("nan")})),
            ("usage", ragdb.UsageError, lambda: db.add([{"name": "x"}])),
            ("usage", ragdb.UsageError, lambda: db.add(["x"])),  # type: ignore[list-item]
            ("usage", ragdb.UsageError, lambda: db.add("x", "A text.")),  # type: ignore[arg-type]
            ("usage", ragdb.UsageError, lambda: db.add({"id": "x", "text": "A text."})),  # type: ignore[arg-type]
            ("usage", ragdb.UsageError, lambda: db.add(ragdb.Document("x", "A text."))),  # type: ignore[arg-type]
            ("usage", ragdb.UsageError, lambda: db.add([ragdb.Document("", "x")])),
            ("usage", ragdb.UsageError, lambda: db.add([ragdb.Document("x", "x", content=b"x")])),
        ):
            with self.subTest(code=code), self.assertRaises(ragdb.Error) as e:
                do()
            self.assertEqual((e.exception.code, type(e.exception)), (code, kind), str(e.exception))
            self.assertTrue(e.exception.message)

    def test_status(self) -> None:
        s = self.db.status()
        self.assertEqual((s.docs, s.methods, s.namespaces), (len(list(self.db.documents())), ["ketrag"], ["main"]))
        self.assertGreaterEqual(s.chunks, 32)
