// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/doc/doc_pages.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

namespace gyre::vela {
namespace {

const char* const shapes = R"(# Shapes and their areas. More text.
#
#   an example
#
# - one `point`
# - two
import './base.vela'

# A shape with <corners>.
class Square implements Shape {
  # The length of a side.
  side: Float = 1.0
  private secret: Number
  # Its area.
  fn area(self) -> Float { return this.side * this.side }
}

/* What can happen.
 * Twice.
 */
enum Event { Grown(Square), Gone }

# Grows it.
@test
fn growTest() -> void { }

# Adds areas.
fn sum(shapes: List<Square>, scale: Scale = 1.0) -> Float { return 0.0 }

# How many are allowed.
limit = 3
private hidden = 4
)";

const char* const base = R"(""" What shapes share. """
interface Shape { fn area(self) -> Float }
type Scale = Float
)";

class DocPages : public testing::Test {
protected:
    void SetUp() override {
        SourceTable files(std::map<std::string, std::string>{{"base.vela", base}});
        first_ = check("shapes.vela", shapes, files);
        second_ = check("base.vela", base, files);
        ASSERT_FALSE(first_->diagnostics.has_errors()) << report(first_->diagnostics.sorted());
        pages_ = doc_pages({{"shapes.vela", first_.get()}, {"base.vela", second_.get()}});
        ASSERT_EQ(pages_.size(), 3U);
    }
    bool has(std::size_t page, const std::string& text) const {
        return pages_[page].html.find(text) != std::string::npos;
    }
    std::unique_ptr<Program> first_;
    std::unique_ptr<Program> second_;
    std::vector<DocPage> pages_;
};

TEST_F(DocPages, a_page_for_each_file_and_an_index) {
    EXPECT_EQ(pages_[0].name, "shapes.html");
    EXPECT_EQ(pages_[1].name, "base.html");
    EXPECT_EQ(pages_[2].name, "index.html");
    EXPECT_TRUE(has(2, "<a href=\"shapes.html\">shapes.vela</a>"));
    EXPECT_TRUE(has(2, "Shapes and their areas."));
    EXPECT_FALSE(has(2, "More text"));
    EXPECT_TRUE(has(2, "What shapes share."));
    EXPECT_TRUE(has(2, "href=\"shapes.html#sum\""));
}

TEST_F(DocPages, comments_above_declarations_are_their_text) {
    EXPECT_TRUE(has(0, "<p>A shape with &lt;corners&gt;.</p>"));
    EXPECT_TRUE(has(0, "<p>The length of a side.</p>"));
    EXPECT_TRUE(has(0, "<p>Its area.</p>"));
    EXPECT_TRUE(has(0, "<p>What can happen.\nTwice.</p>"));
    EXPECT_TRUE(has(0, "<p>How many are allowed.</p>"));
    EXPECT_TRUE(has(0, "<pre><code>  an example\n</code></pre>"));
    EXPECT_TRUE(has(0, "<li>one <code>point</code>"));
}

TEST_F(DocPages, names_of_types_are_links_also_into_other_files) {
    EXPECT_TRUE(has(0, "implements <a href=\"base.html#Shape\">Shape</a>"));
    EXPECT_TRUE(has(0, "Grown(<a href=\"#Square\">Square</a>)"));
    EXPECT_TRUE(has(0, "List&lt;<a href=\"#Square\">Square</a>&gt;"));
    EXPECT_TRUE(has(0, "scale: <a href=\"base.html#Scale\">Scale</a> = 1.0"));
    EXPECT_TRUE(has(1, "<h3 id=\"Shape\">"));
}

TEST_F(DocPages, private_names_and_tests_are_left_out) {
    EXPECT_FALSE(has(0, "secret"));
    EXPECT_FALSE(has(0, "hidden"));
    EXPECT_FALSE(has(0, "growTest"));
}

TEST_F(DocPages, files_of_one_name_get_pages_of_their_own) {
    const auto pages = doc_pages({{"lib/a.vela", first_.get()}, {"lib.a.vela", second_.get()}});
    EXPECT_EQ(pages[0].name, "lib.a.html");
    EXPECT_EQ(pages[1].name, "lib.a-2.html");
}

}  // namespace
}  // namespace gyre::vela
