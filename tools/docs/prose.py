# SPDX-License-Identifier: Apache-2.0
"""Markdown, and the text of comments, as HTML. Covers what the pages of this tree use: headings, paragraphs, lists,
tables, fenced code, quotes, links, code spans, emphasis."""

import re
from html import escape

from highlight import highlight

INLINE = re.compile(
    r"(?P<escape>\\[\\`*_<>|#\[\]])|(?P<ticks>`+)(?P<code>.+?)(?P=ticks)"
    r"|!?\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<to>[^()\s]+)\)"
    r"|\*\*(?P<strong>.+?)\*\*|(?<![\w*])\*(?P<em>[^*\s][^*]*)\*(?!\w)|<(?P<auto>https?://[^>\s]+)>",
    re.DOTALL,
)
ITEM = re.compile(r"( {0,3})([-*]|\d+\.)( +)")
FENCE = re.compile(r"( {0,3})```\s*(\S*)")
LABEL = re.compile(r"(Thread|Threads|Lifetime|Cancel|Errors|Cost|Costs|Order|Memory): ")


def anchor_of(title, taken):
    """The anchor that GitHub gives to a heading; `taken` counts repetitions."""
    plain = re.sub(r"[`*]|\\(?=\W)|\]\([^)]*\)|\[", "", title)
    anchor = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
    count = taken.get(anchor, 0)
    taken[anchor] = count + 1
    return f"{anchor}-{count}" if count else anchor


