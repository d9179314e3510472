# SPDX-License-Identifier: Apache-2.0
"""Builds the site: a dict from address to the text of a file."""

import functools
import json
import re
from html import escape
from pathlib import Path

from api_header import Header, search_entries
from api_page import HeaderView
from header_reader import uncommented
from highlight import LANGUAGE_OF_ENDING, highlight
from names import Names, Scope
from page import Page, listing, plain
from prose import Prose
from site_map import SiteMap, relative
from tree_files import module_of, read_modules

HERE = Path(__file__).resolve().parent
ASSETS = ("style.css", "search.js")
USES_MAX = 6  # pages named at a header as its users
SEARCH_TEXT_MAX = 1500
DECISIONS_HEAD = """<h1 id="decisions">Decisions</h1>
<p>Why gyre is made this way: the context of each decision, what was given up, and how we would know that it was
wrong.</p>
"""
EXAMPLES_HEAD = """<h1 id="examples">Examples</h1>
<p>Short programs, in reading order. A test compares what each prints with its head.</p>
"""


class Site:
    def __init__(self, files):
        self.map = SiteMap(files)
        self.files = self.map.files
        self.modules = read_modules(files)
        self.names = Names()
        self.headers = [Header(file, module_of(file.path, self.modules)) for file in files if file.is_public]
        for header in self.headers:
            header.register(self.names)
        self.pages = {}
        self.index = []  # (title, kind, address, text)
        self.uses = {}  # the address of a header's page to [(title, address)] of pages that link to it

    def build(self):
        guide = self.reading_order()
        self.markdown("README.md", "page", self.general_side)
        self.chapters(guide, "guide", "The guide")
        self.examples()
        self.markdown("docs/ARCHITECTURE.md", "page", self.general_side)
        self.markdown("CHANGELOG.md", "page", self.general_side)
        for path in self.notes():
            self.markdown(path, "reference", self.general_side)
        self.decisions()
        self.api()
        self.source_pages()
        index = json.dumps(self.index, ensure_ascii=False, separators=(",", ":"))
        self.pages["search-index.js"] = f"window.searchIndex = {index};\n"
        for name in ASSETS:
            self.pages[name] = (HERE / name).read_text(encoding="utf-8")
        return self.pages

    def paths(self, pattern):
        return sorted(path for path in self.files if re.fullmatch(pattern, path))

    def title_of(self, path):
        match = re.search(r"^# (.+)$", self.files[path].text, re.MULTILINE)
        return match[1].strip() if match else path

    def reading_order(self):
        """The pages of the guide as its README lists them."""
        text = self.files["docs/guide/README.md"].text if "docs/guide/README.md" in self.files else ""
        listed = ["docs/guide/" + name for name in re.findall(r"\]\(([\w-]+\.md)\)", text)]
        rest = [path for path in self.paths(r"docs/guide/.+\.md") if not path.endswith("/README.md")]
        return [path for path in dict.fromkeys(listed + rest) if path in self.files]

    def notes(self):
        return [path for path in self.paths(r"docs/[\w-]+\.md") if self.map.address(path).startswith("reference/")]

    @functools.cached_property
    def general_side(self):
        documents = ["README.md", "docs/guide/README.md", "docs/headers.md", "docs/ARCHITECTURE.md", "CHANGELOG.md"]
        links = [(escape(self.title_of(path)), self.map.address(path), "") for path in documents if path in self.files]
        notes = [(escape(self.title_of(path)), self.map.address(path), "") for path in self.notes()]
        lists = [("Examples", "examples/index.html", ""), ("Decisions", "decisions/index.html", "")]
        return [("Documents", links + lists), ("Notes", notes)]

    def add(self, page, kind=None):
        self.pages[page.address] = page.html()
        if kind:
            self.add_to_index(page, kind)

    def add_to_index(self, page, kind):
        """An entry for each section of a page, with its text."""
        parts = re.split(r'<h[1-3] id="([^"]+)">(.*?)</h[1-3]>', page.body)
        for ident, title, text in zip(parts[1::3], parts[2::3], parts[3::3]):
            heading = plain(title)
            shown = heading if heading == page.title else f"{page.title}: {heading}"
            self.index.append((shown, kind, f"{page.address}#{ident}", plain(text)[:SEARCH_TEXT_MAX]))

    def prose(self, path, address, title):
        """The converter for a page; it notes which headers the page links to."""
        # A page about Vela means the names of Vela.
        is_vela = "```vela" in self.files[path].text
        scope = Scope(Names() if is_vela else self.names, self.map, address)
        is_lesson = address.startswith(("guide/", "examples/")) and not address.endswith("/index.html")

        def noted(target):
            if target and "api/" in target and is_lesson:
                users = self.uses.setdefault(target[target.index("api/") :].split("#")[0], [])
                if (title, address) not in users:
                    users.append((title, address))
            return target

        return Prose(
            link=lambda target: self.map.of_link(target, path, address),
            span=lambda text: noted(scope.in_span(text)),
            code_link=lambda *word: noted(scope.in_code(*word)),
        )

    def markdown(self, path, kind, side, before=None, after=None):
        if path not in self.files:
            return
        address = self.map.address(path)
        title = self.title_of(path)
        prose = self.prose(path, address, escape(title))
        body = prose.markdown(self.files[path].text)
        inner = [(text, "#" + ident, "inner") for level, ident, text in prose.headings if level == 2]
        own_side = [
            (name, [row for link in links for row in ([link, *inner] if link[1] == address else [link])])
            for name, links in side
        ]
        self.add(Page(address, title, body, own_side, before, after), kind)

    def chapters(self, paths, kind, name):
        """Pages in reading order, each with links to its neighbours."""
        first = "docs/guide/README.md"
        order = [path for path in [first, *paths] if path in self.files]
        links = [(escape(self.title_of(path)), self.map.address(path), "") for path in order]
        for place, path in enumerate(order):
            before = links[place - 1][:2] if place > 0 else None
            after = links[place + 1][:2] if place + 1 < len(links) else None
            self.markdown(path, kind, [(name, links)], before, after)

    def decisions(self):
        paths = self.paths(r"docs/decisions/.+\.md")
        links = [(escape(self.title_of(path)), self.map.address(path), "") for path in paths]
        for place, path in enumerate(paths):
            before = links[place - 1][:2] if place > 0 else None
            after = links[place + 1][:2] if place + 1 < len(links) else None
            self.markdown(path, "decision", [("Decisions", links)], before, after)
        index = "decisions/index.html"
        rows = [f'<li><a href="{relative(address, index)}">{title}</a></li>' for title, address, _ in links]
        body = DECISIONS_HEAD + '<ul class="plain">\n' + "\n".join(rows) + "\n</ul>"
        self.add(Page(index, "Decisions", body, [("Decisions", links)]))

    def examples(self):
        paths = self.paths(r"examples/\w+\.cpp")
        links = [(Path(path).stem, self.map.address(path), "") for path in paths]
        rows = []
        for place, path in enumerate(paths):
            head = re.match(r"(?://[^\n]*\n)*", self.files[path].text)[0]
            about = uncommented(head.strip().split("\n")[1:])
            address, name = self.map.address(path), Path(path).stem
            prose = self.prose(path, address, name)
            # The marks of the regions that the guide shows say nothing here.
            code = re.sub(r"^// \[/?\w+\]\n", "", self.files[path].text[len(head) :].lstrip("\n"), flags=re.MULTILINE)
            source = relative(self.map.source(path), address)
            body = f'<h1 id="{name}">{name}</h1>\n{prose.comment(about)}\n{prose.code(code.rstrip(), "cpp")}\n' \
                   f'<p class="facts"><a href="{source}">{path}</a></p>'
            neighbours = [links[near][:2] if 0 <= near < len(links) else None for near in (place - 1, place + 1)]
            self.add(Page(address, name, body, [("Examples", links)], *neighbours), "example")
            first = prose.inline(" ".join(about.split("\n\n")[0].split("\n")))
            rows.append(f'<tr><td><a href="{name}.html">{name}</a></td><td>{first}</td></tr>')
        body = EXAMPLES_HEAD + '<table class="pairs"><tbody>\n' + "\n".join(rows) + "\n</tbody></table>"
        self.add(Page("examples/index.html", "Examples", body, [("Examples", links)]))

    def api(self):
        modules = {}
        for header in self.headers:
            modules.setdefault(header.module.folder if header.module else "gyre", []).append(header)
        anchors = [(folder, f"api/index.html#{re.sub(r'[^a-z0-9_-]', '', folder)}", "") for folder in sorted(modules)]
        self.markdown("docs/headers.md", None, [("Modules", anchors)])
        summaries = {header.path: header.summary for header in self.headers}
        for folder, headers in modules.items():
            own = [(escape(header.title), header.address, "") for header in headers]
            for header in headers:
                side = [(folder, own), ("Modules", anchors)]
                uses = self.uses.get(header.address, [])[:USES_MAX]
                self.add(HeaderView(header, self.names, self.map).page(side, uses, summaries))
                self.map.source(header.path)
                self.index += search_entries(header)

    def source_pages(self):
        for path in sorted(self.map.sources):
            address = self.map.source(path)
            scope = Scope(self.names, self.map, address)
            language = LANGUAGE_OF_ENDING.get(path.rsplit(".", 1)[-1], "")
            code = highlight(self.files[path].text, language, lambda word, *_: scope.type(word))
            body = f"<h1>{escape(path)}</h1>\n{self.back_link(path, address)}{listing(code)}"
            self.add(Page(address, path, body, self.general_side))

    def back_link(self, path, address):
        """From the source of a header or an example to its page."""
        page = self.map.address(path)
        return f'<p class="facts"><a href="{relative(page, address)}">its page</a></p>\n' if page != address else ""
