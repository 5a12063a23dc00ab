from __future__ import annotations

import asyncio
import importlib.util
import subprocess
import sys
import unittest

import ragdb

from .server import Case

QUESTION = "How many steps does the tower of the lighthouse have?"


def absent(name: str) -> bool:
    return importlib.util.find_spec(name) is None


class TestRetrievers(Case):
    db: ragdb.Database

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.db = ragdb.connect(cls.serve("demo.ragdb"))
        cls.addClassCleanup(cls.db.close)

    def check(self, texts: list[str], metadata: dict[str, object]) -> None:
        self.assertEqual(len(texts), 3)
        self.assertIn("187 steps", texts[0])
        known = {"doc": "lighthouse/lantern-point.md", "chunk": "c:lighthouse/lantern-point.md#1", "method": "bm25"}
        self.assertEqual({k: metadata[k] for k in known}, known)
        self.assertEqual(metadata["bytes"], [380, 847])
        self.assertLessEqual({"heading", "page", "kind"}, metadata.keys())

    @unittest.skipIf(absent("langchain_core"), "langchain-core is not installed")
    def test_langchain(self) -> None:
        r = ragdb.langchain_retriever(self.db, method="bm25", top=3)
        docs = r.invoke(QUESTION)
        self.check([d.page_content for d in docs], docs[0].metadata)
        scores = [d.metadata["score"] for d in docs]
        self.assertEqual(scores, sorted(scores, reverse=True))
        self.assertEqual(asyncio.run(r.ainvoke(QUESTION)), docs)
        with self.assertRaises(ragdb.UsageError):
            ragdb.langchain_retriever(self.db, method="nonsense").invoke(QUESTION)

    @unittest.skipIf(absent("langchain_core"), "langchain-core is not installed")
    def test_langchain_chain(self) -> None:
        from langchain_core.runnables import RunnableLambda

        chain = ragdb.langchain_retriever(self.db, top=1) | RunnableLambda(lambda docs: docs[0].metadata["doc"])
        self.assertEqual(chain.batch([QUESTION, "comet of 1889"]), ["lighthouse/lantern-point.md", "observatory/comet-1889.md"])

    @unittest.skipIf(absent("llama_index"), "llama-index-core is not installed")
    def test_llamaindex(self) -> None:
        r = ragdb.llamaindex_retriever(self.db, method="bm25", top=3)
        nodes = r.retrieve(QUESTION)
        self.check([n.node.get_content() for n in nodes], nodes[0].node.metadata)
        self.assertEqual(nodes[0].score, nodes[0].node.metadata["score"])
        again = asyncio.run(r.aretrieve(QUESTION))
        self.assertEqual([(n.node_id, n.score) for n in again], [(n.node_id, n.score) for n in nodes])

    def test_optional(self) -> None:
        code = "import sys, ragdb; sys.exit(any(m.startswith(('langchain', 'llama_index')) for m in sys.modules))"
        subprocess.run([sys.executable, "-c", code], check=True)
