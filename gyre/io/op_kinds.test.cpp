// SPDX-License-Identifier: Apache-2.0
#include "gyre/io/op_kinds.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "gyre/io/file_ops.hpp"
#include "gyre/io/io_ops.hpp"
#include "gyre/io/socket_ops.hpp"

namespace gyre {
namespace {

TEST(OpKinds, have_names) {
    EXPECT_STREQ(name_of(IoCode::accept), "accept");
    EXPECT_STREQ(name_of(IoCode::receive_ring), "receive_ring");
    EXPECT_STREQ(name_of(io_code(OpCode::timer)), "timer");
    EXPECT_STREQ(name_of(io_code(OpCode::first_custom)), "custom");
}

TEST(OpKinds, of_the_table_have_different_codes_that_no_other_kind_has) {
    std::set<OpCode> codes;
    std::size_t count = 0;
#define GYRE_COUNT(code, ...)                           \
    codes.insert(op_code(IoCode::code));                \
    EXPECT_TRUE(is_io(op_code(IoCode::code))) << #code; \
    ++count;
    GYRE_IO_KINDS(GYRE_COUNT)
    GYRE_STANDING_IO_KINDS(GYRE_COUNT)
#undef GYRE_COUNT
    EXPECT_EQ(codes.size(), count);
    for (const OpCode other :
         {OpCode::none, OpCode::timer, OpCode::cancel, OpCode::post, OpCode::work, OpCode::wake,
          OpCode::channel, OpCode::first_custom, OpCode::first_custom_standing}) {
        EXPECT_FALSE(is_io(other)) << name_of(io_code(other));
        EXPECT_FALSE(is_file_op(other)) << name_of(io_code(other));
    }
}

TEST(OpKinds, are_standing_where_the_table_says_so){
#define GYRE_EXPECT(code, ...) EXPECT_FALSE(is_standing(op_code(IoCode::code))) << #code;
    GYRE_IO_KINDS(GYRE_EXPECT)
#undef GYRE_EXPECT
#define GYRE_EXPECT(code, ...) EXPECT_TRUE(is_standing(op_code(IoCode::code))) << #code;
        GYRE_STANDING_IO_KINDS(GYRE_EXPECT)
#undef GYRE_EXPECT
}

TEST(OpKinds, wait_on_the_side_of_the_table) {
    EXPECT_EQ(side_of(IoCode::accept), IoSide::input);
    EXPECT_EQ(side_of(IoCode::connect), IoSide::output);
    EXPECT_EQ(side_of(IoCode::readiness), IoSide::watch);
    EXPECT_EQ(side_of(IoCode::fsync), IoSide::file);
    EXPECT_EQ(side_of(IoCode::close), IoSide::control);
}

TEST(OpKinds, are_what_the_ops_carry) {
    EXPECT_EQ(io_code(AcceptOp(3)), IoCode::accept);
    EXPECT_EQ(io_code(FsyncOp(3)), IoCode::fsync);
    EXPECT_TRUE(CloseOp(3).code() == IoCode::close);
}

}  // namespace
}  // namespace gyre
