# SPDX-License-Identifier: Apache-2.0
"""The model of a source tree for the tools: its text files and their includes, the modules that
CMakeLists.txt files declare, and the C++ functions of a file. Reads files only."""

import os
import re
from pathlib import Path

SKIPPED_FOLDERS = {".git", ".deps", ".cache", "build", "__pycache__", "node_modules", "target"}
CPP_ENDINGS = {".cpp", ".hpp", ".h", ".cc"}
TEST_FILE = re.compile(r"\.(test|fuzz|bench)\.(cpp|hpp)$")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
# The folders with modules.
HOUSES = ("gyre/", "lang/")
MODULE_LINE = re.compile(r"^gyre_module\(([^)]*)\)", re.MULTILINE)


class File:
    """One text file, with its path as the rules name it."""

    def __init__(self, root, path):
        self.path = path.relative_to(root).as_posix()
        self.text = path.read_text(encoding="utf-8", errors="replace")
        self.is_cpp = path.suffix in CPP_ENDINGS
        self.is_test = self.path.startswith(("tests/", "lang/vela/reference/")) or bool(TEST_FILE.search(self.path))
        self.is_installed = (
            self.path.startswith(HOUSES)
            and path.suffix == ".hpp"
            and not self.is_test
            and "/internal/" not in self.path
        )
        self.is_public = self.is_installed and "/detail/" not in self.path
        self.code = strip_cpp(self.text) if self.is_cpp else self.text
        # From the full text, because stripping blanks quoted names; comments are skipped.
        self.includes = [
            (line_at(self.text, match.start(1)), match[2])
            for match in (INCLUDE.finditer(self.text) if self.is_cpp else [])
            if "include" in self.code[match.start() : match.start(1)]
        ]


class Module:
    def __init__(self, folder, words):
        self.folder = folder
        self.name = words[0]
        # LAYER 1+ is half a layer above 1.
        number = argument(words, "LAYER")[0]
        self.layer_text = number
        self.layer = int(number.rstrip("+")) + (0.5 if number.endswith("+") else 0)
        self.depends = argument(words, "DEPENDS")
        self.test_depends = argument(words, "TEST_DEPENDS")


def argument(words, key):
    """The words after a keyword of a CMake call, up to the next keyword."""
    if key not in words:
        return []
    found = []
    for word in words[words.index(key) + 1 :]:
        if word.isupper() and word.replace("_", "").isalpha():
            break
        found.append(word)
    return found


def line_at(text, position):
    return text.count("\n", 0, position) + 1


CPP_NOISE = re.compile(
    r'R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
    r"|//(?:[^\n\\]|\\.)*"
    r"|/\*.*?\*/",
    re.DOTALL,
)


def strip_cpp(text):
    """The code with comments, strings and characters blanked; line numbers stay."""
    return CPP_NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def read_tree(root):
    files = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        for name in sorted(names):
            path = Path(folder) / name
            if name in SKIPPED_FOLDERS:
                continue  # In a work tree of git, .git is a file that names the folder.
            if path.is_symlink() or "/corpus/" in path.as_posix():
                continue
            try:
                if b"\0" not in path.read_bytes()[:4096]:
                    files.append(File(root, path))
            except FileNotFoundError:
                continue  # A temporary file of an editor or formatter.
    return files


def read_modules(files):
    """Folder to module, from the gyre_module lines."""
    modules = {}
    for file in files:
        if not (file.path.startswith(HOUSES) and file.path.endswith("/CMakeLists.txt")):
            continue
        for match in MODULE_LINE.finditer(file.text):
            folder = file.path.removesuffix("/CMakeLists.txt")
            modules[folder] = Module(folder, match[1].split())
    return modules


def module_of(path, modules):
    """The innermost module whose folder holds the path."""
    folder = os.path.dirname(path)
    while folder:
        if folder in modules:
            return modules[folder]
        folder = os.path.dirname(folder)
    return None


def reachable(names, by_name):
    seen = set()
    open_names = list(names)
    while open_names:
        name = open_names.pop()
        if name not in seen and name in by_name:
            seen.add(name)
            open_names += by_name[name].depends
    return seen


def opens_scope(head):
    """Whether a brace after this text opens a namespace or a type."""
    while True:
        shorter = re.sub(r"<[^<>]*>|\([^()]*\)", " ", head)
        if shorter == head:
            break
        head = shorter
    return head.strip() == "extern" or bool(re.search(r"\b(namespace|class|struct|union|enum)\b", head))


def functions(code):
    """(first line, last line) of the outermost braces that follow a parameter list."""
    code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.)*", lambda m: re.sub(r"[^\n]", " ", m[0]), code, flags=re.M | re.S)
    found = []
    open_braces = []  # (the text before the brace, its line, whether it opens a function)
    head = ""
    line = 1
    in_function = False
    for place, character in enumerate(code):
        if character == "\n":
            line += 1
        if character == "{":
            opens = not in_function and ")" in head and not opens_scope(head)
            open_braces.append((head, line, opens))
            in_function = in_function or opens
            head = ""
        elif character == "}":
            if not open_braces:
                return found
            before, start, opens = open_braces.pop()
            if opens:
                in_function = False
            # `a_{1}, b_{2} {`: the braces belong to an initializer, the body is still to come.
            goes_on = code[place + 1 :].lstrip()[:1] in (",", "{") if not in_function else False
            head = before if goes_on else ""
            if opens:
                found.append((start, line))
        elif character == ";":
            head = ""
        else:
            head += character
    return found


ASSERTION = re.compile(r"\bGYRE_(DEBUG_)?ASSERT\(")
ASSERTION_FILE = "gyre/base/assert.hpp"  # defines the macros


def assertion_density(files):
    """Module of gyre/ to (assertions, lines), without tests."""
    modules = read_modules(files)
    found = {}
    for file in files:
        module = module_of(file.path, modules) if file.path.startswith("gyre/") else None
        if module and file.is_cpp and not file.is_test:
            count, lines = found.get(module.name, (0, 0))
            own = 0 if file.path == ASSERTION_FILE else len(ASSERTION.findall(file.code))
            found[module.name] = (count + own, lines + file.text.count("\n"))
    return found
