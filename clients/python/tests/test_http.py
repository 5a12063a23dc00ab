from __future__ import annotations

import concurrent.futures
import contextlib
import http.server
import json
import pathlib
import socket
import sys
import threading
import unittest
import unittest.mock
from typing import ClassVar

import ragdb

from .server import ADMIN, READER, Calls, Case


class TestCalls(Calls, Case):
    http: ClassVar[ragdb.HTTPDatabase]
    address: ClassVar[str]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.run_program("init", "other.ragdb")
        cls.address = cls.serve("demo.ragdb", "other.ragdb", tokens=True)
        cls.db = cls.http = ragdb.connect(cls.address, token=ADMIN, database="demo")
        cls.addClassCleanup(cls.db.close)

    def test_tokens(self) -> None:
        for token in (None, "wrong"):
            with self.assertRaises(ragdb.Error) as e:
                ragdb.connect(self.address, token=token)
            self.assertEqual((e.exception.code, e.exception.status), ("unauthorized", 401))
        reader = ragdb.connect(self.address, token=READER)
        self.addCleanup(reader.close)
        self.assertEqual(reader.database, "demo")  # the only one that it sees
        self.assertTrue(reader.search("lighthouse"))
        with self.assertRaises(ragdb.Error) as e:
            reader.remove("README.md")
        self.assertEqual((e.exception.code, e.exception.status), ("forbidden", 403))
        self.assertNotIn(READER, repr(reader) + repr(e.exception) + str(e.exception))
        with self.assertRaises(ragdb.UsageError):
            ragdb.connect(self.address, token="a\r\nb")

    def test_database(self) -> None:
        with self.assertRaises(ragdb.UsageError) as e:
            ragdb.connect(self.address, token=ADMIN)
        self.assertIn("demo, other", e.exception.message)
        for database, ns in (("absent", "main"), ("demo", "a/b?#"), ("../demo", "main")):
            with (
                ragdb.connect(self.address, token=ADMIN, database=database, namespace=ns) as db,
                self.assertRaises(ragdb.NotFoundError),
            ):
                db.status()

    def test_stored(self) -> None:
        files = {"good.txt": b"A good text.", "bad.pdf": b"no", "empty.md": b""}
        (job,) = self.http.submit(ragdb.Document(name, content=content) for name, content in files.items())
        with self.assertRaises(ragdb.Error) as e:
            self.http.wait(job)
        self.assertEqual(e.exception.code, "partial")
        job = self.http.job(job.id)
        self.assertEqual((job.documents, job.stored, job.stored_documents, job.set_aside_documents), (3, False, 1, 2))
        self.assertEqual([(s["index"], s["id"]) for s in job.set_aside], [(1, "bad.pdf"), (2, "empty.md")])
        self.http.remove("good.txt")

    @unittest.mock.patch.multiple("ragdb", _MOST=40, _PAGE=7)
    def test_jobs(self) -> None:
        db = self.http
        seen: list[str] = []
        jobs = db.submit(ragdb.Document(f"job/{n}", f"Text number {n} of the job.") for n in range(60))
        self.assertEqual([j.documents for j in jobs], [40, 20])
        done = [db.wait(j, progress=lambda j: seen.append(j.state)) for j in jobs]
        self.assertEqual(sum(d.added for d in done), 60)
        self.assertLessEqual(set(seen), {"queued", "running"})
        self.assertEqual({j.id for j in db.jobs()} & {j.id for j in jobs}, {j.id for j in jobs})
        self.assertEqual(db.job(jobs[0].id).state, "done")
        self.assertEqual(db.cancel(jobs[0].id).state, "done")
        with self.assertRaises(ragdb.NotFoundError):
            db.wait("absent")
        ids = [d.id for d in db.documents(prefix="job/")]  # more than a page
        self.assertEqual(ids, [f"job/{n}" for n in range(60)])
        self.assertEqual(len(db.remove(ids).docs), 60)
        db.wait(db.start())

    def test_no_row_is_lost(self) -> None:
        count = 0
        with self.assertRaises(ragdb.Error) as e:
            for row in self.db.query("UNWIND range(1, 100001) AS n RETURN n"):
                count += 1
                self.assertEqual(row["n"], count)
        self.assertEqual((count, e.exception.code), (100000, "limit"))
        with self.assertRaises(ragdb.Error) as e:
            self.db.query("UNWIND range(1, 100001) AS n RETURN n", write=True)
        self.assertEqual(e.exception.code, "limit")

    def test_threads(self) -> None:
        def ask(n: int) -> str:
            if n % 3 == 0:
                return "".join(self.db.ask_stream("How many steps does the tower of the lighthouse have?"))
            if n % 3 == 1:
                next(self.db.query("UNWIND range(1, 100000) AS n RETURN n"))  # the others are left
            return self.db.ask("How many steps does the tower of the lighthouse have?").text

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            self.assertEqual(len(set(pool.map(ask, range(40)))), 1)

    def test_connections_are_kept(self) -> None:
        with contextlib.closing(ragdb.connect(self.address, token=ADMIN, database="demo")) as db:
            db.status()
            kept = db._idle[0]
            db.ask_stream("Who ground the lens?").answer  # noqa: B018
            list(db.query("RETURN 1"))
            with self.assertRaises(ragdb.NotFoundError):
                db.remove("absent")
            self.assertEqual(db._idle, [kept])
            assert kept.sock is not None
            kept.sock.shutdown(socket.SHUT_RDWR)  # as if the server had ended it
            db.status()
            self.assertNotIn(kept, db._idle)


