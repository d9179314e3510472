# SPDX-License-Identifier: Apache-2.0
"""The page of a public header: its head comment as the manual, then its declarations by class and by function."""

import re
from html import escape

from api_header import split_lead
from highlight import highlight
from names import link_words
from page import Page
from prose import Prose

# Not for a reader: nearly every function that returns something is nodiscard.
CODE_NOISE = re.compile(r"\bGYRE_ALWAYS_INLINE\s+|^\[\[nodiscard\]\]\s+(?:inline\s+)?|^inline\s+", re.MULTILINE)


class HeaderView:
    """A header as HTML."""

    def __init__(self, header, names, tree):
        self.header = header
        self.scope = header.scope(names, tree)
        self.up = self.scope.up
        self.around = ""  # the declarations that a comment belongs to
        words = link_words(self.scope, self.span_link)
        self.prose = Prose(span=self.span_link, code_link=self.scope.in_code, word=words)

    def span_link(self, text):
        """A parameter of the declaration is no link, though something else may have its name."""
        is_parameter = text.isidentifier() and re.search(rf"\b{text}\b", self.around)
        return None if is_parameter else self.scope.in_span(text)

    def page(self, side, uses, summaries):
        """`uses` are (title, address) of pages about it, `summaries` the first sentences of all public headers."""
        header = self.header
        body = [f"<h1>{escape(header.title)}</h1>", self.facts()]
        lead, _, rest = header.head[header.lead :].partition("\n\n")
        first, last = split_lead(lead)
        body.append(f'<p class="lead">{self.prose.inline(first[:1].upper() + first[1:])}</p>')
        body.append(self.prose.comment("\n\n".join(filter(None, [last, rest]))))
        body.append(self.used_in(uses))
        body.append(self.contents())
        for title, sections in header.sections.items():
            if sections:
                body.append(f'<h2 id="{title.lower().replace(" ", "-")}">{title}</h2>')
                body += [self.section(section) for section in sections]
        if not header.all_sections():
            body.append(self.included(summaries))
        return Page(header.address, header.title, "\n".join(filter(None, body)), side)

    def facts(self):
        header = self.header
        target = "vela" if header.path.startswith("lang/") else header.module.name if header.module else "gyre"
        return (
            f'<p class="facts"><code class="fact">#include &lt;{header.path}&gt;</code> '
            f'<span class="fact">target <code>gyre::{target}</code></span> '
            f'<a href="{self.up}{header.source}">source</a></p>'
        )

    def used_in(self, uses):
        if not uses:
            return ""
        links = ", ".join(f'<a href="{self.up}{address}">{title}</a>' for title, address in uses)
        return f'<p class="facts">Used in {links}</p>'

    def contents(self):
        sections = self.header.all_sections()
        if len(sections) < 3:
            return ""
        items = "".join(
            f'<li><a href="#{section.ident}">{escape(section.title)}</a> <small>{section.declaration.kind}</small></li>'
            for section in sections
        )
        return f'<ul class="contents">{items}</ul>'

    def included(self, summaries):
        """Of a header that only includes others."""
        rows = [f"| `{path}` | {summaries[path]} |" for _, path in self.header.file.includes if path in summaries]
        return '<h2 id="headers">Headers</h2>\n' + self.prose.blocks(["| header | what |", "| --- | --- |", *rows])

    def source_link(self, line):
        return f'<a class="source" href="{self.up}{self.header.source}#L{line}">source</a>'

    def section(self, section):
        declaration = section.declaration
        title = escape(section.title) + ("()" if section.is_function else "")
        kind = f"<small>{declaration.kind}</small>"
        parts = [f"<h3><span>{title}</span> {kind}{self.source_link(declaration.line)}</h3>"]
        if not section.is_function:
            parts.append(f"<pre>{self.code(declaration, section)}</pre>")
            parts.append(self.doc(declaration.comment, declaration.text))
        if declaration.is_type and declaration.is_uncopyable:
            parts.append('<p class="facts">Not copyable, not movable.</p>')
        if declaration.serves_compiler and not section.groups:
            parts.append('<p class="facts">Its functions serve co_await or the coroutine, not the caller.</p>')
        access_before = "public"
        for group in section.groups:
            first = group[0][1]
            if first.access != access_before:
                parts.append(f'<p class="group">{first.access}</p>')
                access_before = first.access
            parts.append(f'<p class="remark">{self.prose.inline(first.remark)}</p>' if first.remark else "")
            parts.append(self.group(group, section))
        return f'<section class="entity" id="{section.ident}">\n' + "\n".join(filter(None, parts)) + "\n</section>"

    def group(self, group, section):
        code = "\n".join(
            f'<span class="declaration" id="{ident}">{self.code(member, section)}</span>' for ident, member in group
        )
        comment = "\n".join(filter(None, (member.comment for _, member in group)))
        around = "\n".join(member.text for _, member in group)
        source = self.source_link(group[0][1].line) if not section.is_function else ""
        return f'<div class="member"><pre>{code}</pre>{source}{self.doc(comment, around)}</div>'

    def code(self, declaration, section):
        own = f"{self.up}{self.header.address}#{section.ident}"
        link = lambda *word: None if (address := self.scope.in_code(*word)) == own else address
        name = declaration.name.split("<")[0] if declaration.kind != "enum" else None
        return highlight(CODE_NOISE.sub("", declaration.text), "cpp", link, name)

    def doc(self, comment, around):
        self.around = around
        html = f'<div class="doc">{self.prose.comment(comment)}</div>' if comment else ""
        self.around = ""
        return html
