// SPDX-License-Identifier: Apache-2.0
// The version, and errors: their names, messages and numbers, which are negated errno values.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include "compat/uv/internal/newer.hpp"

namespace gyre::uv {
namespace {

struct ErrorRow {
    int code;
    const char* name;
    const char* message;
};

constexpr ErrorRow rows[] = {
#define GYRE_UV_ROW(name, message) {UV_##name, #name, message},
    UV_ERRNO_MAP(GYRE_UV_ROW)
#undef GYRE_UV_ROW
    // Since 1.45.
    {-ENODATA, "ENODATA", "no data available"},
    {-EUNATCH, "EUNATCH", "protocol driver not attached"},
    {-ENOEXEC, "ENOEXEC", "exec format error"},
};

const ErrorRow* find(int code) noexcept {
    const auto* found =
        std::ranges::find_if(rows, [code](const ErrorRow& row) { return row.code == code; });
    return found == std::end(rows) ? nullptr : found;
}

char* write_text(const char* text, int code, char* buffer, std::size_t size) noexcept {
    if (text == nullptr) {
        std::snprintf(buffer, size, "Unknown system error %d", code);
    } else {
        std::snprintf(buffer, size, "%s", text);
    }
    return buffer;
}

// The interface returns a text that nobody frees. Each thread keeps the last few, so that a call for the message and one for
// the name, or for several errors of one line, do not overwrite each other.
const char* unknown(int code) noexcept {
    constexpr std::size_t text_count = 16;
    thread_local std::array<std::array<char, 48>, text_count> texts;
    thread_local std::size_t next = 0;
    std::array<char, 48>& text = texts[next++ % text_count];
    return write_text(nullptr, code, text.data(), text.size());
}

}  // namespace
}  // namespace gyre::uv

unsigned int uv_version(void) {
    return gyre::uv::version_hex;
}

const char* uv_version_string(void) {
    return gyre::uv::version_text;
}

const char* uv_strerror(int err) {
    const auto* row = gyre::uv::find(err);
    return row == nullptr ? gyre::uv::unknown(err) : row->message;
}

char* uv_strerror_r(int err, char* buf, size_t buflen) {
    const auto* row = gyre::uv::find(err);
    return gyre::uv::write_text(row == nullptr ? nullptr : row->message, err, buf, buflen);
}

const char* uv_err_name(int err) {
    const auto* row = gyre::uv::find(err);
    return row == nullptr ? gyre::uv::unknown(err) : row->name;
}

char* uv_err_name_r(int err, char* buf, size_t buflen) {
    const auto* row = gyre::uv::find(err);
    return gyre::uv::write_text(row == nullptr ? nullptr : row->name, err, buf, buflen);
}

int uv_translate_sys_error(int sys_errno) {
    return sys_errno <= 0 ? sys_errno : -sys_errno;
}
