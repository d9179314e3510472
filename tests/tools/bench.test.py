# SPDX-License-Identifier: Apache-2.0
"""What the costs of tasks are measured with is there, and docs/guide/costs.md states what was measured; how
rows are made of rounds; how a commit is compared with. No test asserts a time: ./dev bench does that, with the
goals of bench/cases.json."""

import argparse
import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from scratch import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "bench"))
import against  # noqa: E402
import baseline  # noqa: E402
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
        for case, ours, callbacks in re.findall(r"^\| `(\w+)` \|[^|]*\| ([\d.]+) \| ([\d.]+) \|$", PAGE, re.M)
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


class Against(unittest.TestCase):
    """The judging, with a `measure` that returns what the test says: {case: (values of ours, of the commit)}."""

    def run_passes(self, *passes, better="less", limit=3):
        cases = [{"group": "g", "case": name, "set": "s", "unit": "ns", "better": better} for name in passes[0]]
        left = list(passes)
        self.measured = []

        def measure(cases, round_count):
            self.measured.append(([case["case"] for case in cases], round_count))
            said = left.pop(0)
            values = {side: {name: both[i] for name, both in said.items()} for i, side in enumerate(["ours", "abc"])}
            return values, rounds.make_rows(cases, values, [], [])

        arguments = argparse.Namespace(rounds=5, limit=limit)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            rows = against.run(measure, cases, "abc", arguments, rounds.Progress())
            self.status = report.print_verdict(rows, "abc", limit)
        return {row["case"]: row for row in rows}

    def test_a_ratio_below_one_is_faster_whichever_value_is_better(self):
        row = self.run_passes({"c": ([6.0, 8.0, 9.0], [12.0, 16.0, 30.0])})["c"]
        self.assertEqual((row["ours"], row["baseline"], row["ratio"], row["ratio_median"]), (6.0, 12.0, 0.5, 0.5))
        row = self.run_passes({"c": ([6.0], [3.0])}, better="more")["c"]
        self.assertEqual((row["ratio"], row["verdict"], self.status), (0.5, "", 0))

    def test_rows_that_look_slower_are_measured_again_with_more_rounds(self):
        slow, fine = ([11.0], [10.0]), ([10.0], [10.0])
        rows = self.run_passes({"a": slow, "b": fine, "c": slow}, {"a": fine, "c": slow}, {"c": slow})
        self.assertEqual(self.measured, [(["a", "b", "c"], 5), (["a", "c"], 10), (["c"], 20)])
        self.assertEqual({name: row["verdict"] for name, row in rows.items()}, {"a": "", "b": "", "c": "slower"})
        self.assertEqual({name: row["rounds"] for name, row in rows.items()}, {"a": 10, "b": 5, "c": 20})
        self.assertEqual(self.status, 1)

    def test_noise_is_not_called_slower(self):
        rows = self.run_passes({"c": ([20.0], [10.0])}, {"c": ([10.2], [10.0])})
        self.assertEqual((rows["c"]["ratio"], rows["c"]["verdict"], self.status), (1.02, "", 0))

    def test_a_row_is_slower_only_where_best_and_median_are(self):
        best_only = {"c": ([11.0, 12.0, 13.0], [10.0, 12.0, 13.0])}
        self.assertEqual(self.run_passes(*[best_only] * 3)["c"]["verdict"], "unclear")
        median_only = {"c": ([10.0, 13.0, 13.0], [10.0, 12.0, 13.0])}
        self.assertEqual(self.run_passes(*[median_only] * 3)["c"]["verdict"], "unclear")
        self.assertEqual(self.status, 0)

    def test_the_limit_is_in_percent(self):
        row = {"c": ([10.5], [10.0])}
        self.assertEqual(self.run_passes(*[row] * 3, limit=4)["c"]["verdict"], "slower")
        self.assertEqual(self.run_passes(row, limit=6)["c"]["verdict"], "")

    def test_a_row_that_lost_its_value_has_failed(self):
        self.assertEqual(self.run_passes({"c": ([], [10.0])})["c"]["verdict"], "failed")
        self.assertEqual(self.status, 1)

    def test_a_baseline_of_zero_has_a_ratio(self):
        self.assertEqual(self.run_passes({"c": ([0.0], [0.0])})["c"]["ratio"], 1)
        self.assertEqual(self.run_passes(*[{"c": ([64.0], [0.0])}] * 3)["c"]["verdict"], "slower")

    def test_only_programs_that_the_groups_need_are_built(self):
        targets = ["bench_io", "bench_io_files", "bench_job", "bench_echo_client", "bench_peer_epoll_io", "bench_peer_uring_io"]
        own = ["bench_io", "bench_io_files", "bench_echo_client"]
        self.assertEqual(baseline.needed(targets, ["io"], []), own)
        self.assertEqual(baseline.needed(targets, ["io"], ["epoll"]), [*own, "bench_peer_epoll_io"])


