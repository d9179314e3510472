// SPDX-License-Identifier: Apache-2.0
// What all handles and requests have: data, type, references, activity, the close, buffers of
// sockets, and the sizes of the structs.
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "compat/uv/internal/loop_state.hpp"

namespace gyre::uv {
namespace {

struct TypeRow {
    const char* name;
    std::size_t size;
};

constexpr TypeRow handle_rows[] = {{nullptr, 0},
#define GYRE_UV_ROW(upper, lower) {#lower, sizeof(uv_##lower##_t)},
                                   UV_HANDLE_TYPE_MAP(GYRE_UV_ROW)
#undef GYRE_UV_ROW
};

constexpr TypeRow request_rows[] = {{nullptr, 0},
#define GYRE_UV_ROW(upper, lower) {#lower, sizeof(uv_##lower##_t)},
                                    UV_REQ_TYPE_MAP(GYRE_UV_ROW)
#undef GYRE_UV_ROW
};

template <std::size_t count>
const TypeRow* row_of(const TypeRow (&rows)[count], int type) noexcept {
    return type > 0 && static_cast<std::size_t>(type) < count ? &rows[type] : nullptr;
}

// 0 asks for the size. Linux doubles the size that is set, for its own use.
int socket_buffer(uv_handle_t* handle, int option, int* value) noexcept {
    if (handle == nullptr || value == nullptr) return UV_EINVAL;
    uv_os_fd_t fd = -1;
    if (handle->type != UV_TCP && handle->type != UV_NAMED_PIPE && handle->type != UV_UDP) {
        return UV_ENOTSUP;
    }
    if (const int status = uv_fileno(handle, &fd); status < 0) return status;
    socklen_t size = sizeof *value;
    const int done = *value == 0 ? ::getsockopt(fd, SOL_SOCKET, option, value, &size)
                                 : ::setsockopt(fd, SOL_SOCKET, option, value, size);
    return done == 0 ? 0 : -errno;
}

}  // namespace
}  // namespace gyre::uv

size_t uv_handle_size(uv_handle_type type) {
    const auto* row = gyre::uv::row_of(gyre::uv::handle_rows, type);
    return row == nullptr ? static_cast<size_t>(-1) : row->size;
}

const char* uv_handle_type_name(uv_handle_type type) {
    if (type == UV_FILE) return "file";
    const auto* row = gyre::uv::row_of(gyre::uv::handle_rows, type);
    return row == nullptr ? nullptr : row->name;
}

uv_handle_type uv_handle_get_type(const uv_handle_t* handle) {
    return handle->type;
}

void* uv_handle_get_data(const uv_handle_t* handle) {
    return handle->data;
}

uv_loop_t* uv_handle_get_loop(const uv_handle_t* handle) {
    return handle->loop;
}

void uv_handle_set_data(uv_handle_t* handle, void* data) {
    handle->data = data;
}

size_t uv_req_size(uv_req_type type) {
    const auto* row = gyre::uv::row_of(gyre::uv::request_rows, type);
    return row == nullptr ? static_cast<size_t>(-1) : row->size;
}

const char* uv_req_type_name(uv_req_type type) {
    const auto* row = gyre::uv::row_of(gyre::uv::request_rows, type);
    return row == nullptr ? nullptr : row->name;
}

uv_req_type uv_req_get_type(const uv_req_t* req) {
    return req->type;
}

void* uv_req_get_data(const uv_req_t* req) {
    return req->data;
}

void uv_req_set_data(uv_req_t* req, void* data) {
    req->data = data;
}

void uv_ref(uv_handle_t* handle) {
    if (gyre::uv::carry(handle->loop, [=] { uv_ref(handle); })) return;
    auto* state = gyre::uv::state_of(handle);
    if (state != nullptr) (void)state->base().ref();
}

void uv_unref(uv_handle_t* handle) {
    if (gyre::uv::carry(handle->loop, [=] { uv_unref(handle); })) return;
    auto* state = gyre::uv::state_of(handle);
    if (state != nullptr) (void)state->base().unref();
}

int uv_has_ref(const uv_handle_t* handle) {
    auto* state = gyre::uv::state_of(handle);
    return state != nullptr && state->base().has_ref() ? 1 : 0;
}

int uv_is_active(const uv_handle_t* handle) {
    auto* state = gyre::uv::state_of(handle);
    return state != nullptr && state->base().is_active() ? 1 : 0;
}

int uv_is_closing(const uv_handle_t* handle) {
    return gyre::uv::is_closing(handle) ? 1 : 0;
}

void uv_close(uv_handle_t* handle, uv_close_cb close_cb) {
    if (gyre::uv::carry(handle->loop, [=] { uv_close(handle, close_cb); })) return;
    auto* state = gyre::uv::state_of(handle);
    GYRE_ASSERT(state != nullptr && !gyre::uv::is_closing(handle),
                "uv_close of a handle that is closing or was never initialised");
    state->close(close_cb);
}

int uv_send_buffer_size(uv_handle_t* handle, int* value) {
    return gyre::uv::socket_buffer(handle, SO_SNDBUF, value);
}

int uv_recv_buffer_size(uv_handle_t* handle, int* value) {
    return gyre::uv::socket_buffer(handle, SO_RCVBUF, value);
}
