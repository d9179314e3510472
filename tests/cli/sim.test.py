# SPDX-License-Identifier: Apache-2.0
"""gyre run --sim and gyre sim: a program of each language in virtual time, with faults and many seeds.

    sim.test.py PROGRAM"""

import json
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

import program
from program import gyre

# Fails when a rare point is taken: one seed in a few.
RARE = """
import { chance, maybeDelay } from 'gyre:sim';
await maybeDelay('at the start');
if (chance('the rare branch', 1, 8)) throw new Error('the rare branch is wrong');
console.log('fine');
"""
# Writes a file until it is full of faults; right programs retry.
FILES = """
import { writeFile, readFile } from 'node:fs/promises';
let errors = 0;
for (let i = 0; i < 200; i += 1) {
  try {
    await writeFile('/tmp/file', 'x'.repeat(1000));
    if ((await readFile('/tmp/file', 'utf8')).length !== 1000) throw new Error('torn');
  } catch (error) {
    if (error.message === 'torn') throw error;
    errors += 1;
  }
  await new Promise((resolve) => { setTimeout(resolve, 50); });
}
console.log(errors);
"""
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


class Sim(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def test_outside_of_a_simulation_no_point_is_taken(self):
        path = self.file("rare.mjs", RARE)
        for _ in range(5):
            self.assertEqual(gyre("run", path).stdout, "fine\n")

    def test_a_seed_decides_and_repeats(self):
        path = self.file("rare.mjs", RARE)
        codes = [gyre("run", f"--sim={seed}", path).returncode for seed in range(1, 31)]
        self.assertEqual(set(codes), {0, 1})
        self.assertEqual(codes, [gyre("run", f"--sim={seed}", path).returncode for seed in range(1, 31)])

    def test_the_search_finds_the_seed_and_says_how_to_repeat_it(self):
        path = self.file("rare.mjs", RARE)
        found = gyre("sim", "--seeds", "100", "--shrink", path)
        self.assertEqual(found.returncode, 1, found.stderr)
        line = json.loads(found.stdout)
        self.assertEqual(line["why"], "exit code 1")
        self.assertEqual(line["plan"], [], "no fault matters here")
        self.assertIn("the rare branch is wrong", found.stderr)
        again = shlex.split(found.stderr.split("again: gyre ")[1])
        self.assertEqual(gyre(*again).returncode, 1)

    def test_a_right_program_passes(self):
        path = self.file("right.mjs", "setTimeout(() => console.log(Math.random()), 1e6);")
        found = gyre("sim", "--seeds", "5", "--plan", "hostile", path)
        self.assertEqual((found.returncode, found.stdout), (0, ""), found.stderr)
        self.assertIn("5 seeds", found.stderr)

    def test_what_is_not_simulated_is_found(self):
        path = self.file("real.mjs", "console.log(process.hrtime.bigint(), process.pid);")
        found = gyre("sim", "--seeds", "3", path)
        self.assertEqual(found.returncode, 1)
        self.assertIn("printed something else", json.loads(found.stdout)["why"])

    def test_faults_reach_the_files_of_a_program(self):
        path = self.file("files.mjs", FILES)
        calm = gyre("run", "--sim=3", path)
        self.assertEqual(calm.stdout, "0\n", calm.stderr)
        rough = gyre("run", "--sim=3", "--plan", "at 1s write-error program 2 for 5s", path)
        self.assertEqual(rough.returncode, 0, rough.stderr)
        self.assertGreater(int(rough.stdout), 10)

    def test_bad_input_is_one_line_and_status_2(self):
        path = self.file("empty.mjs", "")
        for words, what in [
            (["run", "--sim=x", path], "the seed is a number"),
            (["run", "--plan", "rough", path], "--plan needs virtual time"),
            (["run", "--sim", "--plan", "wild", path], "'wild' is no plan"),
            (["run", "--sim", "--plan", "at 1s melt program", path], "'melt' is no fault"),
            (["run", "--sim", "--plan", "at 1s disk-full other for 1s", path], "no host 'other'"),
            (["run", "--sim", "--plan", "at 1s crash program for 1s", path], "needs several hosts"),
            (["run", "--sim", "--plan", "at 2s disk-full program for 1s, at 1s disk-full program for 1s", path],
             "the time goes back"),
            (["sim", "--plan", "wild", path], "'wild' is no plan"),
            (["sim"], "a FILE is required"),
            (["sim", "--what", path], "unknown flag --what"),
            (["sim", "--seeds", "0", path], "--seeds"),
            (["sim", "--seeds", "2", str(self.folder / "none.mjs")], "none.mjs"),
        ]:
            with self.subTest(words=words):
                result = gyre(*words)
                self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
                self.assertIn(what, result.stderr)


if __name__ == "__main__":
    program.take_program()
    unittest.main()
