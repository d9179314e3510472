// SPDX-License-Identifier: Apache-2.0
#include "gyre/base/result.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <expected>
#include <string>

namespace gyre {
namespace {

TEST(Error, is_carried_by_an_op_as_the_negative_number_of_the_system) {
    EXPECT_EQ(failure(std::errc::operation_canceled), -ECANCELED);
    EXPECT_EQ(Error(std::errc::bad_file_descriptor).as_result(), -EBADF);
    static_assert(failure(std::errc::operation_canceled) < 0);
}

TEST(Error, comes_back_from_a_result_as_it_went_in) {
    for (const std::errc code :
         {std::errc::operation_canceled, std::errc::timed_out, std::errc::broken_pipe}) {
        EXPECT_EQ(Error::of_result(failure(code)), Error(code));
        EXPECT_EQ(Error::of_result(failure(code)).code(), code);
    }
    EXPECT_NE(Error(std::errc::timed_out), Error(std::errc::broken_pipe));
}

TEST(Error, has_the_words_of_the_system) {
    EXPECT_EQ(Error(std::errc::broken_pipe).message(), "Broken pipe");
}

TEST(Result, compares_with_results_values_and_errors) {
    const Result<std::string> text("seven");
    const Error error(std::errc::io_error);
    const Result<std::string> failed = std::unexpected(error);
    EXPECT_EQ(text, "seven");
    EXPECT_EQ(text, Result<std::string>("seven"));
    EXPECT_NE(text, failed);
    EXPECT_NE(failed, "seven");
    EXPECT_EQ(failed, std::unexpected(error));
    EXPECT_NE(text, std::unexpected(error));
    const std::expected<std::string, Error> plain = failed;
    EXPECT_EQ(Result<std::string>(plain), failed);
}

TEST(Result, of_void_is_success_or_an_error) {
    static_assert(sizeof(Result<void>) == sizeof(Error));
    const Error error(std::errc::io_error);
    const Result<void> failed = std::unexpected(error);
    EXPECT_TRUE(Result<void>());
    EXPECT_FALSE(failed);
    EXPECT_EQ(failed.error(), error);
    EXPECT_NE(failed, Result<void>());
    EXPECT_EQ(failed, std::unexpected(error));
    EXPECT_EQ(Result<void>(std::expected<void, Error>(std::unexpected(error))), failed);
    EXPECT_NO_THROW(Result<void>().value());
    EXPECT_THROW(failed.value(), std::bad_expected_access<Error>);
}

TEST(Result, is_a_value_or_an_error) {
    const auto half = [](int number) -> Result<int> {
        if (number % 2 != 0) return std::unexpected(Error(std::errc::invalid_argument));
        return number / 2;
    };
    ASSERT_TRUE(half(4).has_value());
    EXPECT_EQ(*half(4), 2);
    ASSERT_FALSE(half(3).has_value());
    EXPECT_EQ(half(3).error().code(), std::errc::invalid_argument);
}

}  // namespace
}  // namespace gyre
