# SPDX-License-Identifier: Apache-2.0
"""gyre run and gyre inspect on WebAssembly modules: outcomes, exit codes, and what they write.

    wasm.test.py PROGRAM"""

import json
import os
import re
import tempfile
import unittest

import program
from program import gyre

FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "wasm")


def module(name):
    return os.path.join(FILES, name)


def errors_of(result):
    """Without the lines of the address sanitizer, which does not know the stacks that the engine runs guests on."""
    notice = r"==\d+==WARNING: ASan is ignoring requested __asan_handle_no_return:.*\n.*\n.*\n"
    return re.sub(notice, "", result.stderr)


class Wasm(unittest.TestCase):
    def setUp(self):
        if not program.has_wasm():
            self.skipTest("this build has no WebAssembly engine")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text=None):
        path = os.path.join(self.folder.name, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return path

    def handlers(self, *answers, then="last"):
        return self.path("handlers.json", json.dumps({"handlers": [
            {"effect": "com.example.async", "op": "await", "answers": answers, "then": then}]}))

    def outcome(self, *arguments, code=0):
        result = gyre("run", *arguments)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return json.loads(result.stdout)

    def test_a_plain_function_is_called_with_its_arguments(self):
        add = self.path("add.wat", """(module (func (export "add") (param i32 i32) (result i32)
            (i32.add (local.get 0) (local.get 1))))""")
        self.assertEqual(self.outcome(add, "--entry", "add", "--arg", "1", "--arg", "2"), {"kind": "value", "value": 3})
        self.assertEqual(self.outcome(add, "--entry", "add", "--arg", "1", code=1)["error"], "decode_failed")
        self.assertEqual(gyre("run", add).returncode, 2)
        self.assertIn("there are: add", gyre("run", add).stderr)

    def test_both_generations_exchange_the_golden_frames(self):
        for generation in "ab":
            frames = self.path("frames")
            given = self.handlers({"resume": 2, "after_ms": 5}, {"resume": 4})
            self.assertEqual(self.outcome(module(f"resume_{generation}.wat"), "--handlers", given, "--frames", frames),
                             {"kind": "value", "value": 40})
            with open(frames, encoding="utf-8") as file:
                lines = [json.loads(line) for line in file]
            with open(module(f"resume_{generation}.frames"), encoding="utf-8") as file:
                wanted = file.read().splitlines()
            signs = {"host->wasm": "> ", "wasm->host": "< "}
            self.assertEqual([signs[line["dir"]] + line["hex"] for line in lines], wanted)

    def test_a_script_answers_in_every_way(self):
        resume = module("resume_b.wat")
        for answer, wanted, code in [
                ({"end": 9}, {"kind": "value", "value": 9}, 0),
                ({"tail": 1}, "invalid_answer", 1),
                ({"throw": "no"}, "handler_failed", 1),
                ({"fail": "no", "after_ms": 3}, "handler_failed", 1),
                ({"cancel": "user"}, {"kind": "cancelled", "reason": "user"}, 4),
                ({"cancel": "user", "after_ms": 3}, {"kind": "cancelled", "reason": "user"}, 4)]:
            got = self.outcome(resume, "--handlers", self.handlers(answer), "--clock", "virtual", code=code)
            self.assertEqual(got.get("error", got), wanted)
        never = gyre("run", resume, "--handlers", self.handlers({"never": True}))
        self.assertEqual(never.returncode, 3)
        self.assertIn("waits for an answer to src::01_resume::Async.await", never.stderr)
        missing = gyre("run", resume)
        self.assertEqual(json.loads(missing.stdout)["message"], "Unhandled effect src::01_resume::Async.await")
        self.assertIn("--handlers FILE", missing.stderr)

    def test_a_journal_replays_without_handlers(self):
        journal = self.path("journal")
        given = self.handlers({"resume": 2}, {"resume": 4})
        first = self.outcome(module("resume_b.wat"), "--handlers", given, "--journal", journal)
        self.assertEqual(self.outcome(module("resume_b.wat"), "--journal", journal), first)
        with open(journal, encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 2)

    def test_limits_end_a_run_with_4(self):
        loop = self.path("loop.wat", '(module (func (export "main") (loop (br 0))))')
        self.assertEqual(self.outcome(loop, "--time-limit", "50ms", code=4)["kind"], "cancelled")
        self.assertEqual(self.outcome(loop, "--time-limit", "50ms", "--clock", "virtual", code=4)["error"], "time_limit")
        big = self.path("big.wat", '(module (memory 100) (func (export "main")))')
        self.assertEqual(self.outcome(big, "--memory-limit", "1M", code=4)["error"], "memory_limit")

    def test_virtual_time_gives_the_same_steps_each_time(self):
        given = self.handlers({"resume": 2, "after_ms": 3600000}, {"resume": 4})
        steps = {gyre("run", module("resume_b.wat"), "--handlers", given, "--clock", "virtual", "--steps").stderr
                 for _ in range(3)}
        self.assertEqual(len(steps), 1)
        self.assertIn("is answered with resume 2", steps.pop())

    def test_what_is_no_module_is_a_usage_error(self):
        for text in ["", "(module", "\0asm"]:
            result = gyre("run", self.path("bad.wasm", text))
            self.assertEqual((result.returncode, result.stdout), (2, ""), text)
        self.assertEqual(gyre("run", self.path("none.wasm")).returncode, 2)
        self.assertEqual(gyre("run", module("resume_b.wat"), "--handlers", self.path("h", "{")).returncode, 2)

    def test_a_command_of_wasi_has_arguments_output_files_and_an_exit_status(self):
        os.mkdir(self.path("data"))
        self.path("data/in.txt", "from a file\n")
        command = self.path("command.wat", """(module
            (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "path_open" (func $open
                (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "args_sizes_get" (func $sizes (param i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
            (memory (export "memory") 1)
            (data (i32.const 0) "\\40\\00\\00\\00\\06\\00\\00\\00")
            (data (i32.const 16) "\\00\\01\\00\\00\\00\\01\\00\\00")
            (data (i32.const 64) "hello\\n")
            (data (i32.const 96) "in.txt../up")
            (func (export "_start")
                (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 32)))
                (if (i32.eqz (call $open (i32.const 3) (i32.const 0) (i32.const 96) (i32.const 6) (i32.const 0)
                                         (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 32)))
                    (then
                        (drop (call $read (i32.load (i32.const 32)) (i32.const 16) (i32.const 1) (i32.const 40)))
                        (i32.store (i32.const 20) (i32.load (i32.const 40)))
                        (drop (call $write (i32.const 1) (i32.const 16) (i32.const 1) (i32.const 44)))))
                (if (i32.ne (call $open (i32.const 3) (i32.const 0) (i32.const 102) (i32.const 5) (i32.const 0)
                                         (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 32))
                            (i32.const 76))
                    (then (if (i32.eq (i32.load (i32.const 40)) (i32.const 12)) (then (unreachable)))))
                (drop (call $sizes (i32.const 48) (i32.const 52)))
                (call $exit (i32.load (i32.const 48)))))""")
        result = gyre("run", command, "--", "a", "b")
        self.assertEqual((result.returncode, result.stdout, errors_of(result)), (3, "hello\n", ""))
        refused = gyre("run", command, "--allow", "net=127.0.0.1:80")
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn("no effect reaches the network yet", refused.stderr)
        result = gyre("run", command, "--allow", "fs=" + self.path("data"))
        self.assertEqual((result.returncode, result.stdout, errors_of(result)), (1, "hello\nfrom a file\n", ""))
        other = self.path("other.wat", """(module
            (import "wasi_snapshot_preview1" "sock_accept" (func (param i32 i32 i32) (result i32)))
            (memory (export "memory") 1) (func (export "_start")))""")
        self.assertIn("wasi_snapshot_preview1.sock_accept", gyre("run", other).stdout)

    def test_inspect_shows_functions_effects_and_handlers(self):
        text = gyre("inspect", module("resume_b.wat"), "--handlers", self.handlers({"resume": 1})).stdout
        for part in ["Voyd, generation B", "effectful  main() -> i32",
                     "com.example.async::await  resume  0xb152d825  handler: the script"]:
            self.assertIn(part, text)


if __name__ == "__main__":
    program.take_program()
    unittest.main()
