# SPDX-License-Identifier: Apache-2.0
"""Effects of WebAssembly modules that JavaScript answers: gyre run app.wasm --handlers h.mjs, and gyre:effects.

    wasm_handlers.test.py PROGRAM"""

import importlib.util
import json
import os
import re
import tempfile
import unittest

import program
from effect_module import effect_module
from program import gyre

HERE = os.path.dirname(os.path.abspath(__file__))
found = importlib.util.spec_from_file_location("golden", os.path.join(HERE, "wasm_golden.test.py"))
golden_tests = importlib.util.module_from_spec(found)
found.loader.exec_module(golden_tests)


def in_script(handlers):
    """Scripted answers as functions of a module; None: an answer that a function does not give."""
    table = {}
    for one in handlers:
        if one.get("then", "fail") != "fail":
            return None
        for answer in one["answers"]:
            if set(answer) - {"resume", "tail", "end", "fail", "throw", "after_ms"}:
                return None
        table.setdefault(one["effect"], {})[one["op"]] = one["answers"]
    return """import { end } from 'gyre:effects';
const table = %s;
const handlers = {};
for (const [effect, ops] of Object.entries(table)) {
  handlers[effect] = {};
  for (const [op, answers] of Object.entries(ops)) {
    handlers[effect][op] = async () => {
      const answer = answers.shift();
      if (answer.after_ms) await new Promise((done) => setTimeout(done, answer.after_ms));
      if ('fail' in answer) throw new Error(answer.fail);
      if ('throw' in answer) throw new Error(answer.throw);
      if ('end' in answer) return end(answer.end);
      return 'resume' in answer ? answer.resume : answer.tail;
    };
  }
}
export default handlers;
""" % re.sub(r"\b(\d{16,})\b", r"\1n", json.dumps(table))