# A compiler for the trees of the class below: the programs of a tree are its file `program`.
CMAKE = """
case "$*" in
    "--preset "*) mkdir -p build/release/bin
        printf 'GYRE_BENCH:BOOL=ON\\nCMAKE_CXX_COMPILER:FILEPATH=/usr/bin/c++\\n' >build/release/CMakeCache.txt ;;
    *"--target help") printf 'bench_g: phony\\nbench_peer_x_g: phony\\n' ;;
    *) echo "build $*" >>"$LOG"; cp "$2/../../program" "$2/bin/bench_g" ;;
esac
"""


def script(side, other_case, value):
    """A program with two cases, of which only the first is ever measured; logs its side when it is."""
    return f"""#!/bin/sh
case $1 in
    --list) printf 'shared\\n{other_case}\\n' ;;
    *) echo "call {side}" >>"$LOG"; printf 'shared\\t{value}\\n' ;;
esac
"""


@unittest.skipUnless(shutil.which("git"), "needs git")
class AgainstACommit(unittest.TestCase):
    """The whole way through ./dev, in a repository with two commits and a compiler that copies a script."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        self.log = self.root / "log"
        paths = f"{self.root / 'bin'}:{os.environ['PATH']}"
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self.environment = clean | {"PATH": paths, "LOG": str(self.log)}
        for path in [REPOSITORY / "dev", *(REPOSITORY / "bench").glob("*.py")]:
            self.write(path.relative_to(REPOSITORY), path.read_text(encoding="utf-8"))
        case = {"group": "g", "set": "s", "unit": "ns", "better": "less", "says": ""}
        cases = [case | {"case": name} for name in ("shared", "fresh")]
        self.write("bench/cases.json", json.dumps({"bare": [], "peers": {"g": ["x"]}, "cases": cases}))
        self.write("bin/cmake", "#!/bin/sh" + CMAKE)
        self.write("tools/setup", '#!/bin/sh\necho "setup $*" >>"$LOG"\n')
        self.git("init", "--quiet")
        self.commit(script("before", "former", 10))
        self.commit(script("middle", "former", 10))
        self.write("program", script("new", "fresh", 20))

    def write(self, path, text):
        (self.root / path).parent.mkdir(exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")
        (self.root / path).chmod(0o755)

    def git(self, *words):
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", *words]
        done = subprocess.run(command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def commit(self, text):
        self.write("program", text)
        self.git("add", "program")
        self.git("commit", "--quiet", "-m", "a")

    def bench(self, *arguments):
        self.log.write_text("", encoding="utf-8")
        command = [str(self.root / "dev"), "bench", *arguments]
        return subprocess.run(command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False)

    def logged(self, word):
        lines = self.log.read_text(encoding="utf-8").splitlines()
        return [line.removeprefix(word + " ") for line in lines if line.startswith(word + " ")]

    def test_is_measured_by_turns(self):
        result = self.bench("--against", "HEAD~1", "g", "--rounds", "2", "--json", "rows.json")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(self.logged("call")[:4], ["before", "new", "new", "before"])
        self.assertEqual(len(self.logged("call")), 2 * (2 + 4 + 8))
        row = json.loads((self.root / "rows.json").read_text(encoding="utf-8"))[0]
        self.assertEqual((row["case"], row["ours"], row["baseline"], row["ratio"]), ("shared", 20, 10, 2))
        self.assertRegex(result.stdout, r"shared +ns +20.0 +20.0 +10.0 +10.0 +2.000 +2.000 +8 +slower")

    def test_that_is_as_fast_gives_the_status_zero(self):
        self.write("program", script("new", "fresh", 10))
        result = self.bench("--against", "HEAD", "--rounds", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.logged("call"), ["middle", "new"])

    def test_may_have_other_rows(self):
        result = self.bench("--against", "HEAD~1", "--rounds", "1")
        self.assertIn("Only in this tree: fresh.\n", result.stdout)
        self.assertRegex(result.stdout, r"Only at \w+: former\.\n")

    def test_needs_no_peers(self):
        self.bench("--against", "HEAD", "--rounds", "1")
        self.assertEqual(self.logged("setup"), ["build"])
        self.assertEqual([words.split(" --target ")[1] for words in self.logged("build")], ["bench_g", "bench_g"])

    def test_is_extracted_once_and_stays_while_it_is_used(self):
        self.bench("--against", "HEAD", "--rounds", "1")
        used = self.root / "build/against" / self.git("rev-parse", "HEAD")[:10]
        (used / "mark").touch()
        for used_at, folder in enumerate([used, used.with_name("a"), used.with_name("b"), used.with_name("c")]):
            folder.mkdir(exist_ok=True)
            os.utime(folder, (used_at, used_at))
        self.bench("--against", "HEAD", "--rounds", "1")
        self.assertTrue((used / "mark").exists())
        self.assertEqual({path.name for path in used.parent.iterdir()}, {used.name, "b", "c"})

    def test_without_a_common_row_cannot_be_compared_with(self):
        self.assertEqual(self.bench("--against", "HEAD", "--case", "fresh").returncode, 2)

    def test_that_is_unknown_is_said(self):
        result = self.bench("--against", "nowhere")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no commit 'nowhere'", result.stderr)


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
