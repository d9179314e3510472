# SPDX-License-Identifier: Apache-2.0
"""Where the names of the public headers and the files of the tree have their pages."""

import functools
import re
from html import escape

WORD = re.compile(
    r"(?P<path>(?<![\w/])(?:gyre|lang|cli|docs|examples|tools|tests|bench)/[\w./-]*\w)"
    r"|(?P<name>(?<![\w:/.])(?:\w+::)*[A-Z]\w*(?:::\w+)*(?:<[\w:, *&.]*>)?)"
    r"|(?P<snake>(?<![\w:/.])(?:\w+::)*[a-z]+_\w+\b(?![/.]\w))"
)


class Names:
    """Qualified names of classes, functions and members, with the addresses of their sections, relative to the
    root of the site."""

    def __init__(self):
        self.types = {}
        self.enumerators = set()
        self.functions = {}
        self.members = {}

    def add(self, header_page, declaration, section):
        address = f"{header_page}#{section}"
        if declaration.is_type or declaration.kind in ("concept", "using"):
            self.types.setdefault(declaration.qualified, address)
            if declaration.kind == "enum":
                self.enumerators.update(re.findall(r"[a-z]\w*", declaration.text.partition("{")[2]))
        elif declaration.kind == "macro":
            self.types.setdefault("gyre::" + declaration.name, address)
        elif declaration.kind == "function":
            self.functions.setdefault(declaration.qualified, address)

    def add_member(self, owner, name, address):
        self.members.setdefault(f"{owner}::{name}", address)

    @functools.cached_property
    def by_tail(self):
        """The ends of the qualified names (`World`, `World::run`) to the addresses that they may mean."""
        found = {}
        for name, address in [*self.types.items(), *self.functions.items(), *self.members.items()]:
            parts = name.split("::")
            for count in (1, 2):
                found.setdefault("::".join(parts[-count:]), set()).add(address)
        return found


class Scope:
    """The names as the page at `address` sees them: from inside its namespace, its own members first."""

    def __init__(self, names, tree, address, namespace="gyre", members=None):
        self.names = names
        self.tree = tree
        self.address = address
        parts = namespace.split("::")
        self.spaces = ["::".join(parts[:count]) for count in range(len(parts), 0, -1)]
        self.up = "../" * address.count("/")
        self.is_reference = members is not None
        self.members = members or {}

    def find(self, table, word):
        plain = re.sub(r"<[^<>]*>", "", word)
        for space in self.spaces:
            if f"{space}::{plain}" in table:
                return table[f"{space}::{plain}"]
        return table.get(plain)

    def type(self, word):
        """Also for a member of a class, and for the class of an enumerator."""
        found = self.find(self.names.types, word)
        if found is None and "::" in word:
            found = self.find(self.names.members, word) or self.find(self.names.types, word.rpartition("::")[0])
        return self.up + found if found else None

    def function(self, word):
        found = self.find(self.names.functions, word)
        return self.up + found if found else None

    def file(self, path):
        return self.tree.of_span(path, self.address)

    def in_code(self, word, before, following):
        """The link of a word in C++ code, or of the file of an #include. A call is a link unless it is a member of an
        object or a definition."""
        if word[0] in '<"':
            return self.file(word[1:-1])
        address = None if re.search(r"(\.|->)\Z", before) else self.type(word)
        if address or following != "(":
            return address
        last = re.search(r"(\S*)\s*$", before)[1]
        is_call = last in ("", "co_await", "return", "co_return", "=") or last.endswith(("(", "{", ",", ";", "}", "!"))
        return self.function(word) if is_call or "::" in word else None

    def in_span(self, text):
        """The link of a whole code span: `Scope`, `Scope::spawn`, `with_scope`, `spawn()`, or the path of a file."""
        if file := self.file(text):
            return file
        word = re.sub(r"\(\)$", "", text)
        if not re.fullmatch(r"[\w:~]+(<.*>)?", word):
            return None
        if self.is_reference and word in self.names.enumerators - self.members.keys():
            return None  # Comments name the values of an enum without its class.
        return self.members.get(word) or self.type(word) or self.function(word) or self.unique(word)

    def unique(self, word):
        """A name of another namespace, if it looks like one and only one thing has it."""
        found = self.names.by_tail.get(word, ())
        looks_like_a_name = re.search(r"[a-z][A-Z]|[A-Z]\w*::|^[A-Z][a-z]|[a-z]_[a-z]", word)
        return self.up + next(iter(found)) if looks_like_a_name and len(found) == 1 else None


def link_words(scope, span_link):
    """For the text of comments: names of classes and functions and paths of files become links."""

    def convert(text):
        parts = []
        place = 0
        for match in WORD.finditer(text):
            before = text[: match.start()]
            target = name_link(scope, match[0], before) if match["name"] else span_link(match[0])
            html = escape(match[0], quote=False)
            parts += [escape(before[place:], quote=False), f'<a href="{target}">{html}</a>' if target else html]
            place = match.end()
        return "".join([*parts, escape(text[place:], quote=False)])

    return convert


def name_link(scope, name, before):
    """A capital letter at the start of a sentence says nothing: such a word is a name only by its form."""
    starts_sentence = not before.strip() or before.rstrip()[-1] in ".:;!?("
    looks_like_a_name = re.search(r"::|<|[a-z][A-Z]", name)
    if not looks_like_a_name and starts_sentence:
        return None
    return scope.type(name) or (scope.unique(name) if looks_like_a_name else None)
