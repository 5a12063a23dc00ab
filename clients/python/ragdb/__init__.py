"""A client of ragdb: documents in, answers with sources out.

``connect`` uses a database that ``ragdb serve`` serves over HTTP, ``open`` one in a
folder through the command ``ragdb``. Both give a ``Database`` with the same calls. The
module needs nothing but Python's standard library; ``langchain_retriever`` and
``llamaindex_retriever`` need the libraries of their names.
"""

from __future__ import annotations

import abc
import asyncio
import base64
import contextlib
import datetime
import http.client
import json
import os
import pathlib
import selectors
import subprocess
import tempfile
import threading
import time
import urllib.parse
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from langchain_core.retrievers import BaseRetriever as LangChainBase
    from llama_index.core.retrievers import BaseRetriever as LlamaIndexBase

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "AnswerStream",
    "BusyError",
    "CommandDatabase",
    "Database",
    "Document",
    "DocumentRow",
    "Error",
    "HTTPDatabase",
    "Hit",
    "Indexed",
    "Job",
    "NotFoundError",
    "Passage",
    "Removed",
    "Source",
    "Span",
    "Status",
    "UsageError",
    "Why",
    "connect",
    "langchain_retriever",
    "llamaindex_retriever",
    "open",
]


# Errors.


class Error(Exception):
    """What ragdb refuses or fails at.

    ``code`` is one of ragdb's codes, or ``unreachable``, ``timeout`` and ``protocol`` of
    the client itself. ``hint`` says what to do, if there is advice. ``status`` is that of
    HTTP, the exit status of the command, or 0 if there was no answer. If a run of ``add``
    came to its end without some documents, ``code`` is ``partial`` and ``indexed`` tells
    which.
    """

    def __init__(self, code: str, message: str, hint: str = "", status: int = 0) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.status = status
        self.indexed: Indexed | None = None

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, self.message, self.hint, self.status), self.__dict__


class NotFoundError(Error):
    """What the request names is not there."""


class UsageError(Error):
    """The request is wrong, and wrong again if it is sent again."""


class BusyError(Error):
    """Others use the database or the server now; try again later."""


_KINDS: dict[str, type[Error]] = {
    **dict.fromkeys(("not_found", "not_indexed", "no_documents", "no_evidence"), NotFoundError),
    **dict.fromkeys(("usage", "syntax", "evaluation", "model_folder"), UsageError),
    **dict.fromkeys(("busy", "locked", "closing"), BusyError),
}


def _error(code: str, message: str, hint: str = "", status: int = 0) -> Error:
    return _KINDS.get(code, Error)(code, message, hint, status)


# Results. ``raw`` is the whole object as ragdb sent it, where a class leaves fields out.


@dataclass
class Document:
    """A document to add: ``text``, or ``content`` for bytes such as those of a PDF.

    The ending of ``id`` tells the format (.md, .html, .pdf and so on; plain text without
    one). A document of the same ``id`` is replaced.
    """

    id: str
    text: str = ""
    content: bytes | None = None
    title: str = ""
    lang: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class DocumentRow:
    """A document in a list. Values of ``meta`` are texts, as ragdb writes them."""

    id: str
    title: str
    format: str
    lang: str
    meta: dict[str, str]


@dataclass(frozen=True)
class Span:
    """A part of a document's text, in bytes of UTF-8. ``page`` is 0 if it is unknown."""

    doc: str
    bytes: tuple[int, int]
    page: int = 0
    heading: str = ""


@dataclass(frozen=True)
class Source:
    """A source of an answer, which ``[n]`` in its text leads to.

    ``bytes`` are those of the chunk, ``sentence`` those of the sentence that is cited,
    ``(0, 0)`` if it is unknown which that is.
    """

    n: int
    doc: str
    page: int
    heading: str
    bytes: tuple[int, int]
    sentence: tuple[int, int]
    chunk: str
    score: float
    quote: str


@dataclass(frozen=True)
class Passage:
    """A passage that comes near to a question without answering it."""

    doc: str
    bytes: tuple[int, int]
    chunk: str
    score: float
    text: str
    page: int
    heading: str


@dataclass(frozen=True)
class Answer:
    """An answer. If ``answered`` is false no sentence was found that says it: ``text`` may be
    empty, and ``nearest`` are the passages that come nearest."""

    question: str
    text: str
    answered: bool
    sources: list[Source]
    nearest: list[Passage]
    method: str
    model: str
    trace: str
    usd: float
    raw: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Hit:
    """A piece of evidence for a question, the best first. ``method`` found it."""

    rank: int
    section: str
    kind: str
    id: str
    score: float
    tokens: int
    sources: list[Span]
    text: str
    method: str
    raw: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Why:
    """Why an item is, or is not, in the evidence for a question."""

    id: str
    question: str
    method: str
    kept: bool
    rank: int
    of: int
    section: str
    verdict: str
    path: list[dict[str, Any]]
    ops: list[dict[str, Any]]


@dataclass(frozen=True)
class Indexed:
    """What a run did. ``docs`` and ``chunks`` count all that the namespace has then,
    ``bad_files`` name what could not be read, ``failed`` counts steps that failed."""

    methods: list[str]
    added: int
    replaced: int
    unchanged: int
    docs: int
    chunks: int
    failed: int
    bad_files: list[str]
    raw: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Removed:
    """What a removal took, or would take if it was a dry run."""

    dry_run: bool
    docs: list[str]
    chunks: int
    derived: int
    stale: list[str]


@dataclass(frozen=True)
class Job:
    """A run of the server. ``state`` is queued, running, done, failed, cancelled or
    stopped. ``stored`` says that each of its documents is in the database, whole, whatever
    happens. ``stored_documents`` and ``set_aside_documents`` count those that are and are
    not, both 0 until it is known; ``set_aside`` tells of the first 100 that are not:
    ``index`` is the place in the request, ``id`` and ``reason`` say which and why."""

    id: str
    state: str
    documents: int
    stored: bool
    stored_documents: int
    set_aside_documents: int
    set_aside: list[dict[str, Any]]
    ended: bool
    progress: dict[str, Any] | None
    result: Indexed | None
    error: Error | None
    raw: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Status:
    """What is indexed (``methods``), what is left to do (``pending``) and what failed."""

    docs: int
    chunks: int
    methods: list[str]
    namespaces: list[str]
    pending: int
    failed: list[dict[str, Any]]
    raw: dict[str, Any] = field(repr=False)


