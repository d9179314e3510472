// SPDX-License-Identifier: Apache-2.0
// IoCode: the kinds of ops that platforms serve, in one table: the name of each kind, the queue of
// its descriptor, the function that serves it on each platform, and its tests.
//
//     if (op.code() == IoCode::accept) count_connection();
//     log(LogLevel::debug, "%s", name_of(IoCode::accept));
//
// Thread: any; constants.
// Lifetime: constants.
#pragma once

#include <cstdint>

#include "gyre/kernel/op.hpp"

namespace gyre {

// The queue of a descriptor in which an op waits. Ops of one side are served in order.
//   input, output  the two directions of a socket or pipe
//   watch          for readiness: transfers no data
//   file           at an offset, or by name; may block, so epoll serves it on an Offload thread
//   control        closes a descriptor, or has none
enum class IoSide : std::uint8_t { input, output, watch, file, control };

// A new kind is a row here, a class in one of the headers beside this one, and the functions that
// the row names. tools/check_tree checks that they exist in the directory that the column's head
// names.
//   kind(code, side, in gyre/platform, in gyre/platform/internal/uring, in gyre/sim, its tests)
// clang-format off
#define GYRE_IO_KINDS(kind)                                                                        \
    kind(poll,           watch,   serve_poll,          io_uring_prep_poll_add,       show,           "watching")            \
    kind(accept,         input,   try_accept,          io_uring_prep_accept,         accept,         "connections")         \
    kind(connect,        output,  try_connect,         io_uring_prep_connect,        connect,        "connections")         \
    kind(receive,        input,   try_receive,         io_uring_prep_recv,           receive,        "streams")             \
    kind(send,           output,  try_send,            io_uring_prep_send,           send,           "streams")             \
    kind(receive_from,   input,   try_receive_from,    io_uring_prep_recvmsg,        receive_from,   "datagrams")           \
    kind(send_to,        output,  try_send_to,         io_uring_prep_sendmsg,        send_to,        "datagrams")           \
    kind(send_pieces,    output,  try_send_pieces,     io_uring_prep_sendmsg,        send_pieces,    "messages")            \
    kind(send_file,      output,  try_send_file,       send_file,                    send_file,      "sent_files")          \
    kind(receive_passed, input,   try_receive_passed,  io_uring_prep_recvmsg,        receive_passed, "messages")            \
    kind(path,           file,    run_path_op,         fill_path,                    run_path_op,    "names")               \
    kind(open,           file,    open_file,           io_uring_prep_openat,         open,           "files")               \
    kind(read,           file,    read_file,           io_uring_prep_read,           read,           "files")               \
    kind(write,          file,    write_file,          io_uring_prep_write,          write,          "files")               \
    kind(read_parts,     file,    read_parts,          io_uring_prep_readv,          move_parts,     "files")               \
    kind(write_parts,    file,    write_parts,         io_uring_prep_writev,         move_parts,     "files")               \
    kind(fsync,          file,    fsync,               io_uring_prep_fsync,          sync,           "files")               \
    kind(close,          control, serve_close,         io_uring_prep_close,          on_close,       "connections")
// Multishot: they notify any number of times before their one completion.
#define GYRE_STANDING_IO_KINDS(kind)                                                               \
    kind(readiness,      watch,   serve_readiness,     io_uring_prep_poll_multishot, show,           "watching")            \
    kind(receive_ring,   input,   try_receive_ring,    io_uring_prep_recv_multishot, serve_ring,     "streams")             \
    kind(signal,         control, serve_signal,        serve_signal,                 on_signal,      "signals")
// clang-format on

enum class IoCode : std::uint16_t {
    before_first = static_cast<std::uint16_t>(OpCode::first_io) - 1,
#define GYRE_IO_CODE(code, ...) code,
    GYRE_IO_KINDS(GYRE_IO_CODE) before_standing =
        static_cast<std::uint16_t>(OpCode::first_io_standing) - 1,
    GYRE_STANDING_IO_KINDS(GYRE_IO_CODE)
#undef GYRE_IO_CODE
};

[[nodiscard]] constexpr OpCode op_code(IoCode code) noexcept {
    return static_cast<OpCode>(code);
}
[[nodiscard]] constexpr IoCode io_code(OpCode code) noexcept {
    return static_cast<IoCode>(code);
}
[[nodiscard]] inline IoCode io_code(const Op& op) noexcept {
    return io_code(op.code());
}
[[nodiscard]] constexpr bool operator==(OpCode code, IoCode kind) noexcept {
    return code == op_code(kind);
}

// False for the codes of other machines.
[[nodiscard]] constexpr bool is_io(OpCode code) noexcept {
    switch (io_code(code)) {
#define GYRE_IO_CASE(code, ...) case IoCode::code:
        GYRE_IO_KINDS(GYRE_IO_CASE)
        GYRE_STANDING_IO_KINDS(GYRE_IO_CASE)
#undef GYRE_IO_CASE
        return true;
        default:
            return false;
    }
}

// Requires a code of the table.
[[nodiscard]] constexpr IoSide side_of(IoCode code) noexcept {
    switch (code) {
#define GYRE_IO_CASE(code, side, ...) \
    case IoCode::code:                \
        return IoSide::side;
        GYRE_IO_KINDS(GYRE_IO_CASE)
        GYRE_STANDING_IO_KINDS(GYRE_IO_CASE)
#undef GYRE_IO_CASE
        default:
            return IoSide::control;
    }
}

[[nodiscard]] constexpr bool is_file_op(OpCode code) noexcept {
    return side_of(io_code(code)) == IoSide::file;
}

// The name of any kind that gyre itself knows, also of one that the kernel serves; "custom" for the
// others.
[[nodiscard]] const char* name_of(IoCode code) noexcept;

}  // namespace gyre
