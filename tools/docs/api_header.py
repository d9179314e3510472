# SPDX-License-Identifier: Apache-2.0
"""A public header as the reference shows it: its manual, and its declarations in sections by class and by function."""

import re

from header_reader import read_header, uncommented
from names import Scope

SUBJECTS = re.compile(r"([\w:<>~]+(?:(?:, | and )[\w:<>~]+)*): ")
KINDS = [
    ("Classes", ("class", "struct", "union", "enum")),
    ("Functions", ("function",)),
    ("Types and constants", ("concept", "using", "variable")),
    ("Macros", ("macro",)),
]
# Classes whose functions serve `co_await` and coroutines: only their names matter to a reader.
COMPILER_NAME = re.compile(r"\w*(Await|Awaiter|Promise|PromiseOf|PromiseBase)(<.*>)?$")
SEARCH_TEXT_MAX = 400


class Section:
    """A class, or the functions of one name. `groups` are lists of members, each member with its anchor; a group has
    one comment."""

    def __init__(self, declaration, title, ident):
        self.declaration = declaration
        self.title = title
        self.ident = ident
        self.groups = []

    @property
    def is_function(self):
        return self.declaration.kind == "function"

    def members(self):
        """(anchor, declaration) of the members of a class."""
        return [row for group in self.groups for row in group] if not self.is_function else []


class Header:
    def __init__(self, file, module):
        self.file = file
        self.path = file.path
        self.module = module
        self.address = "api/" + file.path.removesuffix(".hpp") + ".html"
        self.source = f"source/{file.path}.html"
        head = re.match(r"(?://[^\n]*\n)*", file.text)[0].strip().split("\n")[1:]
        self.head = uncommented(head)
        first = SUBJECTS.match(self.head.replace("\n", " "))
        self.subjects = re.split(r", | and ", first[1]) if first else []
        self.lead = first.end() if first else 0
        self.idents = set()
        self.sections = {title: [] for title, _ in KINDS}
        self.namespace = "gyre"
        for declaration in read_header(file.text):
            self.add(declaration)
        for sections in self.sections.values():
            sections.sort(key=lambda section: (not self.is_subject(section), section.declaration.serves_compiler))

    @property
    def summary(self):
        return split_lead(self.head.partition("\n\n")[0])[0].rstrip(".").replace("|", "\\|")

    @property
    def title(self):
        return ", ".join(self.subjects) or self.path.split("/")[-1]

    def is_subject(self, section):
        names = [re.sub(r"<.*>", "", subject).split("::")[-1] for subject in self.subjects]
        return section.title.split("::")[0] in names

    def add(self, declaration, outer=""):
        """A section for a declaration; a class gets one for each class inside it too."""
        kind = next(title for title, kinds in KINDS if declaration.kind in kinds)
        if declaration.scope and not outer:
            self.namespace = "::".join(declaration.scope)
        title = outer + declaration.name
        same = next((section for section in self.sections[kind] if section.title == title), None)
        if declaration.kind == "function" and same:
            self.add_to_group(same, declaration, same.ident)
            return
        section = Section(declaration, title, self.ident(title))
        self.sections[kind].append(section)
        if declaration.kind == "function":
            self.add_to_group(section, declaration, section.ident)
        elif declaration.members and not self.serves_compiler(declaration, outer):
            for member in declaration.members:
                self.add_member(section, declaration, member)

    @staticmethod
    def serves_compiler(declaration, outer):
        return declaration.serves_compiler and (outer or COMPILER_NAME.match(declaration.name))

    def add_member(self, section, owner, member):
        if member.is_type and member.kind != "enum":
            self.add(member, section.title + "::")
        elif not self.is_implied(owner, member):
            self.add_to_group(section, member, section.ident + "." + member.name)

    @staticmethod
    def is_implied(owner, member):
        """A destructor without a comment, and the deleted functions of a class that the page calls not copyable."""
        is_plain_end = member.name.startswith("~") and not member.comment
        return is_plain_end or (owner.is_uncopyable and f"(const {owner.name}&) = delete" in member.text)

    def add_to_group(self, section, declaration, ident):
        """Overloads without a comment of their own, and runs of members without any, share a group."""
        if section.groups and not declaration.comment and not declaration.remark:
            first, last = section.groups[-1][0][1], section.groups[-1][-1][1]
            if first.access == declaration.access and (not first.comment or last.name == declaration.name):
                section.groups[-1].append((self.ident(ident), declaration))
                return
        section.groups.append([(self.ident(ident), declaration)])

    def ident(self, name):
        plain_name = re.sub(r"[^\w.]+", "-", name.replace("::", ".")).strip("-")
        ident, count = plain_name, 1
        while ident in self.idents:
            count += 1
            ident = f"{plain_name}-{count}"
        self.idents.add(ident)
        return ident

    def all_sections(self):
        return [section for sections in self.sections.values() for section in sections]

    def register(self, names):
        for section in self.all_sections():
            names.add(self.address, section.declaration, section.ident)
            for ident, member in section.members():
                names.add_member(section.declaration.qualified, member.name, f"{self.address}#{ident}")

    def scope(self, names, tree):
        """The names as this page sees them: those of its own members need no class."""
        members = {section.title: "#" + section.ident for section in self.all_sections() if section.is_function}
        for section in self.all_sections():
            for ident, member in section.members():
                if member.name != "co_await":
                    members.setdefault(member.name, "#" + ident)
        return Scope(names, tree, self.address, self.namespace, members)


def split_lead(paragraph):
    """The first sentence of a head, and the rest of its paragraph."""
    lines = paragraph.split("\n")
    text = []
    while lines and not re.match(r"  |\w+: ", lines[0]) or (lines and not text):
        text.append(lines.pop(0))
    sentence = re.match(r"(.+?[^.]\.)\s+(?=[A-Z`])(.*)", " ".join(text))
    first, second = sentence.groups() if sentence else (" ".join(text), "")
    return first, "\n".join(filter(None, [second, *lines]))


def one_line(comment):
    """For the search index."""
    return " ".join(comment.replace("`", "").split())[:SEARCH_TEXT_MAX]


def search_entries(header):
    yield header.title, "header", header.address, one_line(f"{header.path} {header.head}")
    for section in header.all_sections():
        name = "::".join(section.declaration.qualified.split("::")[1:]) or section.title
        kind = "class" if section.declaration.is_type else section.declaration.kind
        about = section.declaration.comment or section.declaration.text
        yield name, kind, f"{header.address}#{section.ident}", one_line(about)
        # The first of several overloads; no constructors, operators and awaits.
        members = {member.name: (ident, member) for ident, member in reversed(section.members())}
        for ident, member in reversed(members.values()):
            if member.name.isidentifier() and member.name not in ("co_await", section.declaration.name):
                yield f"{name}::{member.name}", "member", f"{header.address}#{ident}", one_line(member.comment)