class Prose:
    """`link` gives the address for the target of a link; `span` that of a code span, or None; `code_link` that of a
    word in C++ code."""

    def __init__(self, link=lambda to: to, span=lambda text: None, code_link=lambda *_: None, word=None):
        self.link = link
        self.span = span
        self.code_link = code_link
        self.word = word
        self.taken = {}
        self.headings = []  # (level, anchor, title as HTML)

    def inline(self, text):
        parts = []
        place = 0
        for match in INLINE.finditer(text):
            parts += [self.plain(text[place : match.start()]), self.element(match)]
            place = match.end()
        return "".join([*parts, self.plain(text[place:])])

    def plain(self, text):
        return self.word(text) if self.word else escape(text, quote=False)

    def element(self, match):
        if match["escape"]:
            return escape(match["escape"][1], quote=False)
        if match["code"]:
            code = " ".join(match["code"].split())
            address = self.span(code)
            html = f"<code>{escape(code, quote=False)}</code>"
            return f'<a href="{address}">{html}</a>' if address else html
        if match["to"]:
            address = escape(self.link(match["to"]))
            # A link inside a link is no HTML: the text of this one has none of its own.
            return f'<a href="{address}">{Prose().inline(match["text"])}</a>'
        if match["auto"]:
            return f'<a href="{escape(match["auto"])}">{escape(match["auto"])}</a>'
        tag = "strong" if match["strong"] else "em"
        return f"<{tag}>{self.inline(match[tag])}</{tag}>"

    def code(self, text, language):
        html = highlight(text, language, self.code_link)
        return f'<pre class="code"><code>{html}</code></pre>'

    def markdown(self, text):
        return self.blocks(text.split("\n"))

    def blocks(self, lines):
        html = []
        place = 0
        while place < len(lines):
            line = lines[place]
            if not line.strip():
                place += 1
                continue
            for starts, convert in (
                (FENCE.match(line), self.fence),
                (re.match(r"#{1,6} ", line), self.heading),
                (line.startswith("|"), self.table),
                (ITEM.match(line), self.list),
                (line.startswith(">"), self.quote),
                (True, self.paragraph),
            ):
                if starts:
                    part, place = convert(lines, place)
                    html.append(part)
                    break
        return "\n".join(html)

    def fence(self, lines, place):
        indent, language = FENCE.match(lines[place]).groups()
        end = place + 1
        while end < len(lines) and not lines[end].startswith(indent + "```"):
            end += 1
        body = "\n".join(line[len(indent) :] for line in lines[place + 1 : end])
        return self.code(body, language), end + 1

    def heading(self, lines, place):
        marks, title = lines[place].split(" ", 1)
        anchor = anchor_of(title.strip(), self.taken)
        level = len(marks)
        html = self.inline(title.strip())
        self.headings.append((level, anchor, re.sub(r"</?a\b[^>]*>", "", html)))
        mark = f'<a class="anchor" href="#{anchor}" aria-label="link to this section">#</a>'
        return f'<h{level} id="{anchor}">{html} {mark}</h{level}>', place + 1

    def table(self, lines, place):
        rows = []
        while place < len(lines) and lines[place].startswith("|"):
            cells = re.split(r"(?<!\\)\|", lines[place].strip()[1:].rstrip("|"))
            rows.append([self.inline(cell.strip()) for cell in cells])
            place += 1
        head = "".join(f"<th>{cell}</th>" for cell in rows[0])
        body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows[2:])
        kind = ' class="pairs"' if len(rows[0]) == 2 else ""
        html = f"<table{kind}><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>"
        return f'<div class="wide">{html}</div>', place

    def list(self, lines, place):
        tag = "ol" if ITEM.match(lines[place])[2][0].isdigit() else "ul"
        items = []
        while place < len(lines) and (match := ITEM.match(lines[place])):
            if (match[2][0].isdigit()) != (tag == "ol"):
                break
            inside = len(match[0])
            item = [lines[place][inside:]]
            place += 1
            while is_inside(lines, place, inside):
                item.append(lines[place][inside:])
                place += 1
            if place + 1 < len(lines) and not lines[place].strip() and ITEM.match(lines[place + 1]):
                place += 1  # an empty line between two items
            html = re.sub(r"^<p>(.*?)</p>", r"\g<1>", self.blocks(item), count=1, flags=re.DOTALL)
            items.append(f"<li>{html}</li>")
        return f"<{tag}>\n" + "\n".join(items) + f"\n</{tag}>", place

    def quote(self, lines, place):
        body = []
        while place < len(lines) and lines[place].startswith(">"):
            body.append(re.sub(r"^> ?", "", lines[place]))
            place += 1
        return f"<blockquote>{self.blocks(body)}</blockquote>", place

    def paragraph(self, lines, place):
        words = []
        while place < len(lines) and lines[place].strip() and not begins_block(lines[place], bool(words)):
            words.append(lines[place].strip())
            place += 1
        return f"<p>{self.inline(chr(10).join(words))}</p>", place

    def comment(self, text):
        """The text of a comment: paragraphs, `Label: ...` rows, and indented lines as they stand."""
        html = []
        rows = []
        lines = text.split("\n")
        place = 0
        while place < len(lines):
            start = place
            is_code = lines[place].startswith("  ")
            while place < len(lines) and lines[place].strip() and lines[place].startswith("  ") == is_code and not (
                place > start and (LABEL.match(lines[place]) or ITEM.match(lines[place]))
            ):
                place += 1
            if is_code:
                place, block = self.indented(lines, start)
                html += [*self.flush(rows), block]
            elif place > start:
                label = LABEL.match(lines[start])
                body = self.inline("\n".join(lines[start:place])[label.end() if label else 0 :])
                if label:
                    rows.append((label[1], body))
                elif ITEM.match(lines[start]):
                    html += [*self.flush(rows), self.blocks(lines[start:place])]
                else:
                    html += [*self.flush(rows), f"<p>{body}</p>"]
            else:
                place += 1
        return "\n".join(html + self.flush(rows))

    def indented(self, lines, start):
        """The block of lines from `start` that are indented: by four it is code, or a command with what it prints
        (`$ ...`); else a drawing or a table."""
        place = start
        while is_inside(lines, place, 2):
            place += 1
        indent = min(len(line) - len(line.lstrip()) for line in lines[start:place] if line.strip())
        text = "\n".join(line[indent:] for line in lines[start:place])
        if indent >= 4:
            return place, self.code(text, "" if text.startswith("$") else "cpp")
        return place, f'<pre class="drawing">{escape(text, quote=False)}</pre>'

    def flush(self, rows):
        if not rows:
            return []
        html = "".join(f"<dt>{label}</dt><dd>{body}</dd>" for label, body in rows)
        rows.clear()
        return [f'<dl class="rules">{html}</dl>']


def is_inside(lines, place, indent):
    """Whether a line belongs to an indented block: it is indented too, or it is empty and the next line is."""
    if place < len(lines) and not lines[place].strip():
        place += 1
    return place < len(lines) and bool(lines[place].strip()) and not lines[place][:indent].strip()


def begins_block(line, inside):
    return inside and bool(FENCE.match(line) or re.match(r"#{1,6} ", line) or line.startswith("|") or ITEM.match(line))
