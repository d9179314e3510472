# SPDX-License-Identifier: Apache-2.0
"""gyre run --sim and gyre sim: a program of each language, or several as hosts, in virtual time, with faults and many
seeds.

    sim.test.py PROGRAM"""

import json
import re
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
VELA_RARE = """import 'system:sim'

async fn main() -> void {
  await maybeDelay("at the start")
  if chance("the rare branch", 1, 8) { throw Error("the rare branch is wrong") }
  print("fine")
}
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
# A server of lines, and clients of two languages that ask until they have an answer.
SERVER = """
import net from 'node:net';
net.createServer((socket) => {
  socket.on('data', (data) => socket.write(`you said ${data}`));
  socket.on('error', () => {});
}).listen(80, () => console.log('server starts'));
"""
CLIENT = """
import net from 'node:net';
function once() {
  return new Promise((resolve, reject) => {
    const socket = net.connect(80, 'server');
    socket.setTimeout(500, () => socket.destroy(new Error('late')));
    socket.on('connect', () => socket.write('hello from JavaScript\\n'));
    socket.on('data', (data) => { resolve(String(data).trim()); socket.destroy(); });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('closed')));
  });
}
let failures = 0;
for (let answer; answer === undefined;) {
  try { answer = await once(); console.log(answer, failures); } catch { failures += 1; }
  await new Promise((resolve) => setTimeout(resolve, 100));
}
"""
IMPATIENT = CLIENT.replace("catch { failures += 1; }", "catch (error) { console.log(error.message); process.exit(1); }")
VELA_CLIENT = """import 'system:net'

async fn ask() -> String {
  connection = await connect("server:80")
  await connection.write("hello from Vela\\n")
  state answer = ""
  match await connection.readLine() {
    Some(line) => answer = line
    None => answer = ""
  }
  connection.close()
  return answer
}

async fn main() -> void {
  state answer = ""
  while answer == "" {
    try {
      match await Future.timeout(ask(), 500) {
        Ok(line) => answer = line
        Err(e) => answer = ""
      }
    } catch (e: Error) {
      await sleep(100)
    }
  }
  print(answer)
}
"""
# What the wall clock gains in two seconds.
JS_CLOCK = """
const begin = Date.now();
setTimeout(() => console.log('js', Math.round((Date.now() - begin) / 1000)), 2000);
"""
VELA_CLOCK = """import 'system:time'

