# SPDX-License-Identifier: Apache-2.0
"""A wrong argument gets one readable error.

    compile_errors.test.py GXX CLANGXX

Each case is a line of a coroutine that must not compile. The compiler may report one error, and its text must contain
the expected one; notes are free. An empty path skips that compiler. REFUSED_BY_GXX is what g++ 12 compiles wrongly and
clang right (docs/guide/compilers.md)."""

import os
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = """#include <gyre/task/async.hpp>
#include <string>
using namespace gyre;
using namespace std::chrono_literals;
Future<int> number();
Future<std::string> text();
Future<void> app(Scope& scope) {{
    Future<int> later = number();
    {line}
    co_await std::move(later).map([](int) {{}});
    (void)scope;
}}
"""
NOT_AWAITABLE = (
    "this argument cannot be awaited. A Future is given as an rvalue: timeout(std::move(future), 1s)"
)
CASES = {
    "int value = co_await timeout(5, 1s);": NOT_AWAITABLE,
    "int value = co_await timeout(later, 1s); (void)value;": NOT_AWAITABLE,
    "(void)co_await deadline(std::string(), Instant::never());": NOT_AWAITABLE,
    "(void)co_await all(number(), 5);": NOT_AWAITABLE,
    "(void)co_await all_settled(number(), later);": NOT_AWAITABLE,
    "(void)co_await race(number(), 5);": NOT_AWAITABLE,
    "(void)co_await any(5, number());": NOT_AWAITABLE,
    "(void)co_await select(number(), 5);": NOT_AWAITABLE,
    "(void)co_await try_(5);": NOT_AWAITABLE,
    "(void)co_await shield(later);": NOT_AWAITABLE,
    "(void)co_await keep_running(scope, 5);": NOT_AWAITABLE,
    "(void)co_await map(5, [](int) {});": NOT_AWAITABLE,
    "(void)co_await share(later);": NOT_AWAITABLE,
    "(void)co_await race(number(), text());": "a race needs awaitables that give the same type: use select",
    "(void)co_await select();": "a select of nothing would never end",
    "(void)co_await later;": "A Future is awaited once, as an rvalue: co_await std::move(future)",
    "co_await 5;": "this cannot be awaited here",
}

DESTROYED_TWICE = "g++ 12 would destroy this argument twice inside a co_await: give it a name"
REFUSED_BY_GXX = [
    "std::string copy; (void)co_await blocking([copy] { return copy; });",
    "std::string copy; (void)co_await compute([copy] { return copy; });",
    "std::string copy; co_await on(MachineRef(), [copy]() -> Future<void> { co_return; });",
    "std::string copy; co_await with_scope([copy](Scope&) -> Future<void> { co_return; });",
]


def errors_of(compiler, line):
    source = PROGRAM.format(line=line)
    command = [compiler, "-std=c++23", "-fsyntax-only", f"-I{ROOT}", "-x", "c++", "-"]
    environment = {**os.environ, "LC_ALL": "C"}
    result = subprocess.run(command, input=source, capture_output=True, text=True, check=False, env=environment)
    return [line for line in result.stderr.split("\n") if "error: " in line]


def is_gxx_12(compiler):
    if "clang" in Path(compiler).name:
        return False
    result = subprocess.run([compiler, "-dumpversion"], capture_output=True, text=True, check=False)
    return result.stdout.split(".")[0].strip() == "12"


class CompileErrors(unittest.TestCase):
    COMPILERS = []

    def test_a_right_program_compiles(self):
        for compiler in self.COMPILERS:
            self.assertEqual(errors_of(compiler, "(void)co_await timeout(number(), 1s);"), [])

    def test_a_wrong_argument_gets_one_error(self):
        # clause: A33
        for compiler in self.COMPILERS:
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                found = list(pool.map(lambda line, by=compiler: errors_of(by, line), CASES))
            for (line, expected), errors in zip(CASES.items(), found):
                with self.subTest(compiler=compiler, line=line):
                    self.assertEqual(len(errors), 1, "\n".join(errors))
                    self.assertIn(expected, errors[0])

    def test_gxx_refuses_what_it_would_compile_wrongly(self):
        for compiler in self.COMPILERS:
            is_gxx = is_gxx_12(compiler)
            for line in REFUSED_BY_GXX:
                with self.subTest(compiler=compiler, line=line):
                    errors = errors_of(compiler, line)
                    self.assertEqual(len(errors), 1 if is_gxx else 0, "\n".join(errors))
                    self.assertTrue(not is_gxx or DESTROYED_TWICE in errors[0])


if __name__ == "__main__":
    CompileErrors.COMPILERS = [path for path in sys.argv[1:3] if path and not path.endswith("-NOTFOUND")]
    unittest.main(argv=sys.argv[:1])
