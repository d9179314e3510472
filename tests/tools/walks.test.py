# SPDX-License-Identifier: Apache-2.0
"""tools/walks on handmade profiles: which files count, in which order, and that a table which differs fails with the
difference. The test `walks` measures the real programs."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from scratch import REPOSITORY, ToolTest

TREE = {
    "gyre/base/CMakeLists.txt": "gyre_module(base LAYER 0)\n",
    "gyre/base/queue.hpp": "void push() { grow(); }\n",
    "gyre/base/queue.cpp": "void grow() {}\n",
    "gyre/kernel/CMakeLists.txt": "gyre_module(kernel LAYER 1 DEPENDS base)\n",
    "gyre/kernel/loop.hpp": "bool is_ready() { return true; }\n",
    "gyre/kernel/loop.cpp": "void turn() {}\nvoid tick() {}\n",
    "gyre/kernel/instant.hpp": "long now() { return 0; }\n",
    "gyre/kernel/ring.cpp": "void wait() {}\n",
    "gyre/kernel/ring.hpp": "void take() {}\n",
    "gyre/kernel/sleeper.hpp": "void on_complete(\n    int result) noexcept override {}\n",
    "gyre/kernel/op.hpp": "virtual ~Op() override {}\n",
    "gyre/kernel/routing.hpp": "void route() { tick(); }\n",
    "gyre/kernel/value.hpp": "int await_resume() { return 0; }\n",
    "tests/walks/marks.cpp": "void begin() {}\n",
    "tests/walks/walks.cpp": "void main_task() {}\n",
}

# Function: its file and line, and what it calls, in order. The walk begins inside wait.
CALLS = {
    "turn": ("gyre/kernel/loop.cpp", 1, ["now", "wait", "push", "route", "~Op", "is_ready"]),
    "wait": ("gyre/kernel/ring.cpp", 1, ["waited", "take"]),
    "waited": ("tests/walks/marks.cpp", 1, ["begin()"]),
    "begin()": ("tests/walks/marks.cpp", 1, []),
    "take": ("gyre/kernel/ring.hpp", 1, []),
    "now": ("gyre/kernel/instant.hpp", 1, []),
    "push": ("gyre/base/queue.hpp", 1, ["grow"]),
    "grow": ("gyre/base/queue.cpp", 1, []),
    "route": ("gyre/kernel/routing.hpp", 1, ["tick"]),
    "tick": ("gyre/kernel/loop.cpp", 2, ["on_complete", "main_task"]),
    "on_complete": ("gyre/kernel/sleeper.hpp", 1, []),
    "~Op": ("gyre/kernel/op.hpp", 1, []),
    "is_ready": ("gyre/kernel/loop.hpp", 1, []),
    "main_task": ("tests/walks/walks.cpp", 1, ["await_resume"]),
    "await_resume": ("gyre/kernel/value.hpp", 1, ["now"]),
}
# The other thread of a walk that begins with a call.
CALLER = {
    "asking": ("tests/walks/walks.cpp", 1, ["begin()", "post"]),
    "begin()": ("tests/walks/marks.cpp", 1, []),
    "post": ("gyre/kernel/post.cpp", 1, []),
}
# Inlined code that calls a function of its own file, which callgrind then does not name, and that function.
INLINED = """fi=/elsewhere/gyre/kernel/wheel.hpp
1 2
cfn=fire
calls=1 2
1 2
fe=/elsewhere/gyre/kernel/loop.cpp"""
FIRE = """
fl=/elsewhere/gyre/kernel/wheel.hpp
fn=fire
2 1
cfi=/elsewhere/tests/walks/walks.cpp
cfn=main_task
calls=1 1
2 1
"""
ROWS = [
    ("uring", ["tcp_read", "sleep", "effect_step", "script_timer", "actor_ask", "http_request", "handle_timer"]),
    ("epoll", ["tcp_read"]),
]
FILES = ["gyre/kernel/ring", "gyre/kernel/loop", "gyre/kernel/routing", "gyre/kernel/sleeper", "gyre/kernel/value"]


def profile(name, calls):
    """As callgrind writes it, with the paths of another work tree."""
    lines = ["# callgrind format", f"desc: Trigger: Client Request: {name}", "positions: line", "events: Ir"]
    for function, (file, line, callees) in calls.items():
        lines += ["", f"fl=/elsewhere/./{file}", f"fn={function}", f"{line} 3"]
        for callee in callees:
            lines += [f"cfi=/elsewhere/./{calls[callee][0]}", f"cfn={callee}", "calls=1 1", f"{line} 5"]
    return "\n".join(lines) + "\n"


class ScratchWalks(ToolTest):
    tool = "walks"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for path, text in TREE.items():
            self.put(path, text)
        self.put_profiles(CALLS)
        self.table = self.root / "docs/walks.md"
        self.put("docs/walks.md", "")

    def put(self, path, text):
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def put_profiles(self, calls):
        for platform, names in ROWS:
            for part, name in enumerate(names, 1):
                self.put(f"profiles/{platform}.{part}-01", profile(name, calls))

    def walks(self, *arguments):
        return self.run_tool("--root", str(self.root), "--profiles", str(self.root / "profiles"), *arguments)

    def write(self):
        result = self.walks("--write")
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.table.read_text(encoding="utf-8")


class Walks(ScratchWalks):
    def check_changed(self, old, new):
        """What --check says where the table has something else."""
        text = self.write()
        self.assertIn(old, text)
        self.table.write_text(text.replace(old, new, 1), encoding="utf-8")
        return self.walks("--check")

    def test_passes_with_the_table_that_it_wrote(self):
        text = self.write()
        self.assertIn(f"| `tcp_read` | io_uring | {len(FILES)} | 6 |", text)
        result = self.walks("--check")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("8 of 8 measured", result.stdout)

    def test_lists_files_as_the_walk_comes_to_them(self):
        section = self.write().split("## tcp_read on io_uring\n")[1].split("##")[0]
        self.assertEqual(section.split("\n")[1:-2], [f"{at}. `{file}`" for at, file in enumerate(FILES, 1)])

    def test_prints_functions_and_the_files_that_are_type_only(self):
        result = self.walks("sleep")
        self.assertIn("1. gyre/kernel/ring: wait", result.stdout)
        self.assertIn("2. gyre/kernel/loop: turn, tick", result.stdout)
        self.assertIn("type-only: gyre/kernel/instant, gyre/kernel/op\n", result.stdout)
        self.assertNotIn("gyre/base", result.stdout)

    def test_fails_with_the_difference_where_a_file_is_wrong(self):
        result = self.check_changed("`gyre/kernel/routing`", "`gyre/kernel/rooting`")
        self.assertEqual(result.returncode, 1)
        self.assertIn("tcp_read on io_uring: 5 files ran, 5 are listed\n", result.stdout)
        self.assertIn("  + gyre/kernel/routing    route\n", result.stdout)
        self.assertIn("  - gyre/kernel/rooting    did not run", result.stdout)
        self.assertIn("tools/walks --write", result.stdout)

    def test_fails_where_a_file_is_left_out(self):
        result = self.check_changed("3. `gyre/kernel/routing`\n", "")
        self.assertEqual(result.returncode, 1)
        self.assertIn("tcp_read on io_uring: 5 files ran, 4 are listed\n", result.stdout)

    def test_fails_where_a_number_is_wrong(self):
        result = self.check_changed("| `sleep` | io_uring | 5 |", "| `sleep` | io_uring | 4 |")
        self.assertEqual(result.returncode, 1)
        self.assertIn("sleep on io_uring: 5 files, the table says 4\n", result.stdout)
        result = self.check_changed("| `handle_timer` | io_uring | 5 | 4 |", "| `handle_timer` | io_uring | 5 | 40 |")
        self.assertEqual(result.returncode, 1)
        self.assertIn("handle_timer on io_uring: the goal is 4, the table says 40\n", result.stdout)

    def test_fails_where_a_walk_is_missing_or_unknown(self):
        for old in ["| `actor_ask` | io_uring |", "## actor_ask on io_uring"]:
            result = self.check_changed(old, old.replace("actor_ask", "actor_tell"))
            self.assertEqual(result.returncode, 1)
            self.assertIn("actor_ask on io_uring: the table does not have it\n", result.stdout)
            self.assertIn("actor_tell on io_uring: the table has it, and nothing measures it\n", result.stdout)
        self.table.unlink()
        result = self.walks("--check")
        self.assertEqual(result.returncode, 1)
        self.assertIn("tools/walks --write", result.stderr)

    def test_fails_where_the_program_did_not_reach_the_users_line(self):
        self.write()
        (self.root / "profiles/uring.2-01").unlink()
        for arguments in (["--check"], ["--write"], ["sleep"]):
            result = self.walks(*arguments)
            self.assertEqual(result.returncode, 1)
            self.assertIn("sleep on io_uring: no profile", result.stderr)

    def test_sees_a_file_that_the_walk_comes_through_anew(self):
        self.write()
        self.put("gyre/kernel/cancelling.cpp", "void look() {}\n")
        file, line, callees = CALLS["tick"]
        self.put_profiles(
            {**CALLS, "tick": (file, line, ["look", *callees]), "look": ("gyre/kernel/cancelling.cpp", 1, [])}
        )
        result = self.walks("--check", "sleep")
        self.assertEqual(result.returncode, 1)
        self.assertIn("  + gyre/kernel/cancelling    look\n", result.stdout)

    def test_counts_inlined_code_for_the_file_that_it_comes_from(self):
        self.put("gyre/kernel/wheel.hpp", "void turn() { fire(); }\nvoid fire() {}\n")
        text = profile("sleep", CALLS).replace("fn=tick\n2 3", f"fn=tick\n2 3\n{INLINED}")
        self.put("profiles/uring.2-01", text + FIRE)
        self.assertIn("gyre/kernel/wheel: inlined into tick, fire\n", self.walks("sleep").stdout)

    def test_joins_the_threads_of_a_walk(self):
        self.put("gyre/kernel/post.cpp", "void post() {}\n")
        self.put("profiles/uring.5-02", profile("actor_ask", CALLER))
        (self.root / "profiles/uring.5-01").rename(self.root / "profiles/uring.15-01")
        self.assertIn("1. gyre/kernel/post: post\n   2. gyre/kernel/ring: wait", self.walks("actor_ask").stdout)


# Replaces valgrind: refuses io_uring, and copies the profiles of epoll.
FAKE_VALGRIND = """#!/bin/sh
if [ "$GYRE_PLATFORM" = uring ]; then echo "==1== Callgrind" >&2; echo "refused by the system" >&2; exit 2; fi
for argument; do case $argument in --callgrind-out-file=*) cp "$PROFILES"/epoll.* "${argument#*=}.1-01"; esac; done
"""


class WalksUnderAnotherValgrind(ScratchWalks):
    def measured(self, *arguments):
        self.put("bin/valgrind", FAKE_VALGRIND)
        (self.root / "bin/valgrind").chmod(0o755)
        path = f"{self.root / 'bin'}:{os.environ['PATH']}"
        command = [sys.executable, "-B", str(REPOSITORY / "tools/walks"), "--root", str(self.root)]
        environment = {**os.environ, "PATH": path, "PROFILES": str(self.root / "profiles")}
        command += ["--program", "/bin/sh", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def test_leaves_out_the_rows_of_a_platform_that_is_refused_and_says_so(self):
        self.write()
        result = self.measured("--check")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("walks: not measured on io_uring: refused by the system\n", result.stdout)
        self.assertIn("1 of 8 measured", result.stdout)

    def test_writes_no_table_without_them(self):
        before = self.write()
        self.assertEqual(self.measured("--write").returncode, 1)
        self.assertEqual(self.table.read_text(encoding="utf-8"), before)


class WalksOfThisTree(ToolTest):
    tool = "walks"

    def test_is_skipped_without_valgrind(self):
        command = [sys.executable, "-B", str(REPOSITORY / "tools/walks"), "--check"]
        result = subprocess.run(command, env={"PATH": ""}, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 77, result.stderr)
        self.assertIn("skipped, there is no valgrind", result.stdout)

    def test_refuses_a_walk_that_it_does_not_know(self):
        result = self.run_tool("stroll")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no walk 'stroll'", result.stderr)

    @unittest.skipUnless(shutil.which("valgrind"), "there is no valgrind")
    def test_says_what_to_build(self):
        result = self.run_tool("--program", "no_such_program", "sleep")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no_such_program is not there: build the target walks", result.stderr)

    def test_the_committed_table_names_files_of_this_tree(self):
        text = (REPOSITORY / "docs/walks.md").read_text(encoding="utf-8")
        units = {line.split("`")[1] for line in text.splitlines() if line[:1].isdigit()}
        self.assertGreater(len(units), 20)
        for unit in units:
            folder, _, name = unit.rpartition("/")
            found = list(REPOSITORY.glob(f"{folder}/{name}.*"))
            self.assertTrue(found, unit)


if __name__ == "__main__":
    unittest.main()
