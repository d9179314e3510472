# SPDX-License-Identifier: Apache-2.0
"""Which page of the site shows which file of the tree."""

import posixpath
import re

FIXED = {
    "README.md": "index.html",
    "CHANGELOG.md": "changelog.html",
    "docs/ARCHITECTURE.md": "architecture.html",
    "docs/headers.md": "api/index.html",
    "docs/guide/README.md": "guide/index.html",
    "docs/guide": "guide/index.html",
    "docs/decisions": "decisions/index.html",
    "examples": "examples/index.html",
}


class SiteMap:
    """Files without a page of their own get one with their source when something links to them."""

    def __init__(self, files):
        self.files = {file.path: file for file in files}
        self.sources = set()  # paths whose source pages are linked

    def address(self, path):
        """The page of a file or folder of the tree; None if the tree does not have it."""
        path = path.rstrip("/")
        if path in FIXED:
            return FIXED[path]
        file = self.files.get(path)
        if file is None:
            return None
        if file.is_public:
            return f"api/{path.removesuffix('.hpp')}.html"
        if match := re.fullmatch(r"docs/(guide|decisions)/(.+)\.md", path):
            return f"{match[1]}/{match[2]}.html"
        if match := re.fullmatch(r"docs/([\w-]+)\.md", path):
            return f"reference/{match[1].lower()}.html"
        if match := re.fullmatch(r"examples/(\w+)\.cpp", path):
            return f"examples/{match[1]}.html"
        return self.source(path)

    def source(self, path):
        self.sources.add(path)
        return f"source/{path}.html"

    def of_span(self, text, page):
        """The link of a code span that names a file or a folder, from a page; None if it names none."""
        if "/" not in text and text not in ("README.md", "CHANGELOG.md", "LICENSE"):
            return None
        address = self.address(text)
        return relative(address, page) if address else None

    def of_link(self, target, path, page):
        """The address of a link in the Markdown file `path`, from its page. An unknown file stays as it is written:
        the link checker reports it."""
        if re.match(r"[a-z]+:|#", target):
            return target
        file, mark, anchor = target.partition("#")
        address = self.address(posixpath.normpath(posixpath.join(posixpath.dirname(path), file)))
        return relative(address, page) + mark + anchor if address else target


def relative(address, page):
    return posixpath.relpath(address, posixpath.dirname(page) or ".")
