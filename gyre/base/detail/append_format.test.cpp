// SPDX-License-Identifier: Apache-2.0
// The text of reports.
#include "gyre/base/detail/append_format.hpp"

#include <gtest/gtest.h>

namespace gyre {
namespace {

TEST(AppendFormat, appends_behind_the_text_that_is_there) {
    std::string text = "op";
    append_format(text, " %d (%s)", 7, "timer");
    EXPECT_EQ(text, "op 7 (timer)");
    append_format(text, "%s", "");
    EXPECT_EQ(text, "op 7 (timer)");
}

TEST(AppendFormat, has_no_limit_of_its_own) {
    const std::string word(10'000, 'x');
    std::string text;
    append_format(text, "%s%s", word.c_str(), word.c_str());
    EXPECT_EQ(text, word + word);
}

}  // namespace
}  // namespace gyre