async fn main() -> void {
  begin = time.now()
  await sleep(2000)
  print("vela ${(time.now() - begin + 500) / 1000}")
}
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

    def rare_files(self):
        return [self.file("rare.mjs", RARE), self.file("rare.vela", VELA_RARE)]

    def test_outside_of_a_simulation_no_point_is_taken(self):
        for path in self.rare_files():
            for _ in range(5):
                self.assertEqual(gyre("run", path).stdout, "fine\n")

    def test_a_seed_decides_and_repeats(self):
        for path in self.rare_files():
            with self.subTest(path=path):
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

    def world(self, **programs):
        """The options for these hosts; "server" is the first."""
        options = []
        for name, (file, text) in programs.items():
            options += ["--host", f"{name}={self.file(f'{name}{file}', text)}"]
        return options

    def clients(self):
        return self.world(server=(".mjs", SERVER), a=(".mjs", CLIENT), b=(".vela", VELA_CLIENT))

    def test_hosts_of_several_languages_talk_by_their_names(self):
        found = gyre("sim", "--seed", "1", "--plan", "calm", *self.clients())
        self.assertEqual(found.returncode, 0, found.stdout + found.stderr)
        self.assertEqual(sorted(found.stdout.splitlines()),
                         ["server starts", "you said hello from JavaScript 0", "you said hello from Vela"])
        self.assertIn("seed 1: trace ", found.stderr)
        again = gyre("sim", "--seed", "1", "--plan", "calm", *self.clients())
        self.assertEqual((again.stdout, again.stderr), (found.stdout, found.stderr))

    def test_links_break_between_hosts(self):
        found = gyre("sim", "--seed", "1", "--plan", "at 0s cut-one-way a server for 3s", *self.clients())
        self.assertEqual(found.returncode, 0, found.stdout + found.stderr)
        failures = re.search(r"hello from JavaScript (\d+)", found.stdout)
        self.assertGreaterEqual(int(failures.group(1)), 3)

    def test_a_host_that_crashes_starts_again(self):
        found = gyre("sim", "--seed", "1", "--plan", "at 0s cut a server for 3s; at 1s crash server for 500ms",
                     *self.clients())
        self.assertEqual(found.returncode, 0, found.stdout + found.stderr)
        self.assertEqual(found.stdout.count("server starts"), 2)

    def test_right_hosts_pass_and_repeat_themselves(self):
        found = gyre("sim", "--seeds", "20", "--plan", "hostile", *self.clients())
        self.assertEqual((found.returncode, found.stdout), (0, ""), found.stderr)
        self.assertIn("20 seeds", found.stderr)

    def test_the_search_finds_a_host_that_does_not_try_again(self):
        hosts = self.world(server=(".mjs", SERVER), a=(".mjs", IMPATIENT))
        found = gyre("sim", "--seeds", "300", "--plan", "hostile", "--shrink", *hosts)
        self.assertEqual(found.returncode, 1, found.stdout + found.stderr)
        line = json.loads(found.stdout)
        self.assertLessEqual(len(line["plan"]), 2)
        self.assertIn("host a: exit code 1", found.stderr)
        again = shlex.split(found.stderr.split("again: gyre ")[1])
        self.assertEqual(gyre(*again).returncode, 1)

    def test_a_host_that_waits_for_ever_is_found(self):
        waits = "import net from 'node:net'; net.connect(80, 'server').on('data', () => {});"
        found = gyre("sim", "--seed", "1", *self.world(server=(".mjs", SERVER), a=(".mjs", waits)))
        self.assertEqual(found.returncode, 3, found.stdout + found.stderr)
        self.assertIn("host a still waits", found.stderr)

    def test_each_host_has_a_wall_clock_of_its_own(self):
        hosts = self.world(a=(".mjs", JS_CLOCK), b=(".vela", VELA_CLOCK))
        plan = "at 1s clock-jump a 1h; at 1s clock-jump b 1min"
        found = gyre("sim", "--seed", "1", "--plan", plan, *hosts)
        self.assertEqual(sorted(found.stdout.splitlines()), ["js 3602", "vela 62"], found.stderr)

    def test_bad_input_is_one_line_and_status_2(self):
        path = self.file("empty.mjs", "")
        for words, what in [
            (["run", "--sim=x", path], "the seed is a number"),
            (["run", "--plan", "rough", path], "--plan needs virtual time"),
            (["run", "--sim", "--plan", "wild", path], "'wild' is no plan"),
            (["run", "--sim", "--plan", "at 1s melt program", path], "'melt' is no fault"),
            (["run", "--sim", "--plan", "at 1s disk-full other for 1s", path], "no host 'other'"),
            (["run", "--sim", "--plan", "at 1s crash program for 1s", path], "hosts of gyre sim --host"),
            (["run", "--sim", "--plan", "at 2s disk-full program for 1s, at 1s disk-full program for 1s", path],
             "the time goes back"),
            (["sim", "--plan", "wild", path], "'wild' is no plan"),
            (["sim"], "a FILE is required"),
            (["sim", "--what", path], "unknown flag --what"),
            (["sim", "--seeds", "0", path], "--seeds"),
            (["sim", "--seeds", "2", str(self.folder / "none.mjs")], "none.mjs"),
            (["sim", "--host", path], "give NAME=FILE"),
            (["sim", "--host", f"A b={path}"], "small letters"),
            (["sim", "--host", f"a={self.folder}/none.mjs"], "cannot be read"),
            (["sim", "--host", "a="], "cannot be read"),
            (["sim", "--host", f"a={path}", "--host", f"a={path}"], "a host 'a' already"),
            (["sim", "--host", f"a={path}", path], "a world has --host only"),
            (["sim", "--host", f"a={path}", "--plan", "at 1s crash b for 1s"], "no host 'b'"),
            (["sim", "--host", f"a={path}", "--plan", "at 1s memory a 5"], "C++ program only"),
            (["sim", *(f"--host=h{i}={path}" for i in range(65))], "more than 64 hosts"),
            (["sim", "--seed", "1", path], "--seed is for --host"),
        ]:
            with self.subTest(words=words):
                result = gyre(*words)
                self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
                self.assertIn(what, result.stderr)


if __name__ == "__main__":
    program.take_program()
    unittest.main()
