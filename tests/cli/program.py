# SPDX-License-Identifier: Apache-2.0
"""For the tests of the program gyre: runs it, without the variables that it reads."""

import os
import re
import subprocess
import sys
import tempfile

PROGRAM = ""
# Compiled modules go there, not into the cache of whoever runs the tests.
CACHES = tempfile.TemporaryDirectory()


def take_program():
    """The program is the first argument of a test."""
    global PROGRAM
    PROGRAM = os.path.abspath(sys.argv.pop(1))


def environment():
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GYRE_")}
    return {**kept, "XDG_CACHE_HOME": CACHES.name}


def gyre(*arguments, variables=None, **options):
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.run([PROGRAM, *arguments], text=True, check=False, env={**environment(), **(variables or {})},
                          timeout=300, **options)


def start(*arguments):
    """The program as it runs, to be sent signals."""
    return subprocess.Popen([PROGRAM, *arguments], text=True, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def commands():
    return re.findall(r"^  (\w+)  ", gyre("--help").stdout.split("Subcommands:")[1], re.MULTILINE)


def flags_of(command):
    return re.findall(r"^  (?:-\w,)?(--[\w-]+)", gyre(command, "--help").stdout, re.MULTILINE)


def has_wasm():
    return "Not in this build" not in gyre("inspect", "--help").stdout


def has_runs():
    return "Not in this build" not in gyre("runs", "--help").stdout


def has_http():
    return "Not in this build" not in gyre("serve", "--help").stdout
