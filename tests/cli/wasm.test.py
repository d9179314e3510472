# SPDX-License-Identifier: Apache-2.0
"""gyre run and gyre inspect on WebAssembly modules: outcomes, exit codes, and what they write.

    wasm.test.py PROGRAM"""

import json
import os
import re
import subprocess
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

    def test_compiled_modules_are_kept_for_the_user(self):
        add = self.path("add.wat", """(module (func (export "main") (result i32) (i32.const 7)))""")
        wanted = '{"kind":"value","value":7}\n'
        for variables, folder in [
                ({"GYRE_CACHE": self.path("own")}, "own/modules"),
                ({"XDG_CACHE_HOME": self.path("caches")}, "caches/gyre/modules"),
                ({"XDG_CACHE_HOME": "", "HOME": self.path("home")}, "home/.cache/gyre/modules")]:
            folder = self.path(folder)
            for _ in range(2):
                self.assertEqual(gyre("run", add, variables=variables).stdout, wanted)
                [entry] = os.listdir(folder)
            before = os.stat(os.path.join(folder, entry))
            # Damaged code is compiled again, never run.
            with open(os.path.join(folder, entry), "r+b") as file:
                file.seek(200)
                file.write(b"damage")
            self.assertEqual(gyre("run", add, variables=variables).stdout, wanted)
            self.assertEqual(os.stat(os.path.join(folder, entry)).st_size, before.st_size)
            # Not a place of this user alone: nothing is read or written.
            os.remove(os.path.join(folder, entry))
            os.chmod(folder, 0o777)
            self.assertEqual(gyre("run", add, variables=variables).stdout, wanted)
            self.assertEqual(os.listdir(folder), [])
        for nowhere in ["/proc/nowhere", add]:
            self.assertEqual(gyre("run", add, variables={"GYRE_CACHE": nowhere}).stdout, wanted)

    def test_the_scenarios_of_effects_hold_for_modules(self):
        # clause: V35
        result = gyre("conform", "effects", "--engine", "wasm", "--platform", "sim", "--json")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        told = json.loads(result.stdout)
        self.assertEqual((told["fail"], told["skipped"]), (0, 0))
        tables = {row["table"] for row in told["results"]}
        self.assertEqual(len(tables), 2, tables)
        for topic in [[], ["jobs"]]:
            refused = gyre("conform", *topic, "--engine", "wasm")
            self.assertEqual(refused.returncode, 2)
            self.assertIn("--engine wasm is for the topic effects", refused.stderr)

    def test_the_example_prints_what_its_head_says(self):
        root = os.path.join(FILES, "..", "..")
        with open(os.path.join(root, "examples/wasm/trace.wat"), encoding="utf-8") as file:
            shown = re.findall(r"^;;     (.*)$", file.read(), re.MULTILINE)
        command = shown[0].removeprefix("$ gyre ").split()
        result = gyre(*command, cwd=root)
        self.assertEqual((errors_of(result) + result.stdout).splitlines(), shown[1:])

    def test_a_long_compilation_says_so(self):
        # How long the engine takes is not known: more and more functions, until it takes a second.
        count = 4_000
        while count < 1_000_000:
            body = "(local.set 0 (i32.mul (i32.xor (local.get 0) (i32.const 77)) (local.get 0)))" * 8
            function = f"(func (param i32) (result i32) {body} (local.get 0))"
            large = self.path("large.wat", f'(module {function * count} (func (export "main")))')
            result = gyre("run", large, variables={"GYRE_CACHE": "/proc/nowhere"})
            self.assertEqual(result.returncode, 0, result.stderr)
            if errors_of(result) != "":
                self.assertEqual(errors_of(result), f"gyre: compiling {large} ...\n")
                return
            count *= 3
        self.fail("no line was written")

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
        self.assertEqual(self.outcome(loop, "--time-limit", "50ms", "--clock", "virtual", code=4)["kind"], "cancelled")
        big = self.path("big.wat", '(module (memory 100) (func (export "main")))')
        self.assertEqual(self.outcome(big, "--memory-limit", "1M", code=4)["error"], "memory_limit")

    def test_virtual_time_gives_the_same_steps_each_time(self):
        given = self.handlers({"resume": 2, "after_ms": 3600000}, {"resume": 4})
        steps = {gyre("run", module("resume_b.wat"), "--handlers", given, "--clock", "virtual", "--steps").stderr
                 for _ in range(3)}
        self.assertEqual(len(steps), 1)
        self.assertIn("is answered with resume 2", steps.pop())

    def test_runs_go_side_by_side_with_a_store_each_or_one_for_all(self):
        counts = self.path("counts.wat", """(module (global $n (mut i32) (i32.const 0))
            (func (export "main") (result i32)
                (global.set $n (i32.add (global.get $n) (i32.const 1))) (global.get $n)))""")
        own = gyre("run", counts, "--runs", "3")
        self.assertEqual([json.loads(line)["value"] for line in own.stdout.splitlines()], [1, 1, 1])
        shared = gyre("run", counts, "--runs", "3", "--share-store")
        self.assertEqual([json.loads(line)["value"] for line in shared.stdout.splitlines()], [1, 2, 3])
        self.assertEqual(gyre("run", counts, "--runs", "2", "--journal", self.path("j")).returncode, 2)
        self.assertEqual(gyre("run", counts, "--runs", "0").returncode, 2)

    def test_virtual_time_stops_guests_at_the_same_places_each_time(self):
        spins = self.path("spins.wat", """(module (func (export "main") (result i32) (local i32)
            (loop (local.set 0 (i32.add (local.get 0) (i32.const 1))) (br_if 0 (i32.lt_u (local.get 0) (i32.const 2000000))))
            (local.get 0)))""")
        steps = {gyre("run", spins, "--runs", "2", "--clock", "virtual", "--steps").stderr for _ in range(3)}
        self.assertEqual(len(steps), 1)

    def first_line(self, text, *arguments, code, command="run"):
        """The first line for people of a module that does not run."""
        result = gyre(command, self.path("m.wat", text), *arguments)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return (errors_of(result).splitlines() or [""])[0].replace(self.path("m.wat"), "m.wat")

    def test_what_cannot_be_called_says_how_it_can(self):
        add = """(module (func (export "add") (param i32 i32) (result i32) (local.get 0))
            (func (export "sub") (param i32) (result i32) (local.get 0)))"""
        for options, line, code in [
                ([], "m.wat exports no function 'main': give --entry NAME; there are: add sub", 2),
                (["--entry", "ad"], "m.wat exports no function 'ad': did you mean --entry add?", 2),
                (["--entry", "add", "--arg", "abc"], """--arg abc is no JSON: a text is given as --arg '"abc"'""", 2),
                (["--entry", "add", "--arg", "1"], "give one --arg JSON for each parameter of add(i32, i32) -> i32", 1),
                (["--entry", "add", "--arg", "1", "--arg", '"x"'],
                 "give one --arg JSON for each parameter of add(i32, i32) -> i32", 1)]:
            self.assertEqual(self.first_line(add, *options, code=code), "gyre run: " + line)
        self.assertEqual(self.first_line("(module)", code=2),
                         "gyre run: m.wat exports no function: there is nothing to run")

    def test_what_is_over_a_limit_or_lacks_an_import_says_what_helps(self):
        big = '(module (memory 100) (func (export "main")))'
        self.assertIn("--memory-limit SIZE permits more", self.first_line(big, "--memory-limit", "1M", code=4))
        for kind in ["(func)", "(memory 1)"]:
            lacks = f'(module (import "env" "secret" {kind}) (func (export "main")))'
            self.assertIn("only WASI preview 1 and the imports of Voyd are provided", self.first_line(lacks, code=1))
            result = gyre("inspect", self.path("m.wat"))
            self.assertEqual((result.returncode, "env.secret" in result.stdout), (0, True))
        deep = '(module (func $f (export "main") (result i32) (i32.add (i32.const 1) (call $f))))'
        self.assertEqual(self.outcome(self.path("deep.wat", deep), code=4)["error"], "stack_limit")
        trap = '(module (func $inner (unreachable)) (func (export "main") (call $inner)))'
        self.assertIn("unreachable in inner", self.outcome(self.path("trap.wat", trap), code=1)["message"])

    def test_the_fault_of_a_module_stands_in_the_first_line(self):
        for command in ["run", "inspect"]:
            for text, line in [
                    ('(module (func (export "main")\n  (i32.cnst 1)))', "m.wat:2:4: unknown operator or unexpected token"),
                    ('(module (func (result i32) (i32.add (i32.const 1))))', "type mismatch: expected i32"),
                    ("", "m.wat: the file is empty, give a .wasm or .wat module")]:
                found = self.first_line(text, code=2, command=command)
                self.assertTrue(found.startswith(f"gyre {command}: m.wat"), found)
                self.assertIn(line, found)
            version = self.path("version.wasm")
            with open(version, "wb") as file:
                file.write(b"\0asm\2\0\0\0")
            result = gyre(command, version)
            self.assertEqual(result.returncode, 2)
            self.assertIn("unknown binary version", result.stderr.splitlines()[0])

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
        result = gyre("run", command, "--allow", "fs=" + self.path("data"))
        self.assertEqual((result.returncode, result.stdout, errors_of(result)), (1, "hello\nfrom a file\n", ""))
        # Modules are always in a sandbox: the option says what holds anyway.
        for options in [["run", "--sandbox", command], ["run", command, "--sandbox"]]:
            closed = gyre(*options)
            self.assertEqual((closed.returncode, closed.stdout, errors_of(closed)), (1, "hello\n", ""))
            opened = gyre(*options, "--allow", "fs=" + self.path("data"))
            self.assertEqual((opened.returncode, opened.stdout), (1, "hello\nfrom a file\n"))
        refused = gyre("run", "--sandbox", command, "--allow", "everything")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("give fs=DIR, net=HOST:PORT or env=NAME", refused.stderr)
        other = self.path("other.wat", """(module
            (import "wasi_snapshot_preview1" "sock_accept" (func (param i32 i32 i32) (result i32)))
            (memory (export "memory") 1) (func (export "_start")))""")
        self.assertIn("wasi_snapshot_preview1.sock_accept", gyre("run", other).stdout)

    def cat(self):
        """A command that copies its input to its output, 64 KiB at a time."""
        return self.path("cat.wat", """(module
            (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
            (memory (export "memory") 2)
            (data (i32.const 0) "\\00\\00\\01\\00\\00\\80\\00\\00\\00\\80\\01\\00\\00\\80\\00\\00")
            (data (i32.const 16) "\\00\\00\\01\\00")
            (func (export "_start") (local $code i32)
                (loop
                    (local.set $code (call $read (i32.const 0) (i32.const 0) (i32.const 2) (i32.const 20)))
                    (if (local.get $code) (then (call $exit (local.get $code))))
                    (if (i32.load (i32.const 20)) (then
                        (drop (call $write (i32.const 1) (i32.const 16) (i32.const 1) (i32.const 24)))
                        (br 1))))))""")

    def test_a_command_of_wasi_reads_what_its_standard_input_is(self):
        text = "".join(f"line {i} of some\n" for i in range(40_000))
        result = gyre("run", self.cat(), input=text)
        self.assertEqual((result.returncode, result.stdout == text, errors_of(result)), (0, True, ""))
        with open(self.path("in.txt", text), encoding="utf-8") as file:
            self.assertEqual(gyre("run", self.cat(), stdin=file).stdout, text)
        for options in [["--clock", "virtual"], ["--platform", "epoll"]]:
            self.assertEqual(gyre("run", self.cat(), *options, input=text).stdout, text, options)
        self.assertEqual(gyre("run", self.cat(), stdin=subprocess.DEVNULL).stdout, "")
        steps = gyre("run", self.cat(), "--steps", input="x").stderr
        self.assertIn("wasi_snapshot_preview1::fd_read(0, 65536)", steps)

    def test_a_script_can_answer_for_the_system(self):
        def script(*answers):
            return self.path("script.json", json.dumps({"handlers": [
                {"effect": "wasi_snapshot_preview1", "op": "fd_read", "answers": answers}]}))

        reads = script({"tail": {"errno": 0, "bytes": {"$bytes": "6869"}}}, {"tail": {"errno": 0, "bytes": {"$bytes": ""}}})
        self.assertEqual(gyre("run", self.cat(), "--handlers", reads).stdout, "hi")
        self.assertEqual(gyre("run", self.cat(), "--handlers", script({"tail": {"errno": 29}})).returncode, 29)
        for lie, message in [({}, "needs the field errno"), ({"errno": 0, "bytes": 1}, "needs the field bytes"),
                             ({"errno": 0, "bytes": {"$bytes": "00" * 70_000}}, "more bytes than were asked for")]:
            outcome = self.outcome(self.cat(), "--handlers", script({"tail": lie}), code=1)
            self.assertIn(message, outcome["message"])

    def test_a_command_of_wasi_that_waits_for_its_input_can_be_ended(self):
        reads, writes = os.pipe()
        try:
            result = gyre("run", self.cat(), "--time-limit", "100ms", stdin=reads)
            self.assertEqual(result.returncode, 4, result.stdout + result.stderr)
            self.assertIn("time limit", json.loads(result.stdout)["reason"])
            os.write(writes, b"late\n")  # nobody has taken it
            os.close(writes)
            writes = -1
            self.assertEqual(gyre("run", self.cat(), stdin=reads).stdout, "late\n")
        finally:
            os.close(reads)
            if writes >= 0:
                os.close(writes)

    def test_a_command_of_wasi_never_waits_for_the_other_end_of_a_fifo(self):
        os.mkfifo(self.path("fifo"))
        command = self.path("fifo.wat", """(module
            (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "path_open" (func $open
                (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
            (memory (export "memory") 1)
            (data (i32.const 0) "\\40\\00\\00\\00\\06\\00\\00\\00") (data (i32.const 96) "fifo")
            (func (export "_start")
                (if (i32.ne (call $open (i32.const 3) (i32.const 0) (i32.const 96) (i32.const 4) (i32.const 0)
                        (i64.const 64) (i64.const 0) (i32.const 0) (i32.const 32)) (i32.const 60))
                    (then (call $exit (i32.const 1))))
                (if (call $open (i32.const 3) (i32.const 0) (i32.const 96) (i32.const 4) (i32.const 0)
                        (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 32))
                    (then (call $exit (i32.const 2))))
                (call $exit (i32.add (i32.const 10)
                    (call $read (i32.load (i32.const 32)) (i32.const 0) (i32.const 1) (i32.const 40))))))""")
        result = gyre("run", command, "--allow", "fs=" + self.folder.name)
        self.assertEqual((result.returncode, result.stdout), (10, ""), result.stderr)  # at its end: nobody writes

    def test_a_command_of_wasi_has_no_journal(self):
        result = gyre("run", self.cat(), "--journal", self.path("j"))
        self.assertEqual(result.returncode, 2)
        self.assertIn("a WASI command has no journal", result.stderr)

    def test_external_functions_are_answered_by_the_script(self):
        number = {"kind": "i32", "fingerprint": "f"}
        needs = json.dumps({"version": 1, "functions": [
            {"kind": "sync", "interfaceId": "pkg", "functionName": "add", "params": [number, number],
             "result": number}]}).replace('"', "\\22")
        caller = self.path("caller.wat", """(module (@custom "voyd.external_requirements" "%s")
            (import "voyd.external" "pkg::add" (func $add (param i32 i32 i32 i32) (result i32)))
            (memory (export "memory") 1)
            (data (i32.const 0) "\\95\\02\\0c\\a3pkg\\a3add\\92\\92\\a1f\\14\\92\\a1f\\16")
            (func (export "main") (result i32) (i32.load8_u (i32.add (i32.const 255)
                (call $add (i32.const 0) (i32.const 20) (i32.const 256) (i32.const 100))))))""" % needs)

        def script(*answers):
            return self.path("script.json", json.dumps({"handlers": [
                {"effect": "pkg", "op": "add", "answers": answers}]}))

        given = script({"resume": 42, "arguments": [20, 22]})
        self.assertEqual(self.outcome(caller, "--handlers", given), {"kind": "value", "value": 42})
        self.assertIn("sync   pkg::add(i32, i32) -> i32  handler: the script",
                      gyre("inspect", caller, "--handlers", given).stdout)
        failed = self.outcome(caller, "--handlers", script({"fail": "no sum"}), code=1)
        self.assertEqual(failed["message"], "external function pkg::add: no sum")
        late = self.outcome(caller, "--handlers", script({"resume": 1, "after_ms": 5}), code=1)
        self.assertIn("returns at once", late["message"])
        missing = gyre("run", caller)
        self.assertEqual(missing.returncode, 1)
        self.assertIn("needs the external function pkg::add(i32, i32) -> i32: give its answers", missing.stderr)

    def test_inspect_shows_functions_effects_and_handlers(self):
        text = gyre("inspect", module("resume_b.wat"), "--handlers", self.handlers({"resume": 1})).stdout
        for part in ["Voyd, generation B", "effectful  main() -> i32",
                     "com.example.async::await  resume  0xb152d825  handler: the script"]:
            self.assertIn(part, text)


if __name__ == "__main__":
    program.take_program()
    unittest.main()
