# SPDX-License-Identifier: Apache-2.0
"""Reads the callgrind profiles of tools/walks: which functions ran, in which order, and which files count. The rule
is in the head of tools/walks."""

import functools
import os
import re

from tree_files import File, module_of, read_modules


class Profile:
    """One thread's profile: what ran, and the call graph. A function is (file, name). Code that is always inlined is
    a function of the file it comes from, with the name of the function it was inlined into."""

    def __init__(self, text, path_of):
        self.lines = {}  # function to the lines of it that ran
        self.parts = {}  # function to what it called, in the order of its code
        self.inlined = set()
        home = file = name = callee_file = callee = None
        is_call = False
        for line in text.splitlines():
            key, _, value = line.partition("=")
            if key == "fl":
                home = file = path_of(value)
            elif key in ("fi", "fe"):
                file = path_of(value)
            elif key == "fn":
                name, file = value, home
            elif key in ("cfi", "cfl"):
                callee_file = path_of(value)
            elif key == "cfn":
                callee = value
            elif key == "calls":
                is_call = True
            elif line[:1].isdigit():
                if file != home:
                    self.inlined.add((file, name))
                    self.add_part((home, name), (file, name))
                if is_call:
                    self.add_part((file, name), (callee_file or file, callee))
                    is_call, callee_file = False, None
                else:
                    # Line 0 is code without a source line.
                    self.lines.setdefault((file, name), set()).update({int(line.split()[0])} - {0})

    def add_part(self, function, part):
        parts = self.parts.setdefault(function, [])
        if part not in parts:
            parts.append(part)

    @functools.cached_property
    def callers(self):
        found = {}
        for caller, parts in self.parts.items():
            for part in parts:
                found.setdefault(part, []).append(caller)
        return found

    def opening(self):
        """The call stack at the start of the walk, innermost first."""
        chain = [function for function in self.callers if is_begin(function)][:1]
        while chain:
            outer = [function for function in self.callers.get(chain[-1], []) if function not in chain]
            if not outer:
                break
            chain.append(outer[0])
        return chain

    def in_order(self):
        """All functions as the walk reaches them: one of the first call stack when control returns to it."""
        opening = self.opening()
        inner_of = dict(zip(opening[1:], opening))
        seen = {}
        begun = set()
        # A stack. True: the function is reached; False: it is to be visited.
        todo = [(function, False) for function in [*self.lines, *self.parts, *opening[-1:]]]
        while todo:
            function, is_reached = todo.pop()
            if is_reached:
                seen[function] = True
            elif function not in begun:
                begun.add(function)
                parts = self.parts.get(function, [])
                before = []
                if function in inner_of:
                    at = parts.index(inner_of[function])
                    before, parts = [parts[at]], parts[at + 1 :] + parts[:at]
                todo += [(part, False) for part in reversed(parts)]
                todo += [(function, True), *((part, False) for part in before)]
        return list(seen)


def is_mark(function):
    return function[0].startswith("tests/walks/marks") or "__wrap_" in function[1]


def is_begin(function):
    return is_mark(function) and function[1].endswith("begin()")


def is_user(function):
    return function[0].startswith("tests/") and not is_mark(function)


class Tree:
    """The source tree whose files a profile names."""

    def __init__(self, root):
        self.root = root
        self.modules = read_modules([File(root, path) for path in sorted(root.glob("gyre/**/CMakeLists.txt"))])

    @functools.cache
    def path_of(self, name):
        """The path in this tree, or the name if it is no file of it. An object out of ccache may name another work
        tree, so only the end of the name is compared."""
        parts = os.path.normpath(name).split("/")
        for at, part in enumerate(parts):
            path = "/".join(parts[at:])
            if part in ("gyre", "lang", "tests") and (self.root / path).is_file():
                return path
        return name

    @functools.cache
    def unit_of(self, path):
        """The name that a file is counted under; None if it is not gyre's, or of layer 0."""
        if not path.startswith(("gyre/", "lang/")):
            return None
        module = module_of(path, self.modules)
        if module is not None and module.layer == 0:
            return None
        return os.path.splitext(path)[0]

    @functools.cache
    def text_of(self, path):
        return (self.root / path).read_text(encoding="utf-8").splitlines()

    def overrides(self, function, lines):
        """Whether its declaration, which starts at its first line, says so. Destructors do not count."""
        path, name = function
        head = "\n".join(self.text_of(path)[min(lines, default=1) - 1 :][:8])
        head = re.split(r"[{;]", re.sub(r"//.*", "", head))[0]
        return "~" not in name and re.search(r"\boverride\b", head) is not None


def counting_functions(profile, tree):
    users = [function for function in {**profile.parts, **profile.callers} if is_user(function)]
    counts = set(users)
    for function in users:
        counts.update(part for part in profile.parts.get(function, []) if tree.unit_of(part[0]) is not None)
    for function, lines in profile.lines.items():
        if tree.unit_of(function[0]) is not None:
            if not function[0].endswith(".hpp") or tree.overrides(function, lines):
                counts.add(function)
    todo = list(counts)
    while todo:
        for caller in profile.callers.get(todo.pop(), []):
            if caller not in counts:
                counts.add(caller)
                todo.append(caller)
    return counts


def files_of(profiles, tree):
    """Each file that counts with its functions that ran, both in order; and the type-only files."""
    found = {}
    types = set()
    for profile in profiles:
        counts = counting_functions(profile, tree)
        for function in profile.in_order():
            unit = tree.unit_of(function[0])
            if unit is None or function not in profile.lines:
                continue
            if function in counts:
                found.setdefault(unit, {})[short_name(function, profile)] = True
            else:
                types.add(unit)
    return {unit: list(names) for unit, names in found.items()}, sorted(types - set(found))


def short_name(function, profile):
    """Without arguments, template arguments and namespaces; a lambda is named by the function it is in."""
    name = re.sub(r"'\d+$|\boperator\(\)", "", function[1])
    name = re.sub(r"\boperator ", "operator_", name)
    longer = ""
    while longer != name:
        longer, name = name, re.sub(r"<[^<>]*>|\([^()]*\)|\{[^{}]*\}|\[[^][]*\]", "", name)
    name = (re.sub(r"\bconst\b", "", name).split() or [""])[-1]
    name = re.sub(r"^(::)*([a-z]\w*::)*|(::)+$", "", name) or "a lambda"
    return f"inlined into {name}" if function in profile.inlined else name
