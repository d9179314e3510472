// SPDX-License-Identifier: Apache-2.0
// The layout that programs were compiled with: sizes and offsets of libuv 1.x on 64-bit Linux, which
// are the same from 1.44 to 1.52.
#include <cstddef>

#include "compat/uv/support.test.hpp"

namespace gyre::uv::test {
namespace {

static_assert(sizeof(void*) == 8, "the table is of 64-bit systems");

TEST(UvLayout, is_that_of_libuv) {
    EXPECT_EQ(sizeof(uv_loop_t), 848u);
    EXPECT_EQ(sizeof(uv_handle_t), 96u);
    EXPECT_EQ(sizeof(uv_stream_t), 248u);
    EXPECT_EQ(sizeof(uv_tcp_t), 248u);
    EXPECT_EQ(sizeof(uv_pipe_t), 264u);
    EXPECT_EQ(sizeof(uv_tty_t), 312u);
    EXPECT_EQ(sizeof(uv_udp_t), 216u);
    EXPECT_EQ(sizeof(uv_poll_t), 160u);
    EXPECT_EQ(sizeof(uv_timer_t), 152u);
    EXPECT_EQ(sizeof(uv_idle_t), 120u);
    EXPECT_EQ(sizeof(uv_prepare_t), 120u);
    EXPECT_EQ(sizeof(uv_check_t), 120u);
    EXPECT_EQ(sizeof(uv_async_t), 128u);
    EXPECT_EQ(sizeof(uv_process_t), 136u);
    EXPECT_EQ(sizeof(uv_fs_event_t), 136u);
    EXPECT_EQ(sizeof(uv_fs_poll_t), 104u);
    EXPECT_EQ(sizeof(uv_signal_t), 152u);
    EXPECT_EQ(sizeof(uv_req_t), 64u);
    EXPECT_EQ(sizeof(uv_write_t), 192u);
    EXPECT_EQ(sizeof(uv_connect_t), 96u);
    EXPECT_EQ(sizeof(uv_shutdown_t), 80u);
    EXPECT_EQ(sizeof(uv_udp_send_t), 320u);
    EXPECT_EQ(sizeof(uv_fs_t), 440u);
    EXPECT_EQ(sizeof(uv_work_t), 128u);
    EXPECT_EQ(sizeof(uv_getaddrinfo_t), 160u);
    EXPECT_EQ(sizeof(uv_getnameinfo_t), 1320u);
    EXPECT_EQ(sizeof(uv_random_t), 144u);
    EXPECT_EQ(offsetof(uv_handle_t, loop), 8u);
    EXPECT_EQ(offsetof(uv_handle_t, type), 16u);
    EXPECT_EQ(offsetof(uv_handle_t, flags), 88u);
    EXPECT_EQ(offsetof(uv_stream_t, write_queue_size), 96u);
    EXPECT_EQ(offsetof(uv_udp_t, send_queue_size), 96u);
    EXPECT_EQ(offsetof(uv_process_t, pid), 104u);
    EXPECT_EQ(offsetof(uv_fs_t, result), 88u);
    EXPECT_EQ(offsetof(uv_fs_t, statbuf), 112u);
    EXPECT_EQ(offsetof(uv_loop_t, active_reqs), 32u);
}

TEST(UvLayout, is_told_by_the_size_functions) {
    EXPECT_EQ(uv_loop_size(), sizeof(uv_loop_t));
    EXPECT_EQ(uv_handle_size(UV_TCP), sizeof(uv_tcp_t));
    EXPECT_EQ(uv_handle_size(UV_SIGNAL), sizeof(uv_signal_t));
    EXPECT_EQ(uv_handle_size(UV_UNKNOWN_HANDLE), static_cast<std::size_t>(-1));
    EXPECT_EQ(uv_req_size(UV_FS), sizeof(uv_fs_t));
    EXPECT_EQ(uv_req_size(UV_UNKNOWN_REQ), static_cast<std::size_t>(-1));
    EXPECT_STREQ(uv_handle_type_name(UV_NAMED_PIPE), "pipe");
    EXPECT_STREQ(uv_handle_type_name(UV_FILE), "file");
    EXPECT_EQ(uv_handle_type_name(UV_UNKNOWN_HANDLE), nullptr);
    EXPECT_STREQ(uv_req_type_name(UV_GETADDRINFO), "getaddrinfo");
    EXPECT_EQ(uv_req_type_name(UV_UNKNOWN_REQ), nullptr);
}

}  // namespace
}  // namespace gyre::uv::test
