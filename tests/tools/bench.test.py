# SPDX-License-Identifier: Apache-2.0
"""What the costs of tasks are measured with is there, and docs/guide/costs.md states what was measured. No
test asserts a time: ./dev bench task does that, with the goals of bench/cases.json."""

import json
import re
import sys
import unittest

from scratch import REPOSITORY

PAGE = (REPOSITORY / "docs/guide/costs.md").read_text(encoding="utf-8")
DECLARED = json.loads((REPOSITORY / "bench/cases.json").read_text(encoding="utf-8"))
CASES = {case["case"]: case for case in DECLARED["cases"] if case["group"] == "task"}
# The limits of A20, in nanoseconds, by the case that measures each.
LIMITS_NS = {"await_ready": 5, "child_await": 20, "poll": 10, "wake": 15}


def sources(*patterns):
    found = [path for pattern in patterns for path in sorted((REPOSITORY / "bench").glob(pattern))]
    return "".join(path.read_text(encoding="utf-8") for path in found)


def rows():
    """The page's table: case to figures, ours and the callbacks', in nanoseconds."""
    return {
        case: (float(ours), float(callbacks))
        for case, ours, callbacks in re.findall(r"^\| `(\w+)` \|.*\| ([\d.]+) \| ([\d.]+) \|$", PAGE, re.M)
    }


class TaskCosts(unittest.TestCase):
    def test_the_costs_of_a_future_have_cases_with_goals_below_their_limits(self):
        # clause: A20
        ours = sources("task_cases.hpp")
        for name, limit in LIMITS_NS.items():
            self.assertEqual(CASES[name]["unit"], "ns")
            self.assertEqual(CASES[name]["better"], "less")
            self.assertLess(CASES[name]["goal"], limit, name)
            self.assertIn(f'"{name}"', ours, f"bench_task does not measure {name}")
            self.assertLess(rows()[name][0], limit, f"the page states that {name} misses its limit")

    def test_an_await_is_measured_and_stated_beside_hand_written_callbacks(self):
        # clause: A31
        self.assertIn("callbacks", DECLARED["peers"]["task"])
        theirs = sources("peers/callbacks/*.cpp")
        self.assertIn("`./dev bench task`", PAGE)
        self.assertLess(set(LIMITS_NS), set(rows()))
        for name in rows():
            self.assertIn(name, CASES)
            self.assertIn(f'"{name}"', theirs, f"there are no callbacks to compare {name} with")


class Rows(unittest.TestCase):
    ROUNDS = {"ours": {"p": [9.0, 1.0, 5.0]}, "one": {"p": [4.0, 7.0, 3.0]}, "two": {"p": [6.0, 6.0, 6.0]}}

    def row(self, **case):
        sys.path.insert(0, str(REPOSITORY / "bench"))
        sys.dont_write_bytecode = True
        import run  # noqa: PLC0415

        declared = {"group": "io", "case": "p", "unit": "ns", "better": "less", **case}
        return run.make_rows([declared], self.ROUNDS, ["one", "two"], [])[0]

    def test_a_value_is_the_best_of_the_rounds_or_their_median(self):
        self.assertEqual(self.row()["ours"], 1.0)
        row = self.row(value="median")
        self.assertEqual((row["ours"], row["peers"]), (5.0, {"one": 4.0, "two": 6.0}))

    def test_a_goal_may_be_the_best_of_the_peers(self):
        goal = {"peer": "best", "factor": 1.5}
        self.assertEqual(self.row(value="median", goal=goal)["goal"], 6.0)
        self.assertEqual(self.row(goal=goal)["goal"], 4.5)


if __name__ == "__main__":
    unittest.main()