class TestModel(Case):
    """A chat model writes the answer, and its text comes as it is written."""

    def test_pieces_come_as_they_are_written(self) -> None:
        read = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                for text in ("The tower of the lighthouse is 41 metres high [1]. " * 20, "It has 187 steps [1]."):
                    chunk = {"choices": [{"index": 0, "delta": {"content": text}}]}
                    self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
                    self.wfile.flush()
                    if not read.wait(20):  # the client reads the first piece before there is a second
                        return
                end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
                self.wfile.write(b"data: " + json.dumps(end).encode() + b"\n\ndata: [DONE]\n\n")

            def log_message(self, format: str, *args: object) -> None:
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as s:
            threading.Thread(target=s.serve_forever, daemon=True).start()
            model = f"--base-url=http://127.0.0.1:{s.server_address[1]}/v1"
            address = self.serve("demo.ragdb", "--model=some-model", model, "--context=32000")
            with ragdb.connect(address) as db, db.ask_stream("How many steps does the tower have?") as stream:
                got = [next(stream)]
                read.set()
                got += stream
                self.assertGreater(len(got), 1)
                self.assertEqual(stream.answer.text, "".join(got))
                self.assertEqual(stream.answer.model, "some-model")
            s.shutdown()


class TestUnreachable(unittest.TestCase):
    def test_nobody(self) -> None:
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        with self.assertRaises(ragdb.Error) as e:
            ragdb.connect(f"http://127.0.0.1:{port}")
        self.assertEqual((e.exception.code, e.exception.status), ("unreachable", 0))

    def test_silence(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as s, self.assertRaises(ragdb.Error) as e:
            ragdb.connect(f"http://127.0.0.1:{s.getsockname()[1]}", timeout=0.2)
        self.assertEqual(e.exception.code, "timeout")

    def test_other_server(self) -> None:
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(502 if "busy" in self.path else 200)
                self.end_headers()
                self.wfile.write(b"<html>")

            def log_message(self, format: str, *args: object) -> None:
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Handler) as s:
            threading.Thread(target=s.serve_forever, daemon=True).start()
            for path in ("", "/busy"):
                with self.assertRaises(ragdb.Error) as e:
                    ragdb.connect(f"http://127.0.0.1:{s.server_address[1]}{path}")
                self.assertEqual(e.exception.code, "protocol")
            s.shutdown()

    def test_broken_streams(self) -> None:
        """A stream that ends early is an error, not a short answer."""

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(200)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                parts = (b'{"n":', b'1}\n{"n":2}\n') if "query" in self.path else (b'event: text\ndata: {"text":"a"}\n\n',)
                for part in parts:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Handler) as s:
            threading.Thread(target=s.serve_forever, daemon=True).start()
            db = ragdb.connect(f"http://127.0.0.1:{s.server_address[1]}", database="d")
            rows = db.query("RETURN 1")
            self.assertEqual([next(rows), next(rows)], [{"n": 1}, {"n": 2}])
            with self.assertRaises(ragdb.Error) as e:
                next(rows)
            self.assertEqual(e.exception.code, "unreachable")
            pieces = db.ask_stream("Who?")
            self.assertEqual(next(pieces), "a")
            with self.assertRaises(ragdb.Error) as e:
                _ = pieces.answer
            self.assertEqual(e.exception.code, "unreachable")
            s.shutdown()

    def test_addresses(self) -> None:
        for url in ("127.0.0.1:80", "ftp://x", "http://", "http://x:y", ""):
            with self.subTest(url=url), self.assertRaises(ragdb.UsageError):
                ragdb.connect(url)


class TestImports(unittest.TestCase):
    def test_standard_library_alone(self) -> None:
        import ast

        tree = ast.parse(pathlib.Path(ragdb.__file__).read_text(encoding="utf-8"))
        for node in tree.body:
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                self.assertIn(name.partition(".")[0], sys.stdlib_module_names)


if __name__ == "__main__":
    unittest.main()
