// SPDX-License-Identifier: Apache-2.0
// When a buffer frees its memory, and when it keeps it.
#include "gyre/http/internal/input_buffer.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gyre::http {
namespace {

void fill(InputBuffer& buffer, std::size_t size) {
    buffer.append(std::string(size, 'x'));
}

TEST(InputBuffer, that_came_to_need_more_keeps_it_while_it_does) {
    InputBuffer buffer(1024);
    fill(buffer, 3000);
    buffer.consume(3000);
    EXPECT_EQ(buffer.capacity(), 4096U);
    buffer.shrink();
    EXPECT_EQ(buffer.capacity(), 4096U);
    fill(buffer, 100);
    buffer.consume(100);
    buffer.shrink();
    EXPECT_EQ(buffer.capacity(), 0U);
}

TEST(InputBuffer, that_a_read_has_filled_is_larger_for_the_next) {
    InputBuffer buffer(1024);
    fill(buffer, 1024);
    buffer.consume(1000);
    EXPECT_EQ(buffer.room().size(), 2048U - 24U);
    buffer.add(100);
    EXPECT_EQ(buffer.room().size(), 2048U - 124U);
}

TEST(InputBuffer, that_grew_beyond_bounds_is_given_back_at_once) {
    InputBuffer buffer(1024);
    fill(buffer, InputBuffer::kept_bytes_max + 1);
    buffer.consume(InputBuffer::kept_bytes_max + 1);
    buffer.shrink();
    EXPECT_EQ(buffer.capacity(), 0U);
}

TEST(InputBuffer, with_bytes_in_it_stays) {
    InputBuffer buffer(1024);
    fill(buffer, 5000);
    buffer.consume(4999);
    buffer.shrink();
    EXPECT_EQ(buffer.unread(), "x");
}

TEST(InputBuffer, of_its_first_size_stays_for_the_next_wait) {
    InputBuffer buffer(1024);
    static_cast<void>(buffer.room());
    buffer.shrink();
    EXPECT_EQ(buffer.capacity(), 1024U);
    buffer.release();
    EXPECT_EQ(buffer.capacity(), 0U);
}

}  // namespace
}  // namespace gyre::http
