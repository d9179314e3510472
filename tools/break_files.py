# SPDX-License-Identifier: Apache-2.0
"""Reads the files of breaks that tools/breaks runs, and chooses among the breaks. docs/breaks.md has the format."""

import importlib.machinery
import importlib.util
import random
import re
from pathlib import Path

CLAUSE_ID = re.compile(r"^[A-Z]\d\d(?![A-Za-z0-9])")
FIELDS = {"build", "clause", "file", "test", "quick", "seen", "why"}
PROGRAM = re.compile(r"^(?:test_\w+|ctest)$")


class Problem(Exception):
    """A file of breaks, or an argument, that cannot be used."""


class Break:
    def __init__(self, name, place):
        self.id = name
        self.place = place  # where it stands: file and line
        self.clauses = CLAUSE_ID.findall(name)
        self.file = ""
        self.built = []  # targets besides the test programs: what an entry of ctest runs
        self.tests = []  # pairs of a program and the filter of the tests that must fail
        self.is_quick = False
        self.is_seen = False
        self.why = ""
        self.old = None
        self.new = None

    @property
    def programs(self):
        return sorted({program for program, _ in self.tests if program != "ctest"})

    @property
    def targets(self):
        return sorted({*self.programs, *self.built})

    def filters(self, program):
        return [wanted for name, wanted in self.tests if name == program]

    def set_field(self, key, value):
        if key == "clause":
            self.clauses = re.split(r"[,\s]+", value)
        elif key == "file":
            self.file = value
        elif key == "build":
            self.built += value.split()
        elif key == "quick":
            self.is_quick = value == "yes"
        elif key == "seen":
            self.is_seen = value == "yes"
        elif key == "why":
            self.why = value
        else:
            program, _, wanted = value.partition(" ")
            if not PROGRAM.match(program) or not wanted.strip():
                raise Problem(f"{self.place}: test: a program (test_kernel) or 'ctest', then a filter or a name")
            self.tests.append((program, wanted.strip()))

    def check(self):
        if not self.file or self.old is None or self.new is None or not self.tests:
            raise Problem(f"{self.place}: {self.id} needs file, test, and the texts old and new")
        if self.old == self.new:
            raise Problem(f"{self.place}: {self.id} changes nothing")
        if self.file.startswith("/") or ".." in Path(self.file).parts:
            raise Problem(f"{self.place}: {self.id}: {self.file} is not a path inside the tree")

    def broken(self, text):
        """The text with the change in it."""
        count = text.count(self.old)
        if count != 1:
            raise Problem(f"{self.place}: {self.id} does not apply: its old text is {count} times in {self.file}")
        return text.replace(self.old, self.new)


def read(path, shown):
    """The breaks of one file."""
    breaks, current, block = [], None, None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        place = f"{shown}:{number}"
        if block is not None and not line.startswith("---"):
            block.append(line)
        elif line.startswith("---"):
            if current is None or line not in ("--- old", "--- new", "--- end"):
                raise Problem(f"{place}: '{line}' stands where no text of a break begins or ends")
            if block is not None:
                text = "".join(text + "\n" for text in block)
                if current.old is None:
                    current.old = text
                else:
                    current.new = text
            block = None if line == "--- end" else []
        elif not line.strip() or line.startswith("#"):
            continue
        elif line.startswith("break "):
            current = Break(line.removeprefix("break ").strip(), place)
            breaks.append(current)
        else:
            key, found, value = line.partition(":")
            if current is None or not found or key not in FIELDS:
                raise Problem(f"{place}: '{line}' is no field of a break")
            current.set_field(key, value.strip())
    if block is not None:
        raise Problem(f"{shown}: the last text has no '--- end'")
    for each in breaks:
        each.check()
    return breaks


def read_all(root, file=None):
    if file is not None:
        if not file.is_file():
            raise Problem(f"{file}: no such file")
        breaks = read(file, file)
    else:
        breaks = []
        for path in sorted((root / "tests/breaks").glob("*.breaks")):
            breaks += read(path, path.relative_to(root))
    seen = {}
    for each in breaks:
        if each.id in seen:
            raise Problem(f"{each.place}: {each.id} is at {seen[each.id].place} already")
        seen[each.id] = each
    return breaks


def chosen(breaks, ids, draw, is_all):
    """By ids, drawn by a seed, all, or the quick ones that were seen to be caught; those of one program together."""
    if ids:
        wanted = [text for text in re.split(r"[,\s]+", ids) if text]
        for text in wanted:
            if not any(each.id.startswith(text) for each in breaks):
                raise Problem(f"no break has an id that begins with '{text}'")
        breaks = [each for each in breaks if any(each.id.startswith(text) for text in wanted)]
    elif not is_all:
        breaks = [each for each in breaks if each.is_quick and each.is_seen]
    if draw:
        seed, count = draw
        if not count.isdigit() or int(count) == 0:
            raise Problem(f"--draw takes a seed and a count, not '{count}'")
        breaks = random.Random(seed).sample(breaks, min(int(count), len(breaks)))
    return sorted(breaks, key=lambda each: (each.programs, each.file, each.id))


def clauses_tool():
    loader = importlib.machinery.SourceFileLoader("clauses", str(Path(__file__).resolve().parent / "clauses"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("clauses", loader))
    loader.exec_module(module)
    return module


def tests_that_name(root):
    """The names of tests, Suite.name, for each clause."""
    tests = {}
    named, _ = clauses_tool().read_tests(root)
    for clause, test in named:
        tests.setdefault(clause, set()).add(test.name)
    return tests


def clauses_without_a_break(root, breaks):
    """Clauses of the ledger that have a test and no break."""
    rows = clauses_tool().TABLE_ROW.findall((root / "docs/CLAUSES.md").read_text(encoding="utf-8"))
    broken = {clause for each in breaks for clause in each.clauses}
    tests = tests_that_name(root)
    return [clause for clause, _ in rows if clause in tests and clause not in broken]
