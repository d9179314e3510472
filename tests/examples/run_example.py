# SPDX-License-Identifier: Apache-2.0
"""Runs an example and compares what it prints with its head comment.

    run_example.py SOURCE PROGRAM

An example that is a gyre::run or has a Program runs on the real and on the simulated platform.
Exits with 1 and a difference where the two do not agree."""

import difflib
import os
import re
import subprocess
import sys
from pathlib import Path

from example_text import promised_run

LINES_MAX = 80
PROGRAM = re.compile(r"\bgyre::run\(|\bProgram program;")


def complaints(source_path, program):
    source = Path(source_path).read_text(encoding="utf-8")
    stem = Path(source_path).stem
    lines = source.count("\n")
    if lines > LINES_MAX:
        yield f"it has {lines} lines: an example is read at one glance, {LINES_MAX} is the limit"
    command, promised = promised_run(source)
    if command != f"build/release/bin/examples/{stem}":
        yield f"its head comment runs '{command}'"
    platforms = [None, "sim"] if PROGRAM.search(source) else [None]
    for platform in platforms:
        environment = {key: value for key, value in os.environ.items() if key != "GYRE_PLATFORM"}
        if platform is not None:
            environment["GYRE_PLATFORM"] = platform
        elif "GYRE_PLATFORM" in os.environ and os.environ["GYRE_PLATFORM"] != "sim":
            environment["GYRE_PLATFORM"] = os.environ["GYRE_PLATFORM"]
        where = platform or "the default platform"
        result = subprocess.run([program], capture_output=True, text=True, check=False, env=environment)
        if result.returncode != 0:
            yield f"on {where} it ends with {result.returncode}: {result.stderr.strip()}"
        if result.stdout != promised:
            yield f"on {where} it prints something else:\n" + "".join(
                difflib.unified_diff(
                    promised.splitlines(True), result.stdout.splitlines(True), "promised", "printed"
                )
            )


def main():
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    found = list(complaints(sys.argv[1], sys.argv[2]))
    for complaint in found:
        print(f"{sys.argv[1]}: {complaint}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
