from __future__ import annotations

import doctest
import pathlib

from .server import Case


class TestReadme(Case):
    def test_walk(self) -> None:
        text = (pathlib.Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
        self.assertIn("http://127.0.0.1:8080", text)
        text = text.replace("http://127.0.0.1:8080", self.serve("demo.ragdb"))
        test = doctest.DocTestParser().get_doctest(text, {}, "README.md", "README.md", 0)
        self.assertGreater(len(test.examples), 15)
        out: list[str] = []
        result = doctest.DocTestRunner().run(test, out=out.append)
        self.assertEqual(result.failed, 0, "".join(out))
