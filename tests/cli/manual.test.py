# SPDX-License-Identifier: Apache-2.0
"""The manual pages and completions say what --help says, and their readers accept them.

    manual.test.py PROGRAM"""

import re
import shutil
import subprocess
import tempfile
import unittest

import program
from program import gyre

SHELLS = ["bash", "zsh", "fish"]

MAN_PAGE = r""".TH GYRE\-COMPLETIONS 1 "" "gyre VERSION" "User Commands"
.SH NAME
gyre\-completions \- Print a script of completions for a shell
.SH SYNOPSIS
\fBgyre completions\fR [OPTIONS] SHELL
.SH ARGUMENTS
.TP
\fBSHELL\fR bash|zsh|fish
The shell
.SH OPTIONS
.TP
\fB\-\-help\fR
Print this help and exit
.SH EXIT STATUS
.TP
\fB0\fR
fine
.TP
\fB1\fR
failed
.TP
\fB2\fR
usage error
.TP
\fB3\fR
deadlock
.TP
\fB4\fR
cancelled
.SH SEE ALSO
\fBgyre\fR(1)
"""


def accepts(command, text):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=300)


def complete_in_bash(script, *words):
    """The words that bash proposes for the last one."""
    command = f"""{script}
        compopt() {{ :; }}
        COMP_WORDS=(gyre {" ".join(f"'{word}'" for word in words)})
        COMP_CWORD={len(words)}
        _gyre
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    return subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=True, timeout=300
    ).stdout.split()


class Pages(unittest.TestCase):
    def test_there_is_one_for_the_program_and_one_for_each_command(self):
        whole = gyre("man")
        self.assertEqual((whole.returncode, whole.stderr), (0, ""))
        for command in program.commands():
            self.assertIn(rf"\fBgyre\-{command}\fR(1)", whole.stdout)
            page = gyre("man", command).stdout
            for flag in program.flags_of(command):
                self.assertIn(f"\\fB{flag}\\fR".replace("-", "\\-"), page, command)

    def test_reads_like_this(self):
        version = gyre("--version").stdout.strip()
        self.assertEqual(gyre("man", "completions").stdout, MAN_PAGE.replace("VERSION", version))

    def test_are_accepted_by_groff_and_mandoc(self):
        linters = {"groff": ["groff", "-man", "-ww", "-Tutf8", "-"], "mandoc": ["mandoc", "-T", "lint", "-W", "error"]}
        found = [line for name, line in linters.items() if shutil.which(name)]
        if not found:
            self.skipTest("neither groff nor mandoc is installed")
        for page in [gyre("man"), *(gyre("man", command) for command in program.commands())]:
            for linter in found:
                result = accepts(linter, page.stdout)
                self.assertEqual((result.returncode, result.stderr), (0, ""), page.stdout)

    def test_lead_to_readable_text(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        text = accepts(["groff", "-man", "-Tascii", "-P-cbou"], gyre("man", "conform").stdout).stdout
        self.assertRegex(text, r"gyre conform \[OPTIONS\] \[TOPIC\]")
        self.assertRegex(text, r"--platform epoll\|uring\|sim\n +Only on this platform; default: on each\n")


class Completions(unittest.TestCase):
    def test_mention_every_command_and_flag(self):
        for shell in SHELLS:
            script = gyre("completions", shell).stdout
            for command in program.commands():
                self.assertRegex(script, rf"\b{command}\b", shell)
                for flag in program.flags_of(command):
                    name = flag if shell != "fish" else f"-l {flag[2:]} "
                    self.assertIn(name, script, f"{shell} {command}")

    def test_are_accepted_by_their_shells(self):
        for shell in SHELLS:
            if not shutil.which(shell):
                continue
            with tempfile.NamedTemporaryFile("w", suffix=f".{shell}") as file:
                file.write(gyre("completions", shell).stdout)
                file.flush()
                result = subprocess.run([shell, "-n", file.name], capture_output=True, text=True, check=False, timeout=300)
                self.assertEqual((result.returncode, result.stderr), (0, ""), shell)

    def test_propose_commands_flags_and_values_in_bash(self):
        if not shutil.which("bash"):
            self.skipTest("bash is not installed")
        script = gyre("completions", "bash").stdout
        self.assertEqual(complete_in_bash(script, "to"), ["tour"])
        self.assertEqual(set(complete_in_bash(script, "")), {*program.commands(), "--help", "--version"})
        self.assertEqual(complete_in_bash(script, "tour", "--se"), ["--seed"])
        self.assertEqual(complete_in_bash(script, "tour", "--platform", ""), ["epoll", "uring"])
        self.assertEqual(complete_in_bash(script, "completions", ""), SHELLS)
        self.assertEqual(complete_in_bash(script, "tour", "--seed", ""), [])
        self.assertIn("/dev/null", complete_in_bash(script, "tour", "--trace", "/dev/nul"))
        for command in program.commands():
            self.assertEqual(sorted(complete_in_bash(script, command, "--")), sorted(program.flags_of(command)))

    def test_of_zsh_and_fish_describe_flags(self):
        zsh = gyre("completions", "zsh").stdout
        self.assertIn("'--platform[Only on this platform; default\\: on each]:epoll|uring|sim:(epoll uring sim)'", zsh)
        self.assertIn("'*:FILE:_files'", zsh)
        fish = gyre("completions", "fish").stdout
        self.assertIn(
            "complete -c gyre -n '__fish_seen_subcommand_from conform' -l platform"
            " -d 'Only on this platform; default: on each' -r -a 'epoll uring sim' -f\n",
            fish,
        )
        quotes = [line for line in fish.splitlines() if len(re.findall(r"(?<!\\)'", line)) % 2 == 1]
        self.assertEqual(quotes, [])


if __name__ == "__main__":
    program.take_program()
    unittest.main()
