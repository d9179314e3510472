# SPDX-License-Identifier: Apache-2.0
"""gyre doc: the files it writes are well-formed, and every link has its target."""

import re
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

GYRE = sys.argv.pop(1)
EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples" / "vela"
VOID = {"meta", "br"}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links = [], set(), []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                assert value not in self.ids, value
                self.ids.add(value)
            if name == "href":
                self.links.append(value)
        assert tag != "script"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


class Doc(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def doc(self, *args):
        return subprocess.run([GYRE, "doc", *map(str, args)], capture_output=True, text=True, cwd=self.folder)

    def pages(self, folder):
        return {file.name: Page(file.read_text(encoding="utf-8")) for file in folder.iterdir()}

    def test_the_links_of_a_folder_have_targets(self):
        done = self.doc(EXAMPLES, "--output", "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        pages = self.pages(self.folder / "out")
        self.assertEqual(len(pages), len(list(EXAMPLES.rglob("*.vela"))) + 1)
        for name, page in pages.items():
            for link in page.links:
                file, _, anchor = link.partition("#")
                self.assertIn(file or name, pages)
                if anchor:
                    self.assertIn(anchor, pages[file or name].ids, f"{name}: {link}")

    def test_types_of_other_files_are_linked(self):
        (self.folder / "sub").mkdir()
        (self.folder / "sub" / "base.vela").write_text('""" The base. """\nstruct Base { n: Number }\n')
        (self.folder / "app.vela").write_text("import './sub/base.vela'\n# Makes one.\nfn make() -> Base { Base(1) }\n")
        self.assertEqual(self.doc(self.folder).returncode, 0)
        pages = self.pages(self.folder / "doc")
        self.assertEqual(sorted(pages), ["app.html", "index.html", "sub.base.html"])
        self.assertIn("sub.base.html#Base", pages["app.html"].links)

    def test_the_example_of_the_guide(self):
        guide = EXAMPLES.parent.parent / "docs" / "guide" / "vela-tools.md"
        (self.folder / "shapes.vela").write_text(re.search(r"```vela\n(.*?)```", guide.read_text(), re.DOTALL)[1])
        self.assertEqual(self.doc("shapes.vela").returncode, 0)
        page = (self.folder / "doc" / "shapes.html").read_text()
        for text in ("Shapes and their areas.", "A shape with four equal sides.", "<li><code>side</code> is its length",
                     'area(square: <a href="#Square">Square</a>)'):
            self.assertIn(text, page)

    def test_errors(self):
        (self.folder / "wrong.vela").write_text("fn f() -> Number { }\n")
        done = self.doc("wrong.vela")
        self.assertEqual(done.returncode, 2)
        self.assertIn("E0308", done.stderr)
        self.assertFalse((self.folder / "doc").exists())
        self.assertEqual(self.doc("none.vela").returncode, 2)
        (self.folder / "empty").mkdir()
        self.assertIn("there is no .vela file", self.doc("empty").stderr)
        (self.folder / "right.vela").write_text("fn f() -> void { }\n")
        (self.folder / "file").write_text("")
        self.assertEqual(self.doc("right.vela", "--output", "file/x").returncode, 2)


if __name__ == "__main__":
    unittest.main()
