# SPDX-License-Identifier: Apache-2.0
"""What the costs of tasks are measured with is there, and docs/guide/costs.md states what was measured; how
rows are made of rounds. No test asserts a time: ./dev bench does that, with the goals of bench/cases.json."""

import json
import re
import sys
import unittest

from scratch import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "bench"))
import http_load  # noqa: E402
import http_servers  # noqa: E402
import report  # noqa: E402
import rounds  # noqa: E402

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


def row_of(case, values, peers):
    return rounds.make_rows([{"group": "g", "case": "c", "unit": "ns", "better": "less"} | case], values, peers, [])[0]


class Rows(unittest.TestCase):
    def test_a_case_gives_its_best_round_unless_it_picks_the_median(self):
        values = {"ours": {"c": [3.0, 1.0, 9.0]}, "peer": {"c": [4.0, 2.0, 6.0]}}
        best = row_of({}, values, ["peer"])
        self.assertEqual((best["ours"], best["peers"]), (1.0, {"peer": 2.0}))
        median = row_of({"pick": "median"}, values, ["peer"])
        self.assertEqual((median["ours"], median["peers"]), (3.0, {"peer": 4.0}))

    def test_the_floor_is_shown_and_no_rival(self):
        values = {"ours": {"c": [3.0]}, "floor": {"c": [1.0]}, "a": {"c": [6.0]}, "b": {"c": [4.0]}}
        row = row_of({"goal": {"peer": "best", "factor": 1.5}}, values, ["floor", "a", "b"])
        self.assertEqual(row["peers"]["floor"], 1.0)
        self.assertEqual(row["goal"], 6.0)
        self.assertEqual(report.ratio_to_best(row), 4.0 / 3.0)

    def test_a_goal_beside_the_best_needs_a_peer(self):
        row = row_of({"goal": {"peer": "best", "factor": 1.5}}, {"ours": {"c": [3.0]}}, ["a"])
        self.assertNotIn("goal", row)


class HttpServers(unittest.TestCase):
    def test_every_peer_can_be_looked_for_and_every_case_is_declared(self):
        self.assertLessEqual(set(DECLARED["peers"]["http"]), set(http_servers.FINDERS))
        declared = {case["case"] for case in DECLARED["cases"] if case["group"] == "http"}
        self.assertLessEqual(set(http_servers.ALL_CASES), declared)

    def test_what_wrk_adds_to_its_record_is_taken_out_again(self):
        measured = {50: 3, 130: 7, 230: 2, 400: 1, 1000: 4}
        interval = 100
        record = dict.fromkeys(range(50, 1001), 0) | measured
        for time, count in measured.items():
            for below in range(time - interval, interval, -interval):
                record[below] += count
        record = {time: count for time, count in record.items() if count > 0}
        found = {time: n for time, n in http_load.without_guesses(record, interval).items() if n > 0}
        self.assertEqual(found, measured)
        self.assertEqual(http_load.percentile(found, 0.5), 130)
        self.assertEqual(http_load.percentile(found, 0.99), 1000)

    def test_a_configuration_names_the_port_and_encrypts_only_where_asked(self):
        plain = http_servers.Place("/scratch", 4321)
        encrypted = http_servers.Place("/scratch", 4321, "/scratch/certificate.pem", "/scratch/key.pem")
        for configuration in (http_servers.nginx_configuration, http_servers.h2o_configuration):
            self.assertRegex(configuration(plain), r"\b4321\b")
            self.assertNotIn("key.pem", configuration(plain))
            self.assertIn("/scratch/key.pem", configuration(encrypted))


if __name__ == "__main__":
    unittest.main()
