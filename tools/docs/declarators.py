# SPDX-License-Identifier: Apache-2.0
"""What the head of a C++ declaration declares. A head is the code before a body or the semicolon, with comments and
strings blanked."""

import re

CLOSING = {"(": r"\)", "[": r"\]", "{": r"\}", "<": "(?<!-)>"}
ATTRIBUTE = re.compile(r"\[\[.*?\]\]\s*|alignas\([^()]*\)\s*", re.DOTALL)
TYPE = re.compile(r"(?:friend\s+)?(class|struct|union|enum)\b(?:\s+class\b)?\s*([\w:]+(?:<.*?>(?=\s|$))?)?", re.DOTALL)
NO_DECLARATION = re.compile(r"(static_assert|extern\s+template|template|namespace)\b|using\s+namespace\b")
OPERATOR = re.compile(r"\boperator\s*(\(\)|\[\]|(?:new|delete)\[\]|\"\"\s*\w+|[^\s\w(]+|[\w:<>*& ]+?)\s*\(")
SPECIFIER_CALL = re.compile(r"\b(decltype|explicit|noexcept)\s*\([^()]*(\([^()]*\)[^()]*)*\)")
VARIABLE = re.compile(r".*?(\w+)\s*(?:\[[^\]]*\]\s*)?(?:=|\{|:(?!:)|$)", re.DOTALL)
ASSIGNMENT = re.compile(r"(?<![=<>!+\-*/&|^%])=(?!=)")
REQUIREMENT = re.compile(r"\s*!?\s*(?:requires\b)?\s*[\w:]*")
OPENING = re.compile(r"[<(]|\s*\{")
NOTHING = (None, "")


def bracket_end(text, start):
    """The position behind the bracket that closes the one at `start`; -1 if none does."""
    opening, closing = text[start], CLOSING[text[start]]
    depth = 0
    for match in re.compile(rf"\{opening}|{closing}").finditer(text, start):
        depth += 1 if match[0] == opening else -1
        if depth == 0:
            return match.end()
    return -1


def without_template(head):
    """The declaration behind `template <...>` and its requires clause."""
    head = head.lstrip()
    while re.match(r"template\s*<", head):
        end = bracket_end(head, head.index("<"))
        head = head[end:].lstrip() if end > 0 else ""
        if re.match(r"requires\b", head):
            head = head[requirement_end(head) :].lstrip()
    return head


def requirement_end(head):
    """Behind a requires clause: names with arguments, parentheses and requires expressions, joined by && and ||."""
    place = len("requires")
    while True:
        place = REQUIREMENT.match(head, place).end()
        while opening := OPENING.match(head, place):
            end = bracket_end(head, opening.end() - 1)
            if end < 0:
                return len(head)
            place = re.compile(r"(?:::\w+)*").match(head, end).end()
        joined = re.compile(r"\s*(?:&&|\|\|)").match(head, place)
        if not joined:
            return place
        place = joined.end()


def without_parentheses(text):
    while (shorter := re.sub(r"\([^()]*\)", "", text)) != text:
        text = shorter
    return text


def is_namespace(head):
    return bool(re.match(r"(inline\s+)?namespace\b", head))


def is_type(head):
    plain = ATTRIBUTE.sub("", head)
    return bool(TYPE.match(plain)) and "(" not in re.sub(r"<[^<>]*>", "", plain).split(":")[0]


def is_anonymous(head):
    return is_type(head) and not TYPE.match(ATTRIBUTE.sub("", head))[2]


def has_parameters(head):
    return "(" in ATTRIBUTE.sub("", head)


def has_assignment(head):
    """Whether a value is assigned, outside of the parameters."""
    return bool(ASSIGNMENT.search(without_parentheses(re.sub(r"operator\s*[^\s\w(]+\s*(?=\()", "", head))))


def kind_and_name(head, is_full_specialization):
    """The kind and the name of a declaration; (None, "") if it is not shown: a definition of a member outside of its
    class, a full specialization, a friend class."""
    plain = ATTRIBUTE.sub("", head).strip()
    if NO_DECLARATION.match(plain):
        return NOTHING
    if is_type(plain):
        kind, name = TYPE.match(plain).groups()
        is_hidden = plain.startswith("friend") or not name or is_full_specialization
        return NOTHING if is_hidden else (kind, name)
    using = re.match(r"(using|concept)\s+([\w:]+)", plain)
    if using:
        return using[1], using[2].split("::")[-1]
    operator = OPERATOR.search(plain)
    if operator:
        name = "operator" + (" " if operator[1][0].isalpha() else "") + operator[1]
        return NOTHING if re.search(r"\w>?::\s*operator", plain[: operator.end()]) else ("function", name)
    function = function_name(plain)
    if function:
        return NOTHING if "::" in function else ("function", function)
    variable = VARIABLE.match(re.sub(r"<[^<>]*>", "", plain))
    return ("variable", variable[1]) if variable and " " in plain and not plain.startswith("friend") else NOTHING


def function_name(plain):
    """The word before the first parenthesis outside of `<...>`; None for a variable."""
    plain = SPECIFIER_CALL.sub("", plain)
    depth = 0
    for match in re.finditer(r"<|(?<!-)>|=|\(", plain):
        if match[0] in "<>":
            depth += 1 if match[0] == "<" else -1
        elif depth == 0:
            name = re.search(r"((?:\w+(?:<[^()]*>)?::)*~?\w+)\s*$", plain[: match.start()])
            return name[1] if name and match[0] == "(" else None
    return None


def without_hidden_bases(text, kind):
    """The head of a class without the bases that are not public."""
    match = re.match(r"(.*?[^:]):(?!:)\s*(.*)", text, re.DOTALL)
    if not match:
        return text
    bases, depth = [""], 0
    for character in match[2]:
        depth += {"<": 1, ">": -1}.get(character, 0)
        if character == "," and depth == 0:
            bases.append("")
        else:
            bases[-1] += character
    bases = [base.strip() for base in bases]
    shown = [base for base in bases if base.startswith("public ") or (kind == "struct" and "private" not in base)]
    return match[1].rstrip() + (" : " + ", ".join(shown) if shown else "")
