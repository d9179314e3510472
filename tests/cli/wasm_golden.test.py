# SPDX-License-Identifier: Apache-2.0
"""Every golden scenario of both generations: a module is written that sends the frames which a compiled one has sent, and traps
unless the host answers with the bytes of the reference host. tests/wasm/golden.json has the sections, handlers, frames and outcomes.

    wasm_golden.test.py PROGRAM"""

import json
import os
import tempfile
import unittest

import program
from effect_module import quoted
from program import gyre

FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "wasm")

# What gyre says in words of its own.
OWN_WORDS = ("cannot return tail", "must return tail", "Unhandled effect", "boom")

HEAD = """(type $bytes (array i8))
(type $at (struct (field $step i32)))
(type $result (struct (field $status i32) (field $cont (ref null $at)) (field $len i32)))
(memory (export "memory") 1)
(func $same (param $wanted (ref $bytes)) (param $at i32) (param $len i32) (local $i i32)
  (if (i32.ne (local.get $len) (array.len (local.get $wanted))) (then (unreachable)))
  (loop
    (if (i32.ge_u (local.get $i) (local.get $len)) (then (return)))
    (if (i32.ne (i32.load8_u (i32.add (local.get $at) (local.get $i))) (array.get_u $bytes (local.get $wanted) (local.get $i)))
      (then (unreachable)))
    (local.set $i (i32.add (local.get $i) (i32.const 1))) (br 0)))
(func (export "effect_status") (param (ref null $result)) (result i32) (struct.get $result $status (local.get 0)))
(func (export "effect_len") (param (ref null $result)) (result i32) (struct.get $result $len (local.get 0)))
(func (export "effect_cont") (param (ref null $result)) (result anyref) (struct.get $result $cont (local.get 0)))
(func (export "init_effects") (param i32))
"""

FIRST = """(func (export "ENTRY"))
(func (export "ENTRY_effectful") (param $at i32) (param $cap i32) (result (ref null $result))
  (return_call $write (i32.const 0) (local.get $at) (local.get $cap)))
(func (export "resume_effectful") (param $r anyref) (param $at i32) (param $len i32) (param $cap i32) (result (ref null $result))
  (local $step i32)
  (local.set $step (i32.add (i32.const 1) (struct.get $at $step (ref.cast (ref $at) (local.get $r)))))
  (call $check (local.get $step) (local.get $at) (local.get $len))
  (return_call $write (local.get $step) (local.get $at) (local.get $cap)))
"""

SECOND = """(func (export "ENTRY"))
(func (export "ENTRY_effectful_raw") (param $in i32) (param $len i32) (param i32 i32) (result (ref null $at))
  (call $check (i32.const 0) (local.get $in) (local.get $len))
  (struct.new $at (i32.const 0)))
(func (export "handle_outcome") (param $o (ref null $at)) (param $at i32) (param $cap i32) (param i32 i32) (result (ref null $result))
  (return_call $write (struct.get $at $step (local.get $o)) (local.get $at) (local.get $cap)))
(func $resume (export "resume_effectful_raw") (param $r anyref) (param $at i32) (param $len i32) (result (ref null $at))
  (local $step i32)
  (local.set $step (i32.add (i32.const 1) (struct.get $at $step (ref.cast (ref $at) (local.get $r)))))
  (call $check (local.get $step) (local.get $at) (local.get $len))
  (struct.new $at (local.get $step)))
(func (export "end_request_raw") (param $r anyref) (param $at i32) (param $len i32) (result (ref null $at))
  (return_call $resume (local.get $r) (local.get $at) (local.get $len)))
(func (export "resume_effectful") (param anyref i32 i32 i32 i32 i32) (result (ref null $result)) (unreachable))
"""


def is_request(frame, generation):
    """A map of six in the first generation, a frame with the tag 2 in the second."""
    return frame.startswith("86") if generation == "a" else frame.startswith("990202")


