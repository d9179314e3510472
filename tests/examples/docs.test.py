# SPDX-License-Identifier: Apache-2.0
"""The documents say what the tree is like: the README's program is a compiled example, and every path
that the README and the architecture page name exists."""

import re
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from example_text import region

ROOT = Path(__file__).resolve().parent.parent.parent
# A word in backquotes that holds a slash and looks like a path of this tree.
NAMED_PATH = re.compile(r"`((?:\w[\w.-]*/)+[\w.-]*)`")
LINK = re.compile(r"\]\(([^)#]+)\)")


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def named_paths(text):
    return NAMED_PATH.findall(text)


def relative_links(text):
    return [link for link in LINK.findall(text) if "://" not in link]


class Documents(unittest.TestCase):
    def test_the_program_of_the_readme_is_a_region_of_an_example(self):
        blocks = re.findall(r"```cpp\n(.*?)```", read("README.md"), re.DOTALL)
        self.assertEqual(blocks, [region(read("examples/01_timer.cpp"), "readme")])

    def test_the_program_of_the_guide_to_tracing_is_a_region_of_a_test(self):
        blocks = re.findall(r"```cpp\n(.*?)```", read("docs/guide/tracing.md"), re.DOTALL)
        self.assertEqual(blocks, [region(read("gyre/trace/file.test.cpp"), "guide")])

    def test_the_programs_of_the_guide_to_jobs_are_regions_of_examples(self):
        text = read("docs/guide/give-your-language-an-event-loop.md")
        blocks = re.findall(r"```cpp\n(.*?)```", text, re.DOTALL)
        example = read("examples/14_jobs.cpp")
        regions = [region(example, name) for name in ["run", "script", "host", "operation"]]
        self.assertEqual(blocks, [*regions, region(read("examples/26_conform.cpp"), "run")])

    def test_the_programs_of_the_guide_to_effects_are_regions_of_an_example(self):
        text = read("docs/guide/host-your-languages-effects.md")
        blocks = re.findall(r"```cpp\n(.*?)```", text, re.DOTALL)
        example = read("examples/25_effects.cpp")
        script = region(read("gyre/effect/json/handler_script.test.cpp"), "guide")
        names = ["effect", "guest", "handler", "main", "run"]
        self.assertEqual(blocks, [region(example, name) for name in names] + [script])

    def test_the_table_of_effect_errors_has_every_kind_once(self):
        enum = read("gyre/effect/run_outcome.hpp").split("enum class ErrorKind")[1].split("};")[0]
        kinds = re.findall(r"^    (\w+),", enum, re.MULTILINE)
        self.assertGreater(len(kinds), 10)
        self.assertEqual(re.findall(r"^\| `(\w+)`", read("docs/effect-errors.md"), re.MULTILINE), kinds)

    def test_every_path_of_the_architecture_page_exists(self):
        paths = named_paths(read("docs/ARCHITECTURE.md"))
        self.assertGreater(len(paths), 20)
        self.assertEqual([path for path in paths if not (ROOT / path).exists()], [])

    def test_every_path_that_the_readme_names_exists(self):
        paths = relative_links(read("README.md")) + named_paths(read("README.md"))
        self.assertEqual([path for path in paths if not (ROOT / path).exists()], [])

    def test_the_architecture_page_names_every_module(self):
        text = read("docs/ARCHITECTURE.md").split("## The layers")[1].split("## A turn")[0]
        modules = [path.parent.name for path in ROOT.glob("gyre/*/CMakeLists.txt")]
        self.assertEqual([name for name in modules if not re.search(rf"\b{name}\b", text)], [])

    def test_the_changelog_has_the_version_of_the_build(self):
        version = re.search(r"project\(gyre VERSION ([\d.]+)", read("CMakeLists.txt"))[1]
        self.assertIn(f"## [{version}]", read("CHANGELOG.md"))

    def test_decisions_are_numbered_without_gaps_and_say_the_four_things(self):
        records = sorted((ROOT / "docs/decisions").glob("*.md"))
        self.assertEqual([int(record.name[:4]) for record in records], list(range(1, len(records) + 1)))
        headings = ["Context", "Decision", "What we gave up", "How we would know we were wrong"]
        for record in records:
            found = re.findall(r"^## (.+)$", record.read_text(encoding="utf-8"), re.MULTILINE)
            self.assertEqual(found, headings, record.name)


class Recognition(unittest.TestCase):
    """A check that finds nothing would always pass."""

    def test_finds_paths_and_folders_and_leaves_other_words(self):
        text = "see `gyre/kernel/loop.cpp`, `tests/model/`, `Loop::turn()`, `a/b` and [x](docs/X.md)"
        self.assertEqual(named_paths(text), ["gyre/kernel/loop.cpp", "tests/model/", "a/b"])
        self.assertEqual(relative_links(text + " [y](https://example.org/)"), ["docs/X.md"])


if __name__ == "__main__":
    unittest.main()
