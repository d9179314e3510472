# SPDX-License-Identifier: Apache-2.0
"""For the tests of the program gyre: runs it, without the variables that it reads."""

import os
import re
import subprocess
import sys

PROGRAM = ""


def take_program():
    """The program is the first argument of a test."""
    global PROGRAM
    PROGRAM = os.path.abspath(sys.argv.pop(1))


def environment():
    return {key: value for key, value in os.environ.items() if not key.startswith("GYRE_")}


def gyre(*arguments, **options):
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.run([PROGRAM, *arguments], text=True, check=False, env=environment(), timeout=300, **options)


def commands():
    return re.findall(r"^  (\w+)  ", gyre("--help").stdout.split("Subcommands:")[1], re.MULTILINE)


def flags_of(command):
    return re.findall(r"^  (?:-h,)?(--[\w-]+)", gyre(command, "--help").stdout, re.MULTILINE)


def has_http():
    return "Not in this build" not in gyre("serve", "--help").stdout
