# SPDX-License-Identifier: Apache-2.0
"""The frame of every page: top bar, side bar, body, and the links to the page before and after it."""

import re
from html import escape, unescape

TOP = [("Guide", "guide/index.html"), ("API", "api/index.html"), ("Examples", "examples/index.html"),
       ("Architecture", "architecture.html"), ("Decisions", "decisions/index.html"), ("Changelog", "changelog.html")]

FRAME = """<!doctype html>
<html lang="en" data-root="{root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="{root}style.css">
<script defer src="{root}search.js"></script>
</head>
<body>
<header class="top"><a class="name" href="{root}index.html">gyre</a><nav aria-label="sections">{top}</nav>
<div class="search"><input type="search" placeholder="Search  ( / )" aria-label="Search" autocomplete="off"><ol></ol>
</div>
</header>
<div class="frame">
<nav class="side" aria-label="pages"><details open><summary>Menu</summary>
{side}
</details></nav>
<main>
{body}
{walk}
</main>
</div>
</body>
</html>
"""


class Page:
    """`side` is a list of (title, [(text, address, kind)]); addresses are relative to the root of the site."""

    def __init__(self, address, title, body, side=(), before=None, after=None):
        self.address = address
        self.title = title
        self.body = body
        self.side = side
        self.before = before  # (title, address) of the page before it in reading order
        self.after = after

    def html(self):
        root = "../" * self.address.count("/")
        section = self.address.split("/")[0]
        top = "".join(
            f'<a{" class=here" if address.split("/")[0] == section else ""} href="{root}{address}">{text}</a>'
            for text, address in TOP
        )
        walk = [
            f'<a href="{root}{neighbour[1]}"><small>{label}</small>{neighbour[0]}</a>'
            for label, neighbour in (("Previous", self.before), ("Next", self.after))
            if neighbour
        ]
        title = "gyre" if self.title == "gyre" else f"{self.title} · gyre"
        return FRAME.format(
            root=root,
            title=escape(title),
            top=top,
            side="\n".join(self.side_part(root, *part) for part in self.side),
            body=self.body,
            walk=f'<nav class="walk" aria-label="reading order">{"".join(walk)}</nav>' if walk else "",
        )

    def side_part(self, root, title, links):
        items = "\n".join(
            f'<li{f" class={kind}" if kind else ""}><a{" class=here" if address == self.address else ""} '
            f'href="{address if address.startswith("#") else root + address}">{text}</a></li>'
            for text, address, kind in links
        )
        return f"<h2>{title}</h2>\n<ul>\n{items}\n</ul>"


def plain(html):
    """The text of HTML, for the search index."""
    return " ".join(unescape(re.sub(r'<a class="(?:anchor|source)".*?</a>|<[^>]+>', " ", html)).split())


def listing(code):
    """Numbered lines, each with an anchor, from highlighted code."""
    lines = code.rstrip("\n").split("\n")
    numbered = "".join(f'<span id="L{number}">{line}</span>' for number, line in enumerate(lines, 1))
    return f'<pre class="listing">{numbered}</pre>'
