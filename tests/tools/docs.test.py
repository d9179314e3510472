# SPDX-License-Identifier: Apache-2.0
"""The site of ./dev docs: what it reads from headers and Markdown, that every public declaration has its place, and
that a planted broken link is found."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

from scratch import REPOSITORY, ToolTest

sys.path[:0] = [str(REPOSITORY / "tools"), str(REPOSITORY / "tools/docs")]
from api_header import Header
from header_reader import PROTOCOL, read_header
from links import broken_site_links
from prose import Prose, anchor_of
from site_builder import Site
from tree_files import read_tree

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = SPDX + """// Bell: rings. It is loud; see Tower.
//
//     Bell bell;
//     bell.ring();
//
// Thread: any.
// Lifetime: outlives its ringers.
#pragma once

namespace gyre {

class Tower;

// How a bell rings, see `Bell`.
struct BellOptions {
    int loudness = 1;  // from 1 to 9,
                       // or 11
    union {
        int bits;
    };
};

class Bell : public Tower, private Rope {
public:
    explicit Bell(BellOptions options = {}) noexcept
        : options_{options}, count_(0) {}
    Bell(const Bell&) = delete;
    Bell& operator=(const Bell&) = delete;
    ~Bell();
    // Rings `count` times.
    void ring(int count);
    void ring(std::string_view name = ")");
    [[nodiscard]] auto await_in(PromiseBase& by) && noexcept { return Wait{by}; }

    // ---- Others ----

    [[nodiscard]] bool operator==(const Bell& other) const { return count_ == other.count_; }
    template <class F>
        requires std::invocable<F&> && (sizeof(F) < 64)
    void on_ring(F function) {
        call(function);
    }
    bool await_ready() const;

protected:
    virtual void rest() {}

private:
    void swing();
    BellOptions options_;
    int count_ = 0;
};

inline void Bell::ring(int count) {
    count_ += count;
}

// The loudest.
Bell make_bell();

namespace detail {
class Clapper {};
}

}  // namespace gyre