class Handlers(unittest.TestCase):
    def setUp(self):
        if not program.has_wasm():
            self.skipTest("this build has no WebAssembly engine")
        if "no JavaScript engine" in gyre("run", "-e", "1").stderr:
            self.skipTest("this build has no JavaScript engine")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text=""):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run_with(self, module, handlers, *flags):
        result = gyre("run", module, "--handlers", self.path("h.mjs", handlers), "--clock", "virtual", *flags)
        self.assertTrue(result.stdout, result.stderr)
        return json.loads(result.stdout), result.returncode

    def script(self, text, *flags):
        result = gyre("run", *flags, self.path("main.mjs", "import { load, end, EffectError } from 'gyre:effects';\n" + text))
        self.assertEqual(result.stderr, "")
        return result.stdout

    def test_the_golden_scenarios_have_their_values_with_functions_as_handlers(self):
        with open(os.path.join(golden_tests.FILES, "golden.json"), encoding="utf-8") as file:
            programs = json.load(file)
        count = 0
        for golden in programs:
            for scenario in golden["scenarios"]:
                handlers = in_script(scenario["handlers"])
                words = scenario.get("message", "")
                # A function says nothing of the kind of its answer.
                if handlers is None or "cancelled" in scenario or "tail" in words:
                    continue
                count += 1
                arguments = [word for value in scenario["args"] for word in ("--arg", json.dumps(value))]
                with self.subTest(program=golden["name"], scenario=scenario["name"]):
                    outcome, code = self.run_with(self.path("module.wat", golden_tests.module_of(golden, scenario)), handlers,
                                                  "--entry", scenario["entry"], *arguments)
                    if "value" in scenario:
                        self.assertEqual((outcome, code), ({"kind": "value", "value": scenario["value"]}, 0))
                    else:
                        self.assertEqual((outcome["kind"], code), ("failed", 1))
        self.assertGreaterEqual(count, 20)

    def test_values_pass_in_both_directions(self):
        module = self.path("m.wat", effect_module(("a.b", "take", False, 1, "t\u00e9xt", b"\x00\xff", [1, {"k": None}], True)))
        outcome, _ = self.run_with(module, """
export default { 'a.b': { take: (...given) => {
  const isBytes = given[2] instanceof Uint8Array && given[2][1] === 255;
  return { given: [given[0], given[1], given[3], given[4]], isBytes, bytes: new Uint8Array([1, 254]), big: 2n ** 60n, nothing: undefined };
} } };""")
        self.assertEqual(outcome["value"], {"given": [1, "t\u00e9xt", [1, {"k": None}], True], "isBytes": True, "bytes": {"$bytes": "01fe"},
                                            "big": 2**60, "nothing": None})

    def test_a_handler_that_fails_and_one_that_is_missing_end_the_run(self):
        module = self.path("m.wat", effect_module(("a.b", "take", False, 1)))
        for handlers, error, words in (("take() { throw new TypeError('no') }", "handler_failed", "no"),
                                       ("async take() { throw 5 }", "handler_failed", "5"),
                                       ("take() { return () => 1 }", "handler_failed", "value"),
                                       ("take() { const a = []; a.push(a); return a }", "handler_failed", "deep"),
                                       ("other() {}", "unhandled_effect", "take")):
            outcome, code = self.run_with(module, "export default { 'a.b': { %s } };" % handlers)
            self.assertEqual((outcome["kind"], outcome["error"], code), ("failed", error, 1))
            self.assertIn(words, outcome["message"])

    def test_runs_of_a_script_are_side_by_side_and_can_be_stopped(self):
        module = self.path("m.wat", effect_module(("a.b", "first", False, 1), ("a.b", "second", False, 2)))
        told = self.script("""
const order = [];
const handlers = (name, wait) => ({ 'a.b::first': async (n) => { await new Promise((done) => setTimeout(done, wait)); order.push(name + n); return n; },
  'a.b': { second: (n) => { order.push(name + n); return name; } } });
const [slow, fast] = [load('%s', handlers('s', 20)), load('%s', handlers('f', 10))];
console.log(await Promise.all([slow.run(), fast.run('main')]), order);
console.log(slow.ops, slow.functions.includes('main'));
const stopper = new AbortController();
const hung = load('%s', { 'a.b': { first: () => new Promise(() => {}) } });
setTimeout(() => stopper.abort(new Error('enough')), 5);
console.log(await hung.outcome('main', [], { signal: stopper.signal }));
try { await hung.run('nothing'); } catch (error) { console.log(error instanceof EffectError, error.code, error.kind); }
console.log(await load('%s', { 'a.b': { first: () => end('early') } }).run());
""" % (module, module, module, module), "--clock", "virtual")
        self.assertEqual(told.splitlines(), [
            "[ 's', 'f' ] [ 'f1', 'f2', 's1', 's2' ]",
            "[ { effect: 'a.b', op: 'first' }, { effect: 'a.b', op: 'second' } ] true",
            "{ kind: 'cancelled', reason: 'enough' }",
            "true ERR_EFFECT_FAILED unknown_export",
            "early"])

    def test_a_function_that_returns_at_once_is_refused(self):
        number = {"kind": "i32", "fingerprint": "f"}
        needs = json.dumps({"version": 1, "functions": [
            {"kind": "sync", "interfaceId": "pkg", "functionName": "add", "params": [number, number], "result": number}]}).replace('"', "\\22")
        caller = self.path("caller.wat", """(module (@custom "voyd.external_requirements" "%s")
            (import "voyd.external" "pkg::add" (func $add (param i32 i32 i32 i32) (result i32)))
            (memory (export "memory") 1)
            (data (i32.const 0) "\\95\\02\\0c\\a3pkg\\a3add\\92\\92\\a1f\\14\\92\\a1f\\16")
            (func (export "main") (result i32) (i32.load8_u (i32.add (i32.const 255)
                (call $add (i32.const 0) (i32.const 20) (i32.const 256) (i32.const 100))))))""" % needs)
        result = gyre("run", caller, "--handlers", self.path("h.mjs", "export default { pkg: { add: (a, b) => a + b } };"))
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("pkg::add(i32, i32) -> i32, which returns at once", result.stderr)

    def test_a_sandboxed_script_loads_what_it_may_read(self):
        module = self.path("m.wat", effect_module(("a.b", "take", False, 1)))
        text = "import { load } from 'gyre:effects';\ntry { console.log(await load('%s', { 'a.b': { take: (n) => n + 1 } }).run()); } catch (error) { console.log(error.message); }\n" % module
        main = self.path("main.mjs", text)
        self.assertIn("not permitted", gyre("run", "--sandbox", main).stdout)
        self.assertEqual(gyre("run", "--allow", f"fs={self.folder.name}", main).stdout, "2\n")
        # The module that the user names may run, and reaches what is permitted.
        handlers = self.path("h.mjs", "export default { 'a.b': { take: (n) => n + 1 } };")
        self.assertEqual(json.loads(gyre("run", "--sandbox", module, "--handlers", handlers).stdout)["value"], 2)
        reader = self.path("r.wat", effect_module(("voyd.std.env", "get", True, "HOME")))
        for flags in (["--sandbox"], []):
            outcome = json.loads(gyre("run", *flags, reader, "--handlers", handlers, variables={"HOME": "/secret"}).stdout or "{}")
            self.assertNotIn("/secret", json.dumps(outcome))

    def test_options_that_would_do_nothing_are_refused(self):
        module = self.path("m.wat", effect_module(("a.b", "take", False, 1)))
        for flags in (["--runs", "2"], ["--frames", "x"], ["--journal", "x"], ["--share-store"], ["--steps"]):
            result = gyre("run", module, "--handlers", self.path("h.mjs", ""), *flags)
            self.assertEqual(result.returncode, 2)
            self.assertIn("handlers in JavaScript", result.stderr)


if __name__ == "__main__":
    program.take_program()
    unittest.main()
