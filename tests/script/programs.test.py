#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs beside this file must print what their .expected says, which Node printed.

    programs.test.py GYRE [--update]

--update writes the .expected files again, with the installed Node.
"""
import concurrent.futures
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent


def output(command, program):
    done = subprocess.run([*command, program], capture_output=True, text=True, timeout=60, check=False, cwd=program.parent)
    return f"{done.stdout}status {done.returncode}\n"


def check(gyre, program):
    expected = program.with_suffix(".expected").read_text()
    for _ in range(3):  # A busy machine may delay a timer of a program that waits in real time.
        got = output([gyre, "run"], program)
        if got == expected:
            return None
    return got


def main():
    gyre = str(pathlib.Path(sys.argv[1]).resolve())
    programs = sorted(path for path in HERE.glob("*/*.*js") if path.parent.name in ("order", "library"))
    if "--update" in sys.argv:
        for program in programs:
            program.with_suffix(".expected").write_text(output(["node"], program))
        return 0
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for program, got in zip(programs, pool.map(lambda one: check(gyre, one), programs)):
            if got is not None:
                failures += 1
                print(f"{program.relative_to(HERE)} prints:\n{got}", end="")
    print(f"{len(programs)} programs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