// Rings where it stands.
#define GYRE_RING(bell) (bell).ring()
"""
TREE = {
    "README.md": "# gyre\n\nSee [the guide](docs/guide/README.md).\n",
    "CHANGELOG.md": "# Changelog\n",
    "docs/ARCHITECTURE.md": "# How it is made\n\n`gyre/base/bell.hpp` and `make_bell`.\n",
    "docs/headers.md": "# Public headers\n\n## gyre/base\n\n`gyre/base/bell.hpp`\n",
    "docs/guide/README.md": "# The guide\n\n1. [Second](b.md)\n2. [First](a.md)\n",
    "docs/guide/a.md": "# First\n\n```cpp\nBell bell;\n```\n",
    "docs/guide/b.md": "# Second\n\n## A part\n\n[above](#a-part) and `Bell::on_ring`, `Tower`, `count_max`\n",
    "docs/decisions/0001-bells.md": "# 1. Bells\n\nOnce `gyre/old.hpp`.\n",
    "examples/01_bell.cpp": SPDX + "// Rings.\n//\n//     $ bell\n//     7 new\n\n// [a]\nint main() {}\n// [/a]\n",
    "gyre/base/CMakeLists.txt": "# SPDX-License-Identifier: Apache-2.0\ngyre_module(base LAYER 0)\n",
    "gyre/base/bell.hpp": HEADER,
}


def declared(text):
    """Name to declaration, members as Class::name."""
    found = {}
    for declaration in read_header(text):
        found.setdefault(declaration.name, declaration)
        found.update({f"{declaration.name}::{member.name}": member for member in reversed(declaration.members)})
    return found


class Reader(unittest.TestCase):
    def setUp(self):
        self.found = declared(HEADER)

    def test_finds_what_is_public_and_nothing_else(self):
        names = {name for name in self.found if "::" not in name}
        self.assertEqual(names, {"BellOptions", "Bell", "make_bell", "GYRE_RING"})
        members = {name.removeprefix("Bell::") for name in self.found if name.startswith("Bell::")}
        self.assertEqual(members, {"Bell", "~Bell", "operator=", "operator==", "ring", "on_ring", "rest", "co_await"})
        self.assertEqual(self.found["Bell::rest"].access, "protected")

    def test_a_signature_has_no_body_and_no_initializers(self):
        self.assertEqual(self.found["Bell::Bell"].text, "explicit Bell(BellOptions options = {}) noexcept;")
        self.assertEqual(self.found["Bell::operator=="].text, "[[nodiscard]] bool operator==(const Bell& other) const;")
        on_ring = "template <class F>\n    requires std::invocable<F&> && (sizeof(F) < 64)\nvoid on_ring(F function);"
        self.assertEqual(self.found["Bell::on_ring"].text, on_ring)

    def test_an_awaitable_shows_its_use(self):
        self.assertEqual(self.found["Bell::co_await"].text, "co_await std::move(bell);")

    def test_a_comment_that_stands_alone_is_about_what_follows(self):
        self.assertEqual(self.found["Bell::operator=="].remark, "Others")
        self.assertEqual(self.found["Bell::operator=="].comment, "")
        self.assertEqual(self.found["Bell::on_ring"].remark, "")

    def test_only_public_bases_are_shown(self):
        self.assertEqual(self.found["Bell"].text, "class Bell : public Tower")

    def test_comments_stand_above_or_behind(self):
        self.assertEqual(self.found["BellOptions"].comment, "How a bell rings, see `Bell`.")
        self.assertEqual(self.found["BellOptions::loudness"].comment, "from 1 to 9,\nor 11")
        self.assertEqual(self.found["Bell::ring"].comment, "Rings `count` times.")
        self.assertEqual(self.found["make_bell"].comment, "The loudest.")
        self.assertEqual(self.found["GYRE_RING"].comment, "Rings where it stands.")

    def test_a_class_that_cannot_be_copied(self):
        self.assertTrue(self.found["Bell"].is_uncopyable)
        self.assertFalse(self.found["BellOptions"].is_uncopyable)

    def test_an_enum_keeps_its_comments(self):
        enum = "enum class Tone : int {\n    low,  // below\n    high,\n};"
        self.assertEqual(declared(f"namespace gyre {{\n{enum}\n}}\n")["Tone"].text, enum)

    def test_the_members_of_a_union_without_a_name_belong_to_its_class(self):
        self.assertIn("BellOptions::bits", self.found)

    def test_the_value_of_a_lambda_is_left_out(self):
        text = "namespace gyre {\nconstexpr auto loud = [](int   x) {\n    return x;\n};\n}\n"
        self.assertEqual(declared(text)["loud"].text, "constexpr auto loud = ...;")

    def test_templates_and_their_specializations(self):
        text = ("namespace gyre {\n// For a type of your own.\ntemplate <class T>\nstruct Codec;\n\n"
                "template <>\nstruct Codec<int> {};\n\ntemplate <class T>\nstruct Codec<std::vector<T>> {};\n}\n")
        found = declared(text)
        self.assertEqual(set(found), {"Codec", "Codec<std::vector<T>>"})
        self.assertEqual(found["Codec"].comment, "For a type of your own.")

    def test_a_brace_that_is_not_closed_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "line 1"):
            read_header("namespace gyre {\nclass Bell {\n}\n")


def statement_lines(code):
    """(line, text) where a declaration begins in the public part of a header, seen by its layout alone: in column 0,
    or in column 4 of a class, behind a line that ends one."""
    source = code.split("\n")
    ended = True
    access, depth, in_detail = "public", 0, False
    for number, line in enumerate(source, 1):
        text = line.strip()
        if not text or text.startswith("#"):
            ended = True
            continue
        is_label = text in ("public:", "protected:", "private:")
        if line.startswith("namespace"):
            in_detail = "detail" in text.split()[1].split("::")
        elif is_label:
            access = text.rstrip(":") if not line.startswith(" ") else access
        elif ended and not in_detail and re.match(r"\w|\[|~", line) and depth == 0:
            yield number, text
        elif ended and not in_detail and access != "private" and re.match(r"    [\w\[~]", line) and depth == 1:
            yield number, text
        if re.match(r"(class|struct|union)\b", line) and not text.endswith(";"):
            is_special = source[number - 2].startswith("template <>")
            access = "private" if line.startswith("class") or is_special else "public"
            depth = 1 if not is_special else 9
        elif re.match(r"\};|enum\b.*\};$", line):
            depth, access = 0, "public"
        elif not line.startswith((" ", "namespace", "public", "protected", "private")) and text.endswith("{"):
            depth = 9  # the body of a function, or an enum
        elif line.startswith("}"):
            depth = 0
        ended = text.endswith((";", "}", "{", ":")) and not text.endswith("= {") and not text.startswith("requires")


class AllHeaders(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.files = read_tree(REPOSITORY)
        cls.site = Site(cls.files)
        cls.pages = cls.site.build()

    def test_each_public_class_function_and_member_is_read(self):
        # Forward declarations, friends, full specializations, and definitions of members outside of their class.
        hidden = re.compile(
            r"(template <[^;{]*> )?(friend|static_assert|(class|struct|enum class) (\[\[[^;]*\]\] )?[\w:]+( : \S+)?;)"
            r"|template <>|union \{"
            r"|(template <[^;]*> )?[^;{(]*\b\w+(<[\w:., ]*>)?::~?\w+\("
        )
        seen, missing = 0, []
        for header in (file for file in self.files if file.is_public):
            lines = {line for declaration in read_header(header.text) for line in all_lines(declaration)}
            source = header.code.split("\n")
            for line, text in statement_lines(header.code):
                whole = " ".join(part.strip() for part in source[line - 1 : line + 3])
                called = re.findall(r"(\w+)\(", whole.split(") ")[0])
                is_protocol = any(PROTOCOL.fullmatch(name) or name == "await_in" for name in called)
                if hidden.match(text) or hidden.match(whole) or is_protocol:
                    continue
                seen += 1
                if line not in lines:
                    missing.append(f"{header.path}:{line}: {text}")
        self.assertEqual("\n".join(missing), "")
        self.assertGreater(seen, 1500)

    def test_each_declaration_has_its_place_on_the_page(self):
        for file in (file for file in self.files if file.is_public):
            header = Header(file, None)
            page = self.pages[header.address]
            for section in header.all_sections():
                self.assertIn(f'id="{section.ident}"', page, file.path)
            for declaration in read_header(file.text):
                self.assertIn(declaration.name.split("<")[0].rstrip(), page, file.path)

    def test_nothing_comes_from_the_network(self):
        for address, text in self.pages.items():
            self.assertIsNone(re.search(r'(<script|<link|<img)[^>]*(src|href)="https?:', text), address)
        self.assertNotIn("url(", self.pages["style.css"])


def all_lines(declaration):
    yield declaration.line
    for member in declaration.members:
        yield from all_lines(member)


class Markdown(unittest.TestCase):
    def html(self, text):
        return Prose().markdown(text)

    def test_blocks(self):
        self.assertIn("<h2 id=\"a-b\">A b ", self.html("## A b"))
        self.assertEqual(self.html("one\ntwo"), "<p>one\ntwo</p>")
        self.assertEqual(self.html("- one\n  more\n- two"), "<ul>\n<li>one\nmore</li>\n<li>two</li>\n</ul>")
        self.assertIn("<ul>\n<li>inner</li>\n</ul>", self.html("1. outer\n   - inner"))
        self.assertIn("<td>a | b</td>", self.html("| x |\n| --- |\n| a \\| b |"))
        self.assertIn("&lt;b&gt;", self.html("```\n<b>\n```"))

    def test_elements(self):
        self.assertEqual(self.html("`a<b>` **c** *d*"), "<p><code>a&lt;b&gt;</code> <strong>c</strong> <em>d</em></p>")
        self.assertEqual(self.html("[a `b`](c.md)"), '<p><a href="c.md">a <code>b</code></a></p>')
        self.assertEqual(self.html("2 * 3 * 4 and a*b"), "<p>2 * 3 * 4 and a*b</p>")

    def test_an_unclosed_fence_ends_with_the_page(self):
        self.assertIn("code", self.html("```\ncode"))

    def test_anchors_are_those_of_github(self):
        self.assertEqual(anchor_of("Sends on `io_uring`: a, b", {}), "sends-on-io_uring-a-b")
        taken = {}
        self.assertEqual([anchor_of("Twice", taken), anchor_of("Twice", taken)], ["twice", "twice-1"])

    def test_a_comment_has_paragraphs_code_drawings_and_rules(self):
        html = Prose().comment("One.\n\n    int two;\n\nThread: any.\nLifetime: long,\nlonger.\n  a  b")
        self.assertIn('<span class="keyword">int</span> two;', html)
        self.assertIn("<dt>Thread</dt><dd>any.</dd><dt>Lifetime</dt><dd>long,\nlonger.</dd>", html)
        self.assertIn('<pre class="drawing">a  b</pre>', html)


class Docs(ToolTest):
    tool = "docs"

    def build(self, changes=()):
        """The pages of the scratch tree, by address, and the result of the tool."""
        with tempfile.TemporaryDirectory() as folder:
            for path, text in {**TREE, **dict(changes)}.items():
                place = Path(folder) / "tree" / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, encoding="utf-8")
            result = self.run_tool("--output", f"{folder}/site", f"{folder}/tree")
            pages = {place.relative_to(f"{folder}/site").as_posix(): place.read_text(encoding="utf-8")
                     for place in Path(folder, "site").rglob("*") if place.is_file()}
            return pages, result

    def finds(self, text, *messages):
        """A page of the guide with this text is refused with these messages."""
        _, result = self.build({"docs/guide/a.md": text})
        self.assertEqual(result.returncode, 1, result.stdout)
        for message in messages:
            self.assertIn(message, result.stderr)

    def test_a_site_whose_links_hold(self):
        pages, result = self.build()
        self.assertEqual(result.returncode, 0, result.stderr)
        bell = pages["api/gyre/base/bell.html"]
        self.assertIn('<p class="lead">Rings.</p>', bell)
        self.assertIn("<dt>Thread</dt><dd>any.</dd>", bell)
        self.assertIn("Not copyable, not movable.", bell)
        self.assertIn('href="../../../guide/a.html">First</a>', bell)
        self.assertIn('<a href="#Bell"', bell)
        self.assertIn('<p class="remark">Others</p>', bell)
        for hidden in ("swing", "Clapper", "Rope", "options_", "await_ready", "~Bell", "delete"):
            self.assertNotIn(hidden, bell)
        self.assertIn('id="L1"', pages["source/gyre/base/bell.hpp.html"])

    def test_names_and_paths_are_links(self):
        pages, _ = self.build()
        self.assertIn('<a href="../api/gyre/base/bell.html#Bell">Bell</a> bell;', pages["guide/a.html"])
        page = pages["guide/b.html"]
        self.assertIn('<a href="../api/gyre/base/bell.html#Bell.on_ring"><code>Bell::on_ring</code></a>', page)
        self.assertIn("<code>Tower</code>, <code>count_max</code>", page)
        page = pages["architecture.html"]
        self.assertIn('<a href="api/gyre/base/bell.html"><code>gyre/base/bell.hpp</code></a>', page)
        self.assertIn('<a href="api/gyre/base/bell.html#make_bell"><code>make_bell</code></a>', page)

    def test_a_page_about_another_language_has_names_of_its_own(self):
        pages, _ = self.build({"docs/guide/a.md": "# First\n\n`Bell`\n\n```vela\nBell\n```\n"})
        self.assertNotIn("bell.html", pages["guide/a.html"])

    def test_a_parameter_is_no_link(self):
        header = HEADER.replace("Rings `count` times.", "Rings `ring` times, and `rest`.")
        pages, _ = self.build({"gyre/base/bell.hpp": header})
        self.assertIn("<code>ring</code> times", pages["api/gyre/base/bell.html"])
        self.assertIn('<a href="#Bell.rest"><code>rest</code></a>', pages["api/gyre/base/bell.html"])

    def test_the_value_of_an_enum_is_no_function(self):
        header = HEADER.replace("// The loudest.", "enum class Tone { make_bell };\n\n// As `rest`, not `ring_all`.")
        other = HEADER.replace("make_bell", "ring_all").replace("Bell", "Gong").replace("The loudest", "A `make_bell`")
        pages, _ = self.build({"gyre/base/bell.hpp": header, "gyre/base/gong.hpp": other})
        self.assertIn("<code>make_bell</code>.", pages["api/gyre/base/gong.html"])
        self.assertIn('ring_all"><code>ring_all</code></a>.', pages["api/gyre/base/bell.html"])

    def test_the_guide_is_read_in_the_order_of_its_list(self):
        pages, _ = self.build()
        self.assertIn('<a href="../guide/a.html"><small>Next</small>First</a>', pages["guide/b.html"])
        self.assertIn('<a href="../guide/b.html"><small>Previous</small>Second</a>', pages["guide/a.html"])

    def test_an_example_has_no_marks_of_regions(self):
        pages, _ = self.build()
        self.assertNotIn("[a]", pages["examples/01_bell.html"])
        self.assertIn("$ bell\n7 new", pages["examples/01_bell.html"])

    def test_the_search_index_has_members_and_sections(self):
        pages, _ = self.build()
        for entry in ('["Bell::ring","member"', '["make_bell","function"', '["Second: A part","guide"'):
            self.assertIn(entry, pages["search-index.js"])

    def test_a_link_to_no_file(self):
        text = "# First\n\nA [link\nthat wraps](gone.md).\n"
        self.finds(text, "docs/guide/a.md:3: gone.md: the tree has no such file", "guide/a.html: gone.md: there is no")

    def test_a_link_to_no_heading(self):
        self.finds("# First\n\n[b](b.md#gone)\n", "docs/guide/a.md:3: b.md#gone: that file has no heading")

    def test_a_path_in_code_that_is_stale(self):
        self.finds("# First\n\n`gyre/base/gone.hpp`\n", "gyre/base/gone.hpp: the tree has no such file")

    def test_a_link_in_code_is_none(self):
        _, result = self.build({"docs/guide/a.md": "# First\n\n```\n[b](gone.md)\n```\n"})
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_two_elements_with_one_id(self):
        pages = {"a.html": '<p id="x"><p id="x"><a href="b.html#y">', "b.html": '<p id="z">'}
        self.assertEqual(list(broken_site_links(pages, [])), [
            "a.html: two elements have the id 'x'", "a.html: b.html#y: that page has no anchor 'y'"])
        self.assertEqual(len(list(broken_site_links({}, [("t", "k", "gone.html", "")]))), 1)

    def test_check_writes_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.run_on(TREE, "--check", "--output", f"{folder}/site").returncode, 0)
            self.assertEqual(list(Path(folder).iterdir()), [])

    def test_a_folder_with_other_files_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "mine.txt").write_text("mine")
            result = self.run_on(TREE, "--output", folder)
            self.assertEqual(result.returncode, 1)
            self.assertIn("name an empty folder", result.stderr)
            self.assertTrue((Path(folder) / "mine.txt").exists())


if __name__ == "__main__":
    unittest.main()
