# SPDX-License-Identifier: Apache-2.0
"""Code as HTML with coloured tokens. Names that `link` knows become links."""

import re
from html import escape

CPP_KEYWORDS = """alignas alignof auto bool break case catch char class concept const consteval constexpr continue
co_await co_return co_yield decltype default delete do double else enum explicit extern false final float for friend
goto if inline int long mutable namespace new noexcept nullptr operator override private protected public requires
return short signed sizeof static static_assert static_cast reinterpret_cast struct switch template this thread_local
throw true try typename union unsigned using virtual void volatile while"""
# GYRE_VELA_KEYWORDS of lang/vela/syntax/detail/token.hpp, and the contextual words.
VELA_KEYWORDS = """fn async await return if else match struct enum class interface import public private protected
abstract extends implements override constructor this true false try catch finally throw for in while break continue
yield let static state void"""

CPP = re.compile(
    r"(?P<c>//[^\n]*|/\*.*?\*/)"
    r'|(?P<s>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<!\w)'(?:\\.|[^'\\\n])+'|(?<=#include )<[^>\n]+>)"
    r"|(?P<p>^[ \t]*#[ \t]*\w+)|(?P<a>\[\[.*?\]\])|(?P<n>\b\d[\w']*(?:\.\d\w*)?)"
    r"|(?P<w>(?:\w+(?:<[^<>()\n]*>)?::)*~?[A-Za-z_]\w*)",
    re.DOTALL | re.MULTILINE,
)
VELA = re.compile(r'(?P<c>(?://|#)[^\n]*)|(?P<s>"(?:\\.|[^"\\\n])*")|(?P<n>\b\d[\w.]*)|(?P<w>[A-Za-z_]\w*)')
SHELL = re.compile(r"(?P<c>(?:^|(?<=\s))#[^\n]*)|(?P<s>\"[^\"\n]*\"|'[^'\n]*')", re.MULTILINE)
LANGUAGES = {
    "cpp": (CPP, set(CPP_KEYWORDS.split())),
    "vela": (VELA, set(VELA_KEYWORDS.split())),
    "sh": (SHELL, set()),
    "cmake": (SHELL, set()),
    "python": (SHELL, set()),
}
DECLARATOR = re.compile(r"\s*(?:[(;={:\[]|$)")
CLASSES = {"c": "comment", "s": "string", "p": "directive", "a": "attribute", "n": "number"}
LANGUAGE_OF_ENDING = {"cpp": "cpp", "hpp": "cpp", "py": "python", "sh": "sh", "txt": "cmake", "vela": "vela"}


CONTEXT = 80  # characters before a word that its link depends on


def no_link(_word, _before, _after):
    return None


def highlight(text, language="cpp", link=no_link, declared=None):
    """`link(word, text before, next character)` gives an address or None; it is asked for words, and for the files of
    #include lines. The word `declared` is bold where it is declared. No element crosses a line."""
    if language not in LANGUAGES:
        return escape(text, quote=False)
    pattern, keywords = LANGUAGES[language]
    parts = []
    place = 0
    for match in pattern.finditer(text):
        parts.append(escape(text[place : match.start()], quote=False))
        if match[0] == declared and DECLARATOR.match(text, match.end()):
            parts.append(f"<b>{declared}</b>")
            declared = None
        else:
            parts.append(token(match, text, keywords, link))
        place = match.end()
    parts.append(escape(text[place:], quote=False))
    return "".join(parts)


def token(match, text, keywords, link):
    word, kind = match[0], match.lastgroup
    if kind == "w" and word in keywords:
        return span("keyword", word)
    before = text[max(0, match.start() - CONTEXT) : match.start()]
    is_file = kind == "s" and before.endswith("include ")
    address = link(word, before, text[match.end() : match.end() + 1]) if kind == "w" or is_file else None
    html = "\n".join(span(CLASSES.get(kind), line) for line in word.split("\n"))
    return f'<a href="{address}">{html}</a>' if address else html


def span(kind, text):
    html = escape(text, quote=False)
    return f'<span class="{kind}">{html}</span>' if kind and text.strip() else html