def _pair(v: Any) -> tuple[int, int]:
    return (int(v[0]), int(v[1])) if v else (0, 0)


def _answer(o: dict[str, Any]) -> Answer:
    return Answer(
        question=o["question"],
        text=o.get("answer") or "",
        answered=bool(o.get("answered")),
        sources=[
            Source(
                n=s["n"],
                doc=s["doc"],
                page=s.get("page", 0),
                heading=s.get("heading", ""),
                bytes=_pair(s.get("bytes")),
                sentence=_pair(s.get("sentence")),
                chunk=s["chunk"],
                score=s["score"],
                quote=s["quote"],
            )
            for s in o.get("sources") or []
        ],
        nearest=[
            Passage(
                doc=p["doc"],
                bytes=_pair(p.get("bytes")),
                chunk=p.get("chunk", ""),
                score=p.get("score", 0.0),
                text=p.get("text", ""),
                page=p.get("page", 0),
                heading=p.get("heading", ""),
            )
            for p in o.get("nearest") or []
        ],
        method=o["method"],
        model=o.get("model", ""),
        trace=o.get("trace", ""),
        usd=o.get("usd", 0.0),
        raw=o,
    )


def _hits(o: dict[str, Any]) -> list[Hit]:
    return [
        Hit(
            rank=i["rank"],
            section=i["section"],
            kind=i["kind"],
            id=i["id"],
            score=i["score"],
            tokens=i["tokens"],
            sources=[Span(s["doc"], _pair(s.get("bytes")), s.get("page", 0), s.get("heading", "")) for s in i["sources"]],
            text=i["text"],
            method=o["method"],
            raw=i,
        )
        for i in o.get("items") or []
    ]


def _whys(o: dict[str, Any]) -> list[Why]:
    # The command prints one item by itself.
    items = o.get("items", [o])
    names = ("id", "question", "method", "kept", "rank", "of", "section", "verdict", "path", "ops")
    return [Why(**{name: i[name] for name in names}) for i in items or []]


def _indexed(o: dict[str, Any]) -> Indexed:
    return Indexed(
        methods=o["methods"],
        added=o["added"],
        replaced=o["replaced"],
        unchanged=o["unchanged"],
        docs=o["docs"],
        chunks=o["chunks"],
        failed=o["failed"],
        bad_files=o.get("bad_files") or [],
        raw=o,
    )


def _removed(parts: list[dict[str, Any]]) -> Removed:
    return Removed(
        dry_run=bool(parts and parts[0]["dry_run"]),
        docs=[r["doc"] for p in parts for r in p["removed"]],
        chunks=sum(p["chunks"] for p in parts),
        derived=sum(p["derived"] for p in parts),
        stale=list(parts[-1]["stale"]) if parts else [],
    )


def _job(o: dict[str, Any]) -> Job:
    result = _indexed(o["result"]) if o.get("result") else None
    error = None
    if o.get("error"):
        e = o["error"]
        error = _error(e["code"], e["message"], e.get("hint", ""))
        error.indexed = result
    return Job(
        id=o["id"],
        state=o["state"],
        documents=o["documents"],
        stored=o["stored"],
        stored_documents=o["stored_documents"],
        set_aside_documents=o["set_aside_documents"],
        set_aside=o.get("set_aside") or [],
        ended="ended" in o,
        progress=o.get("progress"),
        result=result,
        error=error,
        raw=o,
    )


def _status(o: dict[str, Any]) -> Status:
    stages = o["base"] + [s for m in o["methods"] for s in m["stages"]]
    return Status(
        docs=o["docs"],
        chunks=sum(c["count"] for c in o["chunks"]),
        methods=[m["instance"] for m in o["methods"] if m["indexed"]],
        namespaces=o["namespaces"],
        pending=sum(s["pending"] for s in stages),
        failed=o["failed"],
        raw=o,
    )


class _Sum:
    """The runs of one call as one: what each did is added up, and the first error of a
    document is kept until all have run."""

    def __init__(self) -> None:
        self.parts: list[Indexed] = []
        self.partial: Error | None = None

    def run(self, do: Callable[[], Indexed]) -> None:
        try:
            self.parts.append(do())
        except Error as e:
            if e.code != "partial" or e.indexed is None:
                raise
            self.partial = self.partial or e
            self.parts.append(e.indexed)

    def result(self) -> Indexed:
        last = self.parts[-1]
        if len(self.parts) > 1:
            last = Indexed(
                methods=last.methods,
                added=sum(p.added for p in self.parts),
                replaced=sum(p.replaced for p in self.parts),
                unchanged=sum(p.unchanged for p in self.parts),
                docs=last.docs,
                chunks=last.chunks,
                failed=last.failed,
                bad_files=[f for p in self.parts for f in p.bad_files],
                raw=last.raw,
            )
        if self.partial:
            self.partial.indexed = last
            raise self.partial
        return last


# The interface.


