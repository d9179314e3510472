#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program that goes on for ever ends with the comparison that runs it, also when that is killed.

    killed.test.py
"""
import importlib.util
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
HERE = pathlib.Path(__file__).parent
SECONDS_MAX = 300


def run_comparison(place):
    """Of a program that writes its process into a file."""
    spec = importlib.util.spec_from_file_location("differential", HERE / "differential.test.py")
    differential = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(differential)
    differential.output(["sh", "-c", 'echo $$ > "$0"; exec sleep 600'], place)


def is_running(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def waits_for(condition):
    end = time.monotonic() + SECONDS_MAX
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def main():
    if len(sys.argv) > 1:
        return run_comparison(sys.argv[1])
    if not shutil.which("setpriv"):
        print("skipped: there is no setpriv")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder) / "process"
        comparison = subprocess.Popen([sys.executable, __file__, place])
        has_begun = waits_for(lambda: place.exists() and place.read_text().endswith("\n"))
        comparison.send_signal(signal.SIGKILL)
        comparison.wait()
        if not has_begun:
            print("the program has not begun")
            return 1
        program = int(place.read_text())
        if not waits_for(lambda: not is_running(program)):
            subprocess.run(["kill", "-KILL", str(program)], check=False)
            print("the program goes on although its comparison was killed")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
