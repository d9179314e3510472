# SPDX-License-Identifier: Apache-2.0
"""tools/assertions: which messages a death test names, what a seed draws, and the numbers per module."""

import unittest

from scratch import ToolTest

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
TREE = {
    "gyre/sim/CMakeLists.txt": "# SPDX-License-Identifier: Apache-2.0\ngyre_module(sim LAYER 2)\n",
    "gyre/sim/clock.cpp": SPDX + 'GYRE_ASSERT(count <= room, "%zu items for %zu places: "\n    "check the size", count, room);\n'
                                 'GYRE_ASSERT(f("no message"), "the clock has stopped");\n'
                                 '// GYRE_ASSERT(false, "a comment");\n' + "int x();\n" * 95,
    "gyre/sim/clock.hpp": SPDX + 'GYRE_DEBUG_ASSERT(is_owner(), "another thread reads the clock");\n',
}


def death(pattern):
    return {"gyre/sim/clock.test.cpp": SPDX + f'EXPECT_DEATH(\n    {{ f("x"); }},\n    "{pattern}");\n'}


class Assertions(ToolTest):
    tool = "assertions"

    def untested(self, tree):
        lines = self.run_on(TREE | tree).stdout.splitlines()
        return [line.split(": UNTESTED")[0] for line in lines if "UNTESTED" in line]

    def test_lists_those_that_no_death_test_names(self):
        self.assertEqual(self.untested({}), ["gyre/sim/clock.cpp:2", "gyre/sim/clock.cpp:4"])

    def test_a_pattern_names_a_message_in_part_or_with_its_values(self):
        for pattern in ("the clock has stopped", "clock has sto", "Assertion.*the clock has"):
            self.assertEqual(self.untested(death(pattern)), ["gyre/sim/clock.cpp:2"], pattern)
        for pattern in ("17 items for 16 places", "[0-9]+ items for .* places: check the size"):
            self.assertEqual(self.untested(death(pattern)), ["gyre/sim/clock.cpp:4"], pattern)

    def test_another_text_and_too_little_of_it_name_nothing(self):
        for pattern in ("the clock was stopped", "stopped", "17 items in 16 places: look", "another thread reads the clock"):
            self.assertEqual(len(self.untested(death(pattern))), 2, pattern)

    def test_counts_per_thousand_lines(self):
        self.assertIn("sim           29.4 per 1,000 lines (3 in 102)", self.run_on(TREE, "--count").stdout)

    def test_a_seed_draws_the_same_again_and_fails_where_one_is_untested(self):
        first = self.run_on(TREE, "--draw", "a", "1")
        self.assertEqual(first.returncode, 1)
        self.assertEqual(first.stdout, self.run_on(TREE, "--draw", "a", "1").stdout)
        named = death("the clock has stopped|items for [0-9]+ places: check")
        self.assertEqual(self.run_on(TREE | named, "--draw", "a", "2").returncode, 0)

    def test_draws_from_this_tree(self):
        lines = self.run_tool("--draw", "683573e", "30").stdout.splitlines()
        self.assertEqual(len(lines), 31)
        self.assertRegex(lines[-1], r"^30 assertions, \d+ without a death test$")


if __name__ == "__main__":
    unittest.main()