class AnswerStream(Iterator[str]):
    """The pieces of an answer as they come. ``answer`` is the whole one after the last.

    Leave it early with ``close`` or as a context manager.
    """

    def __init__(self, pieces: Iterator[str | Answer]) -> None:
        self._pieces = pieces
        self._answer: Answer | None = None

    def __next__(self) -> str:
        for piece in self._pieces:
            if isinstance(piece, str):
                return piece
            self._answer = piece
        raise StopIteration

    @property
    def answer(self) -> Answer:
        """The whole answer. It reads what is left of the pieces."""
        for _ in self:
            pass
        if self._answer is None:
            raise _error("protocol", "the stream of the answer was left before its end")
        return self._answer

    def close(self) -> None:
        close = getattr(self._pieces, "close", None)
        if close is not None:
            close()

    def __enter__(self) -> AnswerStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Database(abc.ABC):
    """A namespace of a database. Its calls raise ``Error``; threads may share it."""

    namespace: str

    @abc.abstractmethod
    def add(self, documents: Iterable[Document | Mapping[str, Any]], *extra: object, methods: Sequence[str] = ()) -> Indexed:
        """Add documents, or replace those of the same ids, and index them.

        ``methods`` index them, by default those that the namespace has. It returns when
        they can be asked. What did not change costs nothing.
        """

    @abc.abstractmethod
    def add_files(self, paths: Iterable[str | os.PathLike[str]], *, prefix: str = "", methods: Sequence[str] = ()) -> Indexed:
        """Add files, and the files of folders that ragdb reads.

        The id of a file is its path below the folder, or its name, after ``prefix``.
        """

    @abc.abstractmethod
    def remove(self, ids: str | Iterable[str], *, dry_run: bool = False) -> Removed:
        """Remove documents with all that only they supported."""

    @abc.abstractmethod
    def documents(self, *, prefix: str = "") -> Iterator[DocumentRow]:
        """The documents whose ids begin with ``prefix``, read by page as they are used."""

    @abc.abstractmethod
    def ask_stream(
        self,
        question: str,
        *,
        method: str | None = None,
        where: str | None = None,
        top: int | None = None,
        budget: int | None = None,
        style: str | None = None,
        lang: str | None = None,
    ) -> AnswerStream:
        """Ask as ``ask`` does, and iterate over the text of the answer as it comes."""

    @abc.abstractmethod
    def _ask(self, request: dict[str, Any]) -> Answer: ...

    def ask(
        self,
        question: str,
        *,
        method: str | None = None,
        where: str | None = None,
        top: int | None = None,
        budget: int | None = None,
        style: str | None = None,
        lang: str | None = None,
        stream: Callable[[str], object] | None = None,
    ) -> Answer:
        """Answer a question.

        ``method`` retrieves, ``where`` is a condition on the documents' metadata such as
        ``"year >= 2025"``, ``top`` bounds the pieces of evidence and ``budget`` their
        tokens. ``stream`` is called with each piece of the text as it comes.
        """
        if stream is None:
            return self._ask(_request(question, method, where, top, budget, style, lang))
        with self.ask_stream(question, method=method, where=where, top=top, budget=budget, style=style, lang=lang) as pieces:
            for piece in pieces:
                stream(piece)
            return pieces.answer

    @abc.abstractmethod
    def search(
        self,
        question: str,
        *,
        method: str | None = None,
        where: str | None = None,
        top: int | None = None,
        budget: int | None = None,
    ) -> list[Hit]:
        """The evidence for a question, the best first, without an answer."""

    @abc.abstractmethod
    def why(
        self,
        question: str,
        id: str,
        *,
        method: str | None = None,
        where: str | None = None,
        top: int | None = None,
        budget: int | None = None,
    ) -> list[Why]:
        """Why a chunk (``c:KEY``), an entity (``e:NAME``), another node (``TYPE:KEY``) or
        the chunks of a document (its id) are, or are not, evidence for a question."""

    @abc.abstractmethod
    def query(self, statement: str, params: Mapping[str, Any] | None = None, *, write: bool = False) -> Iterator[dict[str, Any]]:
        """Run a statement of the query language and iterate over its rows.

        Without ``write`` it may only read, and its rows come as they are used. With it
        the statement has ended when the call returns. A parameter that is a date or a
        time comes as text: write ``date($x)``, ``datetime($x)``.
        """

    @abc.abstractmethod
    def status(self) -> Status:
        """What is indexed, what is left to do and what failed."""

    def close(self) -> None:  # noqa: B027
        """Close connections. The database goes on."""

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _request(
    question: str,
    method: str | None,
    where: str | None,
    top: int | None,
    budget: int | None,
    style: str | None = None,
    lang: str | None = None,
) -> dict[str, Any]:
    r = {"question": question, "method": method, "where": where, "top": top, "budget": budget, "style": style, "lang": lang}
    return {name: v for name, v in r.items() if v is not None}


def _documents(given: Iterable[Document | Mapping[str, Any]], extra: tuple[object, ...]) -> Iterator[Document]:
    """The documents that ``add`` is given."""
    if extra or isinstance(given, Document | Mapping | str | bytes) or not isinstance(given, Iterable):
        raise _error("usage", "documents are given as one list", 'write add([{"id": "notes/pump.md", "text": "..."}])')
    return map(_document, given)


def _document(d: Document | Mapping[str, Any]) -> Document:
    if isinstance(d, Document):
        return d
    try:
        return Document(**d)
    except TypeError:
        known = "id, text, content, title, lang and meta"
        has = "with " + ", ".join(map(str, d)) if isinstance(d, Mapping) else f"as {type(d).__name__}"
        raise _error("usage", f"a document has {known}, and one was given {has}") from None


def _iso(v: Any) -> str:
    """A date or time as text, which ``date($x)`` and its like read."""
    if isinstance(v, datetime.date | datetime.time):
        return v.isoformat()
    raise TypeError(f"{type(v).__name__} is no value")


def _dump(v: Any) -> bytes:
    try:
        return json.dumps(v, ensure_ascii=False, allow_nan=False, default=_iso).encode()
    except (TypeError, ValueError) as e:  # UnicodeEncodeError is a ValueError
        raise _error("usage", f"a value cannot be written as JSON: {e}") from None


def _load(b: bytes | str, what: str) -> Any:
    try:
        return json.loads(b)
    except ValueError:
        raise _error("protocol", f"{what} is not JSON", "is there a ragdb of this version?") from None


def _endings() -> tuple[str, ...]:
    plain = (".txt", ".text", ".md", ".markdown", ".html", ".htm", ".jsonl", ".ndjson", ".csv", ".tsv", ".pdf")
    return plain + tuple(e + ".gz" for e in plain)


