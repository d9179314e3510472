# SPDX-License-Identifier: Apache-2.0
"""Reads the public declarations of a C++ header: classes with their public and protected members, functions,
aliases, concepts, constants and macros, each with its comment and its line.

It relies on what the tree checks anyway: clang-format's layout and `//` comments directly above a declaration or
behind it. It knows no types; it finds where declarations begin and end.
"""

import re

from declarators import (
    bracket_end,
    has_assignment,
    has_parameters,
    is_anonymous,
    is_namespace,
    is_type,
    kind_and_name,
    without_hidden_bases,
    without_template,
)
from tree_files import CPP_NOISE, line_at

ACCESS = re.compile(r"(public|protected|private)\s*:(?!:)")
DEFINE = re.compile(r"^#define[ \t]+(\w+)(\([^()]*\))?", re.MULTILINE)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.)*", re.MULTILINE | re.DOTALL)
# Functions that only the compiler calls, and those that make an object awaitable.
PROTOCOL = re.compile(
    r"await_(ready|suspend|resume)|get_return_object|(initial|final)_suspend|unhandled_exception|return_(value|void)"
)
AWAITABLE = ("await_in", "operator co_await")
DIRECTION = re.compile(r"// (clang-format|NOLINT)")
LAMBDA_VALUE = re.compile(r"= \[.*\{\n.*\}(\(\))?;$", re.DOTALL)
TYPE_KINDS = ("class", "struct", "union", "enum")


class Declaration:
    """`kind` is class, struct, union, enum, concept, function, variable, using or macro. `text` is the declaration
    without its body, `scope` its namespace and outer classes, `members` those of a class. `remark` is a comment above
    it that stands alone: it is about the members that follow."""

    def __init__(self, kind, name, scope, text, comment, line):
        self.kind = kind
        self.name = name
        self.scope = scope
        self.text = text
        self.comment = comment
        self.line = line
        self.access = "public"
        self.remark = ""
        self.members = []
        self.serves_compiler = False  # an awaiter, or the promise of a coroutine

    @property
    def is_type(self):
        return self.kind in TYPE_KINDS

    @property
    def qualified(self):
        return "::".join([*self.scope, self.name])

    @property
    def is_uncopyable(self):
        """A class that deletes its copy constructor, without a move constructor."""
        texts = [member.text for member in self.members if member.kind == "function"]
        return any(re.search(rf"\b{self.name}\(const {self.name}&\) = delete", text) for text in texts) and not any(
            re.search(rf"\b{self.name}\({self.name}&&", text) for text in texts
        )


def read_header(text):
    return Reader(text).declarations()