def module_of(golden, scenario):
    """Step n checks the n-th frame of the host, then sends the n-th of the module."""
    generation = golden["generation"]
    sent = [frame[2:] for frame in scenario["frames"] if frame.startswith("<")]
    heard = [frame[2:] for frame in scenario["frames"] if frame.startswith(">")]
    if generation == "a":
        heard.insert(0, "")  # a function begins without a frame
    text = "".join(f'(@custom "{name}" {quoted(bytes.fromhex(data))})\n' for name, data in golden["sections"].items())
    text += HEAD
    checks = writes = ""
    for step, frame in enumerate(heard):
        text += f"(data $heard{step} {quoted(bytes.fromhex(frame))})\n"
        checks += f"""(if (i32.eq (local.get $step) (i32.const {step})) (then
            (return_call $same (array.new_data $bytes $heard{step} (i32.const 0) (i32.const {len(frame) // 2}))
              (local.get $at) (local.get $len))))\n"""
    for step, frame in enumerate(sent):
        size = len(frame) // 2
        text += f"(data $sent{step} {quoted(bytes.fromhex(frame))})\n"
        writes += f"""(if (i32.eq (local.get $step) (i32.const {step})) (then
            (if (i32.lt_u (local.get $cap) (i32.const {size})) (then (unreachable)))
            (memory.init $sent{step} (local.get $at) (i32.const 0) (i32.const {size}))
            (return (struct.new $result (i32.const {int(is_request(frame, generation))})
              (struct.new $at (local.get $step)) (i32.const {size})))))\n"""
    text += f"(func $check (param $step i32) (param $at i32) (param $len i32) {checks} (unreachable))\n"
    text += f"""(func $write (param $step i32) (param $at i32) (param $cap i32) (result (ref null $result))
        {writes} (unreachable))\n"""
    text += (FIRST if generation == "a" else SECOND).replace("ENTRY", scenario["entry"])
    return f"(module {text})"


class Golden(unittest.TestCase):
    def setUp(self):
        if not program.has_wasm():
            self.skipTest("this build has no WebAssembly engine")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text=""):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def replay(self, golden, scenario):
        frames = self.path("frames")
        arguments = [word for value in scenario["args"] for word in ("--arg", json.dumps(value))]
        result = gyre("run", self.path("module.wat", module_of(golden, scenario)), "--entry", scenario["entry"],
                      *arguments, "--handlers", self.path("handlers", json.dumps({"handlers": scenario["handlers"]})),
                      "--frames", frames, "--clock", "virtual")
        self.assertTrue(result.stdout, result.stderr)
        outcome = json.loads(result.stdout)
        with open(frames, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        signs = {"host->wasm": "> ", "wasm->host": "< "}
        self.assertEqual([signs[line["dir"]] + line["hex"] for line in lines], scenario["frames"])
        if "value" in scenario:
            self.assertEqual(outcome, {"kind": "value", "value": scenario["value"]})
        elif "cancelled" in scenario:
            self.assertEqual(outcome, {"kind": "cancelled", "reason": scenario["cancelled"]})
        elif any(words in scenario["message"] for words in OWN_WORDS):
            self.assertEqual(outcome["kind"], "failed")
            self.assertIn(outcome["error"], ("invalid_answer", "unhandled_effect", "handler_failed"))
        else:
            self.assertEqual((outcome["kind"], outcome["message"]), ("failed", scenario["message"]))

    def test_scenarios_have_the_outcomes_and_frames_of_the_reference_host(self):
        with open(os.path.join(FILES, "golden.json"), encoding="utf-8") as file:
            programs = json.load(file)
        self.assertEqual(sum(len(golden["scenarios"]) for golden in programs), 34)
        for golden in programs:
            for scenario in golden["scenarios"]:
                with self.subTest(program=golden["name"], scenario=scenario["name"]):
                    self.replay(golden, scenario)


if __name__ == "__main__":
    program.take_program()
    unittest.main()