def _files(paths: Iterable[str | os.PathLike[str]]) -> Iterator[tuple[str, pathlib.Path]]:
    """The files with the ids of their documents, in order. Hidden ones are left out."""
    for given in paths:
        root = pathlib.Path(given)
        if not root.exists():
            raise _error("not_found", f"there is no {root}", "check the spelling of the path")
        if not root.is_dir():
            yield root.name, root
            continue
        for folder, below, names in os.walk(root):
            below[:] = sorted(n for n in below if not n.startswith("."))
            for name in sorted(names):
                path = pathlib.Path(folder, name)
                if not name.startswith(".") and name.lower().endswith(_endings()) and path.is_file():
                    yield path.relative_to(root).as_posix(), path


# Over HTTP.

_BATCH = 8 << 20  # bytes of documents in a request
_MOST = 1000  # documents in a request
_PAGE = 500  # documents in a page of their list


def connect(
    url: str,
    *,
    token: str | None = None,
    database: str | None = None,
    namespace: str = "main",
    timeout: float = 120.0,
) -> HTTPDatabase:
    """Use a database that ``ragdb serve`` serves at ``url``.

    ``database`` may be left out if the server has one alone. ``timeout`` is how many
    seconds the server may be silent.
    """
    db = HTTPDatabase(url, token, database or "", namespace, timeout)
    if database is None:
        try:
            names = [d["name"] for d in db._json("GET", "/api/v1/databases")["databases"]]
            if len(names) != 1:
                have = ", ".join(names) or "none that the token may see"
                raise _error("usage", f"the server has not one database alone: {have}", "name one with database=")
        except Error:
            db.close()
            raise
        db.database = names[0]
    return db


