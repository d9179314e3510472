// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/cancel.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace gyre {
namespace {

static_assert(std::is_nothrow_copy_constructible_v<Cancelled>, "make_exception_ptr copies it");

// Whether malloc has memory for one more Cancelled. Without any, the C++ runtime takes an exception
// from its reserve, and ends the program when that is used up: a crowd of requests must not do so.
bool has_memory_for_one() noexcept {
    constexpr std::size_t header_size_max = 256;  // of an exception, by the C++ ABI
    void* volatile probe = std::malloc(sizeof(Cancelled) + header_size_max);
    const bool has_memory = probe != nullptr;
    std::free(probe);
    return has_memory;
}

}  // namespace

Cancelled::Cancelled(CancelReason reason) noexcept : reason_(std::move(reason)) {
    text_.append("cancelled: ").append(reason_.why);
    if (!reason_.who.empty()) text_.append(", by ").append(reason_.who);
    std::array<char, std::numeric_limits<std::uint32_t>::digits10 + 1> line{};
    const char* const line_end =
        std::to_chars(line.data(), line.data() + line.size(), reason_.where.line()).ptr;
    text_.append(" (").append(reason_.where.file_name()).append(":");
    text_.append(std::string_view(line.data(), line_end)).append(")");
}

std::exception_ptr make_cancelled(CancelReason reason) noexcept {
    if (!has_memory_for_one()) return bare_cancelled();
    return std::make_exception_ptr(Cancelled(std::move(reason)));
}

const std::exception_ptr& bare_cancelled() noexcept {
    static const std::exception_ptr made =
        std::make_exception_ptr(Cancelled("cancelled, and there was no memory for the reason"));
    return made;
}

bool is_cancelled(const std::exception_ptr& failure) noexcept {
    if (failure == nullptr) return false;
    // Without throwing it, where the library tells its type: each task of a cancelled tree asks this.
#ifdef __GLIBCXX__
    if (*failure.__cxa_exception_type() == typeid(Cancelled)) return true;
#endif
    try {
        std::rethrow_exception(failure);
    } catch (const Cancelled&) {
        return true;
    } catch (...) {
        return false;
    }
}

}  // namespace gyre
