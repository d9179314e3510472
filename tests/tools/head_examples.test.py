# SPDX-License-Identifier: Apache-2.0
"""Breaks the example at the head of a header on purpose: it must not compile, and the compiler must name its line."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from scratch import ToolTest

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
LIST_FILE = "# SPDX-License-Identifier: Apache-2.0\ngyre_module(sim LAYER 2)\n"
HEAD = SPDX + "// Clock: tells the time.\n//\n"
REST = """//
// Thread: any.
//     not an example: a drawing
#pragma once
namespace gyre::sim { struct Clock { int now(); }; }
"""
NAMES = SPDX + "namespace gyre::sim_examples { void use(int time); }\n"


class HeadExamples(ToolTest):
    tool = "head_examples"

    def compile(self, example, names=NAMES):
        """The compiler's result for a header with this example."""
        head = HEAD + "".join(f"//     {line}\n" if line else "//\n" for line in example.split("\n")) + REST
        tree = {"gyre/sim/CMakeLists.txt": LIST_FILE, "gyre/sim/clock.hpp": head, "tests/head_examples/sim.hpp": names}
        with tempfile.TemporaryDirectory() as folder:
            for path, text in tree.items():
                place = Path(folder) / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, encoding="utf-8")
            written = self.run_tool("--out", f"{folder}/build", folder)
            self.assertEqual(written.returncode, 0, written.stderr)
            command = [os.environ.get("CXX", "g++"), "-std=c++23", "-fsyntax-only", "-I.", "build/sim.cpp"]
            return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    def passes(self, example):
        result = self.compile(example)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_statements_stand_in_a_function(self):
        self.passes("sim::Clock clock;\nuse(clock.now());")

    def test_a_statement_that_returns(self):
        self.passes("sim::Clock clock;\nif (clock.now() > 0) return 1;")

    def test_declarations_stand_at_namespace_scope(self):
        self.passes("struct Fast : sim::Clock {\n    int now() { return 2; }\n};\n\n"
                    "int twice(sim::Clock& clock) {\n    return 2 * clock.now();\n}\nFast fast;\nuse(twice(fast));")

    def test_a_specialization_stands_in_no_namespace(self):
        result = self.compile("template <> struct gyre::Name<int> {};", SPDX + "namespace gyre { template <class T> struct Name; }\n")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_broken_example_does_not_compile(self):
        result = self.compile("sim::Clock clock;\nuse(clock.later());")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("gyre/sim/clock.hpp:5:", result.stderr)

    def test_a_name_that_nobody_declares(self):
        result = self.compile("sim::Clock clock;\nuse(clock.now());", SPDX)
        self.assertIn("gyre/sim/clock.hpp:5:", result.stderr)


if __name__ == "__main__":
    unittest.main()