class Reader:
    def __init__(self, text):
        self.text = text
        blank = lambda match: re.sub(r"[^\n]", " ", match[0])
        self.code = DIRECTIVE.sub(blank, CPP_NOISE.sub(blank, text))
        # Comments are gone, strings stay; /*unused*/ names of parameters lose only their marks.
        self.visible = DIRECTIVE.sub(blank, CPP_NOISE.sub(self.without_comment, text))
        self.lines = text.split("\n")
        self.code_lines = self.code.split("\n")

    @staticmethod
    def without_comment(match):
        if match[0].startswith("/*") and re.fullmatch(r"\w+", match[0][2:-2]):
            return f"  {match[0][2:-2]}  "
        return re.sub(r"[^\n]", " ", match[0]) if match[0].startswith(("//", "/*")) else match[0]

    def declarations(self):
        found = self.macros()
        self.read_scope(0, len(self.code), (), None, "public", found)
        return found

    def macros(self):
        found = []
        for match in DEFINE.finditer(self.text):
            line = line_at(self.text, match.start())
            if not re.search(rf"^#undef {match[1]}\b", self.text, re.MULTILINE):
                text = "#define " + match[1] + (match[2] or "")
                found.append(Declaration("macro", match[1], (), text, self.comment_above(line), line))
        return found

    def read_scope(self, start, end, scope, owner, access, found):
        """Appends the declarations between two positions. `owner` is the class around them, or None."""
        place = start
        while place < end:
            blank = re.compile(r"[\s;]*").match(self.code, place, end)
            if blank.end() > place:
                place = blank.end()
                continue
            label = ACCESS.match(self.code, place) if owner else None
            if label:
                access, place = label[1], label.end()
                continue
            head_end, body, place_after = self.extent(place, end)
            self.read_one(place, head_end, body, place_after, scope, owner, access, found)
            place = place_after

    def read_one(self, start, head_end, body, end, scope, owner, access, found):
        head = without_template(self.code[start:head_end])
        namespace = re.match(r"(?:inline\s+)?namespace\b\s*([\w:]*)", head)
        if namespace and body:
            names = tuple(name for name in namespace[1].split("::") if name)
            if names and "detail" not in names:
                self.read_scope(body[0] + 1, body[1], scope + names, owner, access, found)
            return
        if body and is_anonymous(head):
            self.read_scope(body[0] + 1, body[1], scope, owner, access, found)
            return
        kind, name = kind_and_name(head, bool(re.match(r"template\s*<\s*>", self.code[start:head_end])))
        if kind == "function" and owner and PROTOCOL.fullmatch(name):
            owner.serves_compiler = True
            return
        if access == "private" or kind is None or (name in AWAITABLE and not owner):
            return
        comment = self.comment_of(start, end)
        if kind in TYPE_KINDS and not body and (not comment or self.defines(name)):
            return
        text = self.signature(start, end if kind in ("enum", "concept", "using", "variable") else head_end)
        if kind in ("class", "struct"):
            text = without_hidden_bases(text, kind)
        elif owner and name in AWAITABLE:
            name, text = "co_await", awaited(owner.name, text)
        elif not text.endswith(";"):
            text += ";"
        line = line_at(self.code, start)
        declaration = Declaration(kind, name, scope, text, comment, line)
        declaration.access = access
        declaration.remark = self.remark_above(line) if owner else ""
        if kind in TYPE_KINDS and kind != "enum" and body:
            inner = "private" if kind == "class" else "public"
            self.read_scope(body[0] + 1, body[1], (*scope, name), declaration, inner, declaration.members)
        found.append(declaration)

    def defines(self, name):
        """Whether a forward declaration of this class is followed by its definition."""
        return bool(re.search(rf"\b(class|struct)\s[^;{{]*\b{re.escape(name)}(\s*:[^;{{]*)?\s*\{{", self.code))

    def extent(self, start, end):
        """(end of the head, (start, end) of the braces of its body or None, end) of the declaration at `start`."""
        place = start
        head_end = None  # where the initializers of a constructor begin
        while place < end:
            character = self.code[place]
            if character in "([":
                place = self.closing(place)
            elif character == ";":
                return head_end or place, None, place + 1
            elif character == ":" and head_end is None and self.begins_initializers(start, place):
                head_end = place
            elif character == "{":
                close = self.closing(place)
                head = without_template(self.code[start:place])
                if is_namespace(head):
                    return place, (place, close), close + 1
                if is_type(head):
                    return place, (place, close), self.code.index(";", close) + 1
                if self.is_body(start, place, head, head_end is not None):
                    return head_end or place, (place, close), close + 1
                place = close
            place += 1
        return end, None, end

    def is_body(self, start, place, head, has_initializers):
        """Whether the brace at `place` opens the body of a function, not an initializer or a requires expression."""
        before = self.code[start:place]
        if has_initializers and re.search(r"[\w>]\s*$", before):
            return False
        is_requirement = re.search(r"\brequires\s*(\([^()]*\))?\s*$", before)
        return has_parameters(head) and not is_requirement and not has_assignment(head)

    def begins_initializers(self, start, place):
        head = without_template(self.code[start:place]).rstrip()
        is_double = "::" in self.code[place - 1 : place + 2]
        return not is_double and head.endswith((")", "noexcept")) and not is_type(head)

    def closing(self, place):
        """The position of the bracket that closes the one at `place`."""
        end = bracket_end(self.code, place)
        if end < 0:
            raise ValueError(f"line {line_at(self.code, place)}: '{self.code[place]}' is not closed")
        return end - 1

    def signature(self, start, end):
        indent = start - (self.code.rfind("\n", 0, start) + 1)
        is_enum = self.code.startswith("enum", start)
        lines = (self.text if is_enum else self.visible)[start:end].split("\n")  # an enum keeps its comments
        lines = [lines[0]] + [line[indent:] if not line[:indent].strip() else line for line in lines[1:]]
        text = "\n".join(line.rstrip() for line in lines if line.strip())
        if is_enum:
            return text
        text = re.sub(r"(?<=\S) +(?=[,)])", "", text.rstrip(" ;") + (";" if text.endswith(";") else ""))
        return re.sub(r"(?<=\S) {2,}", " ", LAMBDA_VALUE.sub("= ...;", text))

    def comment_of(self, start, end):
        last = line_at(self.code, end - 1)
        behind = re.match(r"\s*(//.*)", self.lines[last - 1][end - self.code.rfind("\n", 0, end) - 1 :])
        above = self.comment_above(line_at(self.code, start))
        return "\n".join(filter(None, [above, self.trailing(last, behind[1]) if behind else ""]))

    def trailing(self, line, first):
        """A comment behind a declaration, with the lines below that are aligned to it."""
        column = self.lines[line - 1].index(first)
        found = [first]
        while line < len(self.lines) and re.match(rf" {{{column}}}//", self.lines[line]) and column > 4:
            found.append(self.lines[line].strip())
            line += 1
        return uncommented(found)

    def comment_above(self, line):
        found = self.comment_lines(line, self.column(line))
        return uncommented([text for text in found if not DIRECTION.match(text)])

    def remark_above(self, line):
        """The comment above the declaration's own, with an empty line below it: `// ---- Names ----`."""
        column = self.column(line)
        line -= len(self.comment_lines(line, column))
        if line < 2 or self.lines[line - 2].strip():
            return ""
        return re.sub(r"^-+ | -+$", "", uncommented(self.comment_lines(line - 1, column)))

    def column(self, line):
        return len(self.lines[line - 1]) - len(self.lines[line - 1].lstrip())

    def comment_lines(self, line, column):
        """The lines of the comment directly above a line, which begin in the column."""
        found = []
        for number in range(line - 2, -1, -1):
            if not re.match(rf" {{{column}}}//", self.lines[number]) or self.code_lines[number].strip():
                break
            found.insert(0, self.lines[number].strip())
        return found


def awaited(owner, text):
    """How the function that makes an object awaitable is used: `co_await task_handle`."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", owner.split("<")[0]).lower()
    return f"co_await std::move({name});" if re.search(r"\)[^()]*&&", text) else f"co_await {name};"


def uncommented(lines):
    return "\n".join(re.sub(r"^// ?", "", line) for line in lines)