class HTTPDatabase(Database):
    """A ``Database`` over HTTP, with the jobs of the server beside. See ``connect``."""

    def __init__(self, url: str, token: str | None, database: str, namespace: str, timeout: float) -> None:
        u = urllib.parse.urlsplit(url)
        if u.scheme not in ("http", "https") or not u.hostname:
            raise _error("usage", "the address of a server is http://host:port or https://host:port")
        if token is not None and not (token.isascii() and token.isprintable() and token.strip() == token):
            raise _error("usage", "the token has characters that no token has")
        self._https, self._host, self._base = u.scheme == "https", u.hostname, u.path.rstrip("/")
        try:
            self._port = u.port
        except ValueError:
            raise _error("usage", "the port of the address is no number of a port") from None
        self._token, self._timeout = token, timeout
        self.database, self.namespace = database, namespace
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<ragdb {self.database}/{self.namespace} at {self._host}>"

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for c in idle:
            c.close()

    def _connection(self) -> http.client.HTTPConnection:
        """An idle connection that the server has not closed, or a new one."""
        while True:
            with self._lock:
                c = self._idle.pop() if self._idle else None
            if c is None:
                kind = http.client.HTTPSConnection if self._https else http.client.HTTPConnection
                return kind(self._host, self._port, timeout=self._timeout)
            with selectors.DefaultSelector() as s:
                s.register(c.sock, selectors.EVENT_READ)
                if not s.select(0):
                    return c
            c.close()

    def _release(self, c: http.client.HTTPConnection) -> None:
        with self._lock:
            if c.sock is not None and len(self._idle) < 8:
                self._idle.append(c)
                return
        c.close()

    def _send(
        self, method: str, path: str, body: bytes | None, kind: str, accept: str
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        """Send a request. The answer is one without an error, whose body is not read."""
        headers = {"Accept": accept}
        if body is not None:
            headers["Content-Type"] = kind
        if self._token is not None:
            headers["Authorization"] = "Bearer " + self._token
        c = self._connection()
        try:
            c.request(method, self._base + path, body, headers)
            r = c.getresponse()
            if r.status >= 400:
                data = r.read()
                self._release(c)
                raise self._problem(r.status, data)
        except (OSError, http.client.HTTPException) as e:
            c.close()
            raise self._broken(e) from e
        return c, r

    def _broken(self, e: BaseException) -> Error:
        if isinstance(e, TimeoutError):
            return _error("timeout", f"the server was silent for {self._timeout:g} s")
        at = f"{self._host}:{self._port or (443 if self._https else 80)}"
        return _error(
            "unreachable", f"the server at {at} cannot be used: {e or type(e).__name__}", "is ragdb serve running there?"
        )

    @staticmethod
    def _problem(status: int, data: bytes) -> Error:
        try:
            p = json.loads(data)
            message = p["detail"] + (f"\n{p['at']}" if p.get("at") else "")
            return _error(p["code"], message, p.get("hint", ""), status)
        except (ValueError, KeyError, TypeError):
            return _error("protocol", f"the server answered {status} without saying why", "is it a ragdb?", status)

    def _raw(self, method: str, path: str, body: bytes | None = None, kind: str = "application/json") -> Any:
        c, r = self._send(method, path, body, kind, "application/json")
        try:
            data = r.read()
        except (OSError, http.client.HTTPException) as e:
            c.close()
            raise self._broken(e) from e
        self._release(c)
        return _load(data, "the server's answer")

    def _json(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        return self._raw(method, path, None if body is None else _dump(body))

    def _lines(self, path: str, body: Mapping[str, Any], accept: str) -> Iterator[bytes]:
        """The lines of an answer that comes in parts. The request is sent at once."""
        c, r = self._send("POST", path, _dump(body), "application/json", accept)

        def lines() -> Iterator[bytes]:
            whole, begun = False, b""
            try:
                # Not readline, which takes a connection that breaks for the end.
                while data := r.read1(1 << 16):
                    *found, begun = (begun + data).split(b"\n") if b"\n" in data else [begun + data]
                    yield from found
                whole = True
            except (OSError, http.client.HTTPException) as e:
                raise self._broken(e) from e
            finally:
                if whole:
                    self._release(c)
                else:
                    c.close()

        return lines()

    def _at(self, path: str, **params: str) -> str:
        names = (urllib.parse.quote(n, safe="") for n in (self.database, self.namespace))
        query = "?" + urllib.parse.urlencode(params) if params else ""
        return "/api/v1/corpora/" + "/".join(names) + path + query

    # Documents.

    def add(self, documents: Iterable[Document | Mapping[str, Any]], *extra: object, methods: Sequence[str] = ()) -> Indexed:
        total = _Sum()
        for batch in self._batches(_documents(documents, extra)):
            total.run(lambda batch=batch: self.wait(self._submit(batch, methods)))  # type: ignore[misc]
        if not total.parts:
            return self.wait(self.start(methods=methods))
        return total.result()

    def submit(self, documents: Iterable[Document | Mapping[str, Any]], *extra: object, methods: Sequence[str] = ()) -> list[Job]:
        """Add documents without waiting. It returns the jobs that index them."""
        return [self._submit(batch, methods) for batch in self._batches(_documents(documents, extra))]

    def _batches(self, documents: Iterable[Document]) -> Iterator[list[dict[str, Any]]]:
        batch: list[dict[str, Any]] = []
        size = 0
        for d in documents:
            o: dict[str, Any] = {"id": d.id, "text": d.text}
            if d.content is not None:
                o["content"] = base64.b64encode(d.content).decode()
            o.update({n: v for n, v in (("title", d.title), ("lang", d.lang), ("meta", dict(d.meta))) if v})
            n = len(d.text) + len(d.content or b"")
            if batch and (size + n > _BATCH or len(batch) == _MOST):
                yield batch
                batch, size = [], 0
            batch.append(o)
            size += n
        if batch:
            yield batch

    def _submit(self, batch: list[dict[str, Any]], methods: Sequence[str]) -> Job:
        return _job(self._json("POST", self._at("/documents"), {"documents": batch, "methods": list(methods)}))

    def add_files(self, paths: Iterable[str | os.PathLike[str]], *, prefix: str = "", methods: Sequence[str] = ()) -> Indexed:
        total = _Sum()
        batch: list[tuple[str, bytes]] = []

        def send() -> None:
            files = list(batch)
            batch.clear()
            total.run(lambda: self.wait(self._upload(files, prefix, methods)))

        for name, path in _files(paths):
            content = path.read_bytes()
            if batch and (sum(len(c) for _, c in batch) + len(content) > _BATCH or len(batch) == _MOST):
                send()
            batch.append((name, content))
        if batch:
            send()
        if not total.parts:
            raise _error("no_documents", "there is no file that ragdb reads", "formats are " + " ".join(_endings()[:11]))
        return total.result()

    def _upload(self, files: list[tuple[str, bytes]], prefix: str, methods: Sequence[str]) -> Job:
        boundary = uuid.uuid4().hex
        body = bytearray()
        for name, content in files:
            # A quoted string of MIME: backslash and quote are escaped, line breaks are not in it.
            quoted = name.replace("\\", "\\\\").replace('"', '\\"').replace("\r", " ").replace("\n", " ")
            body += f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{quoted}"\r\n\r\n'.encode()
            body += content + b"\r\n"
        body += f"--{boundary}--\r\n".encode()
        query = urllib.parse.urlencode([("prefix", prefix)] * bool(prefix) + [("method", m) for m in methods])
        path = self._at("/documents/upload") + ("?" + query if query else "")
        return _job(self._raw("POST", path, bytes(body), "multipart/form-data; boundary=" + boundary))

    def remove(self, ids: str | Iterable[str], *, dry_run: bool = False) -> Removed:
        names = [ids] if isinstance(ids, str) else list(ids)
        at = self._at("/documents/remove")
        parts = [names[i : i + _MOST] for i in range(0, len(names), _MOST)]
        return _removed([self._json("POST", at, {"ids": part, "dry_run": dry_run}) for part in parts])

    def documents(self, *, prefix: str = "") -> Iterator[DocumentRow]:
        page: dict[str, Any] = {"next": ""}
        while "next" in page:
            params = {"limit": str(_PAGE), "after": page["next"], "prefix": prefix}
            page = self._json("GET", self._at("/documents", **{k: v for k, v in params.items() if v}))
            for d in page["documents"]:
                yield DocumentRow(d["id"], d.get("title", ""), d["format"], d.get("lang", ""), d["meta"])

    # Questions.

    def _ask(self, request: dict[str, Any]) -> Answer:
        return _answer(self._json("POST", self._at("/ask"), request))

    def ask_stream(
        self,
        question: str,
        *,
        method: str | None = None,
        where: str | None = None,
        top: int | None = None,
        budget: int | None = None,
        style: str | None = None,
        lang: str | None = None,
    ) -> AnswerStream:
        request = _request(question, method, where, top, budget, style, lang)
        return AnswerStream(self._pieces(self._lines(self._at("/ask"), request, "text/event-stream")))

    def _pieces(self, lines: Iterator[bytes]) -> Iterator[str | Answer]:
        name = ""
        for line in lines:
            key, _, value = line.partition(b": ")
            if key == b"event":
                name = value.decode()
            elif key == b"data" and name == "text":
                yield _load(value, "an event")["text"]
            elif key == b"data" and name == "answer":
                for _ in lines:  # the end, so that the connection is used again
                    pass
                yield _answer(_load(value, "an event"))
                return
            elif key == b"data" and name == "error":
                raise self._problem(_load(value, "an event").get("status", 0), value)
        raise _error("protocol", "the stream of the answer ended before the answer")

    def search(
        self,
        question: str,
        *,
        method: str | None = None,
        where: str | None = None,
        top: int | None = None,
        budget: int | None = None,
    ) -> list[Hit]:
        return _hits(self._json("POST", self._at("/search"), _request(question, method, where, top, budget)))

    def why(
        self,
        question: str,
        id: str,
        *,
        method: str | None = None,
        where: str | None = None,
        top: int | None = None,
        budget: int | None = None,
    ) -> list[Why]:
        request = _request(question, method, where, top, budget)
        return _whys(self._json("POST", self._at("/why"), {**request, "id": id}))

    def query(self, statement: str, params: Mapping[str, Any] | None = None, *, write: bool = False) -> Iterator[dict[str, Any]]:
        request = {"statement": statement, "params": dict(params or {}), "write": write}
        if write:
            done = self._json("POST", self._at("/query"), request)
            if done.get("more"):
                raise _error(
                    "limit", "the statement has written, and its rows are more than the server gives", "return fewer rows"
                )
            return iter(done["rows"])
        return self._rows(self._lines(self._at("/query"), request, "application/x-ndjson"))

    def _rows(self, lines: Iterator[bytes]) -> Iterator[dict[str, Any]]:
        for line in lines:
            row = _load(line, "a row")
            failed = row.get("error") if len(row) == 1 else None
            if isinstance(failed, dict) and str(failed.get("type", "")).startswith("urn:ragdb:error:"):
                raise self._problem(failed.get("status", 0), _dump(failed))
            yield row

    def status(self) -> Status:
        return _status(self._json("GET", self._at("/status")))

    # Jobs.

    def jobs(self) -> list[Job]:
        """The jobs of the server's life, the newest first."""
        return [_job(o) for o in self._json("GET", self._at("/jobs"))["jobs"]]

    def job(self, id: str) -> Job:
        """A job as it is now."""
        return _job(self._json("GET", self._at("/jobs/" + urllib.parse.quote(id, safe=""))))

    def start(self, *, methods: Sequence[str] = (), retry: bool = False) -> Job:
        """Start a job that does what is left to do, with ``retry`` also what failed."""
        return _job(self._json("POST", self._at("/jobs"), {"methods": list(methods), "retry": retry}))

    def cancel(self, id: str) -> Job:
        """End a job. What it has done is kept."""
        return _job(self._json("POST", self._at(f"/jobs/{urllib.parse.quote(id, safe='')}/cancel")))

    def wait(self, job: Job | str, *, timeout: float | None = None, progress: Callable[[Job], object] | None = None) -> Indexed:
        """Wait for the end of a job, and return what it did.

        It raises the error of a job that failed, and one of code ``timeout`` after
        ``timeout`` seconds: the job goes on then. ``progress`` is called with the job
        whenever it is looked at.
        """
        end = None if timeout is None else time.monotonic() + timeout
        now, pause = job if isinstance(job, Job) else self.job(job), 0.02
        while not now.ended:
            if progress is not None:
                progress(now)
            if end is not None and time.monotonic() >= end:
                raise _error("timeout", f"the job {now.id} has not ended in {timeout:g} s", "it goes on; wait for it again")
            time.sleep(pause if end is None else max(0.0, min(pause, end - time.monotonic())))
            pause = min(pause * 1.5, 1.0)
            now = self.job(now.id)
        if now.error is not None:
            raise now.error
        if now.result is None:
            raise _error(now.state, f"the job {now.id} was {now.state}", "what it has done is kept; start another to go on")
        return now.result


# Over the command.

_ARGUMENTS = 64 << 10  # bytes of ids on a command line


def open(
    path: str | os.PathLike[str],
    *,
    program: str | os.PathLike[str] = "ragdb",
    namespace: str = "main",
    timeout: float | None = None,
) -> CommandDatabase:
    """Use the database in the folder ``path`` through the command ``program``.

    ``add`` makes the database if there is none. Each call runs the command once; if
    another process holds the database, the command works through that one. Models are
    those of the command: ``RAGDB_MODEL``, ``ragdb.yaml`` and so on. A call that takes
    longer than ``timeout`` seconds is ended; what it did is kept.
    """
    return CommandDatabase(path, program, namespace, timeout)


class CommandDatabase(Database):
    """A ``Database`` through the command. See ``open``."""

    def __init__(
        self, path: str | os.PathLike[str], program: str | os.PathLike[str], namespace: str, timeout: float | None
    ) -> None:
        self.path, self.namespace = os.fspath(path), namespace
        self._program, self._timeout = os.fspath(program), timeout
        if not self.path:
            raise _error("usage", "the path of the database is empty")

    def __repr__(self) -> str:
        return f"<ragdb {self.path} {self.namespace} by {self._program}>"

    def _command(self, words: Sequence[str], args: Sequence[str]) -> list[str]:
        own = ["--ns=" + self.namespace, "--progress=none", "--yes"]
        if self._timeout is not None:
            own.append(f"--timeout={max(1, round(self._timeout * 1000))}ms")
        return [self._program, *words, *own, "--", *args]

    def _start(self, command: list[str], errors: IO[bytes], feed: bool) -> subprocess.Popen[bytes]:
        if any("\0" in word for word in command):
            raise _error("usage", "a text has a NUL character, which no argument of a command can have")
        stdin = subprocess.PIPE if feed else subprocess.DEVNULL
        try:
            return subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=errors)
        except (OSError, ValueError) as e:
            hint = "give the path of the command ragdb with program="
            raise _error("unreachable", f"{self._program} cannot be run: {e}", hint) from e

    def _failure(self, status: int, errors: bytes) -> Error:
        for line in reversed(errors.splitlines()):
            try:
                e = json.loads(line)["error"]
                return _error(e["code"], e["message"], e.get("hint", ""), status)
            except (ValueError, KeyError, TypeError):
                continue
        last = errors.decode(errors="replace").strip().rpartition("\n")[2]
        return _error("protocol", last or f"{self._program} ended with status {status}", status=status)

    def _run(self, words: Sequence[str], args: Sequence[str], feed: bytes | None = None) -> Any:
        """Run a command and return the object that it prints."""
        with tempfile.TemporaryFile() as errors:
            p = self._start(self._command([words[0], "--json", *words[1:]], args), errors, feed is not None)
            out = self._communicate(p, feed)
            errors.seek(0)
            if p.returncode == 0:
                return _load(out, f"what {self._program} prints")
            e = self._failure(p.returncode, errors.read())
        if e.code == "partial" and out:
            e.indexed = _indexed(_load(out, f"what {self._program} prints"))
        raise e

    def _communicate(self, p: subprocess.Popen[bytes], feed: bytes | None) -> bytes:
        # The command has a limit of its own. This one is for a command that does not end.
        limit = None if self._timeout is None else self._timeout + 10
        try:
            return p.communicate(feed, limit)[0]
        except subprocess.TimeoutExpired:
            raise _error("timeout", f"{self._program} did not end in {limit:g} s") from None
        finally:
            _end(p)

    # Documents.

    def add(self, documents: Iterable[Document | Mapping[str, Any]], *extra: object, methods: Sequence[str] = ()) -> Indexed:
        total, records, own = _Sum(), bytearray(), ["index", *("--method=" + m for m in methods)]

        def send() -> None:
            text = bytes(records)
            records.clear()
            total.run(lambda: _indexed(self._run([*own, "--format=jsonl"], [self.path, "-"], text)))

        for d in _documents(documents, extra):
            if not d.id or (d.text and d.content is not None):
                raise _error("usage", f"the document {d.id!r} needs an id, and either a text or a content")
            kind = _format(d.id)
            if kind == "txt" and d.content is None:
                record = _record(d)
                if records and len(records) + len(record) > _BATCH:
                    send()
                records += record
                continue
            if records:
                send()
            words = [*own, "--format=" + kind, "--key=" + d.id, *_meta(d)]
            content = d.text.encode() if d.content is None else d.content
            total.run(lambda w=words, c=content: _indexed(self._run(w, [self.path, "-"], c)))  # type: ignore[misc]
        if records:
            send()
        if not total.parts:
            return _indexed(self._run(own, [self.path]))
        return total.result()

    def add_files(self, paths: Iterable[str | os.PathLike[str]], *, prefix: str = "", methods: Sequence[str] = ()) -> Indexed:
        words = ["index", *("--method=" + m for m in methods)]
        if prefix:
            words.append("--key-prefix=" + prefix)
        files = [os.path.join(".", p) if os.fspath(p) == "-" else os.fspath(p) for p in paths]
        if not files:
            raise _error("no_documents", "there is no file to add")
        return _indexed(self._run(words, [self.path, *files]))

    def remove(self, ids: str | Iterable[str], *, dry_run: bool = False) -> Removed:
        names = [ids] if isinstance(ids, str) else list(ids)
        for name in names:
            if any(c in name for c in "*?["):  # the command would take it for a pattern
                found = self.query("MATCH (d:document) WHERE d.key = $id RETURN d.key", {"id": name})
                if not list(found):
                    raise _error("not_found", f'{self.path} has no document "{name}"', "nothing was removed")
        parts: list[dict[str, Any]] = []
        while names:
            n, size = 0, 0
            while n < len(names) and (n == 0 or size + len(names[n].encode()) < _ARGUMENTS):
                size += len(names[n].encode()) + 8
                n += 1
            parts.append(self._run(["rm", *(["--dry-run"] if dry_run else [])], [self.path, *names[:n]]))
            names = names[n:]
        return _removed(parts)

    def documents(self, *, prefix: str = "") -> Iterator[DocumentRow]:
        rows = self.query(
            "MATCH (d:document) WHERE d.key STARTS WITH $prefix "
            "RETURN d.key AS id, d._title AS title, d._format AS format, properties(d) AS meta",
            {"prefix": prefix},
        )
        for row in rows:
            meta = {k: _shown(v) for k, v in row["meta"].items() if k != "key"}
            yield DocumentRow(row["id"], row["title"] or "", row["format"], meta.get("lang", ""), meta)

    # Questions.

    def _asked(self, words: Sequence[str], request: dict[str, Any], *args: str) -> dict[str, Any]:
        names = ("method", "where", "top", "budget", "style", "lang")
        flags = [f"--{n}={request[n]}" for n in names if n in request]
        return cast("dict[str, Any]", self._run([*words, *flags], [self.path, request["question"], *args]))

    def _ask(self, request: dict[str, Any]) -> Answer:
        return _answer(self._asked(["ask"], request))

    def ask_stream(
        self,
        question: str,
        *,
        method: str | None = None,
        where: str | None = None,
        top: int | None = None,
        budget: int | None = None,
        style: str | None = None,
        lang: str | None = None,
    ) -> AnswerStream:
        """Ask. The command prints JSON when the answer is whole, so that the text is one
        piece; over HTTP it comes as the model writes it."""
        answer = self._ask(_request(question, method, where, top, budget, style, lang))
        return AnswerStream(iter([answer.text, answer] if answer.text else [answer]))

    def search(
        self,
        question: str,
        *,
        method: str | None = None,
        where: str | None = None,
        top: int | None = None,
        budget: int | None = None,
    ) -> list[Hit]:
        return _hits(self._asked(["ask", "--no-llm"], _request(question, method, where, top, budget)))

    def why(
        self,
        question: str,
        id: str,
        *,
        method: str | None = None,
        where: str | None = None,
        top: int | None = None,
        budget: int | None = None,
    ) -> list[Why]:
        return _whys(self._asked(["why"], _request(question, method, where, top, budget), id))

    def query(self, statement: str, params: Mapping[str, Any] | None = None, *, write: bool = False) -> Iterator[dict[str, Any]]:
        # The shell takes a line that begins so for a command of its own.
        if any(line.lstrip()[:1] in (".", ":") and line.strip() for line in statement.splitlines()):
            raise _error("usage", "no line of a statement may begin with a dot or a colon")
        own = ["--jsonl", *([] if write else ["--readonly"])]
        for name, value in (params or {}).items():
            if not name.isidentifier():
                raise _error("usage", f"{name!r} is no name of a parameter")
            own.append(f"--command=.param set {name} {_literal(value)}")
        rows = self._rows([*own, "--command=" + statement])
        return iter(list(rows)) if write else rows

    def _rows(self, words: list[str]) -> Iterator[dict[str, Any]]:
        errors = tempfile.TemporaryFile()  # noqa: SIM115
        p = self._start(self._command(words, [self.path]), errors, False)

        def rows() -> Iterator[dict[str, Any]]:
            try:
                for line in p.stdout or ():
                    yield _load(line, "a row")
                if p.wait() != 0:
                    errors.seek(0)
                    raise self._failure(p.returncode, errors.read())
            finally:
                _end(p)
                errors.close()

        # The first row is read at once, so that a statement that is wrong raises here.
        all_rows = rows()
        first = next(all_rows, None)
        return iter(()) if first is None else _chain(first, all_rows)

    def status(self) -> Status:
        return _status(self._run(["status"], [self.path]))


def _shown(v: Any) -> str:
    """A value of metadata as ragdb lists it."""
    if isinstance(v, list):
        return "[" + " ".join(json.dumps(x, ensure_ascii=False) for x in v) + "]"
    return v if isinstance(v, str) else json.dumps(v)


def _chain(first: dict[str, Any], rest: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    yield first
    yield from rest


def _end(p: subprocess.Popen[bytes]) -> None:
    """End a process that is still there: it may finish what it writes, and then has to go."""
    for stream in (p.stdout, p.stdin):
        if stream is not None and not stream.closed:
            with contextlib.suppress(OSError):
                stream.close()
    if p.poll() is not None:
        return
    p.terminate()
    try:
        p.wait(10)
    except subprocess.TimeoutExpired:
        p.kill()
        p.wait()


def _format(id: str) -> str:
    """The format of a document by the ending of its id, as ragdb has it."""
    name = id.lower().removesuffix(".gz")
    endings = {
        "md": "md",
        "markdown": "md",
        "html": "html",
        "htm": "html",
        "pdf": "pdf",
        "jsonl": "jsonl",
        "ndjson": "jsonl",
        "csv": "csv",
        "tsv": "csv",
    }
    return endings.get(name.rpartition(".")[2], "txt") if "." in name else "txt"


def _record(d: Document) -> bytes:
    """A document as a line of JSONL, where metadata stand beside the text."""
    taken = {"id", "title", "text", "content", "lang"} & d.meta.keys()
    if taken:
        raise _error("usage", f"the document {d.id!r} has metadata called {', '.join(sorted(taken))}, which are taken")
    o = {"id": d.id, "text": d.text, "title": d.title, "lang": d.lang, **d.meta}
    return _dump({k: v for k, v in o.items() if v != "" or k in d.meta}) + b"\n"


def _meta(d: Document) -> Iterator[str]:
    """The metadata of a document as flags, which take one value each."""
    if d.title or d.lang:
        raise _error(
            "usage",
            f"the document {d.id!r}: the command takes title and lang of plain texts alone",
            "state them in the text, or use ragdb.connect",
        )
    for name, value in d.meta.items():
        if not isinstance(value, str | int | float) or "=" in name:
            raise _error(
                "usage", f"the document {d.id!r}: the command takes no list for {name!r} of such a document", "use ragdb.connect"
            )
        yield f"--meta={name}={value if isinstance(value, str) else json.dumps(value)}"


def _literal(v: Any) -> str:
    """A value as the query language writes it: JSON but for the names of a map."""
    if isinstance(v, Mapping):
        return "{" + ", ".join("`" + str(k).replace("`", "``") + "`: " + _literal(x) for k, x in v.items()) + "}"
    if isinstance(v, list | tuple):
        return "[" + ", ".join(map(_literal, v)) + "]"
    return _dump(v).decode()


# Retrievers.


def _metadata(hit: Hit) -> dict[str, Any]:
    """What retrievers tell of a hit beside its text and score."""
    m: dict[str, Any] = {"chunk": hit.id, "kind": hit.kind, "method": hit.method, "score": hit.score}
    if hit.sources:
        s = hit.sources[0]
        m.update(doc=s.doc, heading=s.heading, page=s.page, bytes=list(s.bytes))
    return m


def langchain_retriever(
    db: Database, *, method: str | None = None, where: str | None = None, top: int | None = 10, budget: int | None = None
) -> LangChainBase:
    """A retriever of LangChain, whose documents have ``score``, ``doc``, ``heading``,
    ``page``, ``bytes``, ``chunk``, ``kind`` and ``method`` as metadata."""
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document as LangChainDocument
    from langchain_core.retrievers import BaseRetriever

    def retrieve(query: str) -> list[LangChainDocument]:
        hits = db.search(query, method=method, where=where, top=top, budget=budget)
        return [LangChainDocument(page_content=h.text, id=h.id, metadata=_metadata(h)) for h in hits]

    class RagdbRetriever(BaseRetriever):
        def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[LangChainDocument]:
            return retrieve(query)

        async def _aget_relevant_documents(
            self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
        ) -> list[LangChainDocument]:
            return await asyncio.to_thread(retrieve, query)

    return RagdbRetriever()


def llamaindex_retriever(
    db: Database, *, method: str | None = None, where: str | None = None, top: int | None = 10, budget: int | None = None
) -> LlamaIndexBase:
    """A retriever of LlamaIndex, whose nodes have a score, and ``doc``, ``heading``,
    ``page``, ``bytes``, ``chunk``, ``kind`` and ``method`` as metadata."""
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

    def retrieve(query: str) -> list[NodeWithScore]:
        out = []
        for h in db.search(query, method=method, where=where, top=top, budget=budget):
            metadata = _metadata(h)
            # A model is shown where the text is from, not how it was found.
            hidden = [k for k in metadata if k not in ("doc", "heading", "page")]
            node = TextNode(
                id_=h.id,
                text=h.text,
                metadata=metadata,
                excluded_llm_metadata_keys=hidden,
                excluded_embed_metadata_keys=list(metadata),
            )
            out.append(NodeWithScore(node=node, score=h.score))
        return out

    class RagdbRetriever(BaseRetriever):
        def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            return retrieve(query_bundle.query_str)

        async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            return await asyncio.to_thread(retrieve, query_bundle.query_str)

    return RagdbRetriever()
