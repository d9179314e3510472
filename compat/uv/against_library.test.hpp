// SPDX-License-Identifier: Apache-2.0
// Library: the functions of one library that has libuv's interface, opened beside others of its kind.
#pragma once

#include <dlfcn.h>
#include <signal.h>

#include <memory>

#include "compat/uv/internal/newer.hpp"

namespace gyre::uv::test {

#define GYRE_UV_CALLS(call)                                                                      \
    call(loop_init) call(loop_close) call(run) call(loop_alive) call(walk) call(close) call(     \
        is_active) call(is_closing) call(has_ref) call(ref) call(unref) call(stop)               \
        call(timer_init) call(timer_start) call(timer_stop) call(timer_again) call(              \
            timer_set_repeat) call(timer_get_repeat) call(idle_init) call(idle_start)            \
            call(idle_stop) call(prepare_init) call(prepare_start) call(prepare_stop) call(      \
                check_init) call(check_start) call(check_stop) call(async_init) call(async_send) \
                call(pipe_init) call(pipe_open) call(read_start) call(read_stop) call(write)     \
                    call(try_write) call(shutdown) call(is_readable) call(is_writable)           \
                        call(stream_get_write_queue_size) call(udp_init) call(udp_bind)          \
                            call(udp_connect) call(udp_getsockname) call(udp_send)               \
                                call(udp_try_send) call(udp_recv_start) call(udp_recv_stop)      \
                                    call(udp_get_send_queue_count) call(poll_init)               \
                                        call(poll_start) call(poll_stop) call(queue_work)        \
                                            call(cancel) call(fs_stat) call(fs_req_cleanup)      \
                                                call(ip4_addr) call(tcp_init) call(tcp_bind)     \
                                                    call(tcp_connect) call(listen) call(accept)  \
                                                        call(tcp_getsockname) call(tcp_nodelay)  \
                                                            call(signal_init) call(signal_start) \
                                                                call(signal_stop)

// The functions of one library.
struct Library {
#define GYRE_UV_FIELD(name) decltype(&uv_##name) name = nullptr;
    GYRE_UV_CALLS(GYRE_UV_FIELD)
#undef GYRE_UV_FIELD

    // Null when there is no such library. It stays open.
    static std::unique_ptr<Library> open(const char* path) {
        ::signal(SIGPIPE, SIG_IGN);  // of a write to a closed peer, which is an error then
        void* opened = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (opened == nullptr) return nullptr;
        auto library = std::make_unique<Library>();
        bool is_whole = true;
#define GYRE_UV_FIND(each)                                                                   \
    library->each = reinterpret_cast<decltype(library->each)>(::dlsym(opened, "uv_" #each)); \
    is_whole = is_whole && library->each != nullptr;
        GYRE_UV_CALLS(GYRE_UV_FIND)
#undef GYRE_UV_FIND
        return is_whole ? std::move(library) : nullptr;
    }
};

#undef GYRE_UV_CALLS

}  // namespace gyre::uv::test
