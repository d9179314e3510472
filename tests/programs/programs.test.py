# SPDX-License-Identifier: Apache-2.0
"""Installs gyre, builds examples/programs against it with find_package, and runs each program.

    programs.test.py SOURCE BUILD COMPILER FLAGS SANITIZER VALGRIND

Each must print what its head comment says. Without a sanitizer they also run under valgrind, if there is one: on epoll,
because valgrind knows too little of io_uring."""

import difflib
import os
import subprocess
import sys
from pathlib import Path

SOURCE, BUILD = Path(sys.argv[1]), Path(sys.argv[2])
COMPILER, FLAGS, SANITIZER, VALGRIND = sys.argv[3:7]
SCRATCH = BUILD / "programs_test"
LINES_MAX = 110
SKIPPED = 77

sys.path.insert(0, str(SOURCE / "tests" / "examples"))
from example_text import promised_run  # noqa: E402


def do(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"FAILED: {' '.join(map(str, command))}\n{result.stdout}{result.stderr}")


def build():
    prefix = SCRATCH / "prefix"
    do("cmake", "--install", BUILD, "--prefix", prefix)
    do("cmake", "-G", "Ninja", "-S", SOURCE / "examples" / "programs", "-B", SCRATCH / "build",
       f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={COMPILER}", f"-DCMAKE_CXX_FLAGS={FLAGS} -O1")
    do("cmake", "--build", SCRATCH / "build")


def complaints(source):
    text = source.read_text(encoding="utf-8")
    if text.count("\n") > LINES_MAX:
        yield f"it has more than {LINES_MAX} lines"
    command, promised = promised_run(text)
    if command != source.stem:
        yield f"its head comment runs '{command}'"
    program = SCRATCH / "build" / source.stem
    if not program.exists():
        print(f"{source.name}: not built here")
        return
    ways = {"": [str(program)]}
    has_children = "process::" in text  # valgrind 3.19 does not know pidfd_open
    if VALGRIND and not VALGRIND.endswith("-NOTFOUND") and not SANITIZER and not has_children:
        ways["epoll"] = [VALGRIND, "-q", "--error-exitcode=99", str(program)]
    for platform, command_line in ways.items():
        environment = {**os.environ, **({"GYRE_PLATFORM": platform} if platform else {})}
        result = subprocess.run(command_line, capture_output=True, text=True, check=False, env=environment, timeout=300)
        if result.returncode != 0:
            yield f"{' '.join(command_line)} ends with {result.returncode}:\n{result.stderr}"
        if result.stdout != promised:
            yield "".join(difflib.unified_diff(
                promised.splitlines(True), result.stdout.splitlines(True), "promised", "printed"
            ))


def main():
    if SANITIZER and "GYRE_TEST_LONG" not in os.environ:
        print("skipped: GYRE_TEST_LONG=1 builds the programs with the sanitizer")
        return SKIPPED
    build()
    sources = sorted((SOURCE / "examples" / "programs").glob("*.cpp"))
    found = [f"{source.name}: {each}" for source in sources for each in complaints(source)]
    print("\n".join(found) or f"{len(sources)} programs run")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
