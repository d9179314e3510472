// SPDX-License-Identifier: Apache-2.0
#include "compat/uv/internal/memory.hpp"

#include <cstdlib>
#include <cstring>

namespace gyre::uv {
namespace {

struct Allocator {
    uv_malloc_func allocate = std::malloc;
    uv_realloc_func resize = std::realloc;
    uv_calloc_func allocate_zeroed = std::calloc;
    uv_free_func release = std::free;
};
Allocator allocator;

}  // namespace

void* allocate(std::size_t size) noexcept {
    return allocator.allocate(size == 0 ? 1 : size);
}

// errno stays: a caller reports the error of what came before.
void release(void* memory) noexcept {
    const int saved = errno;
    allocator.release(memory);
    errno = saved;
}

char* copy_text(std::string_view text) noexcept {
    auto* copy = static_cast<char*>(allocate(text.size() + 1));
    if (copy == nullptr) return nullptr;
    std::memcpy(copy, text.data(), text.size());
    copy[text.size()] = '\0';
    return copy;
}

int put_text(std::string_view text, char* buffer, std::size_t* size) noexcept {
    if (buffer == nullptr || size == nullptr || *size == 0) return UV_EINVAL;
    if (text.size() >= *size) {
        *size = text.size() + 1;
        return UV_ENOBUFS;
    }
    std::memcpy(buffer, text.data(), text.size());
    buffer[text.size()] = '\0';
    *size = text.size();
    return 0;
}

}  // namespace gyre::uv

int uv_replace_allocator(uv_malloc_func malloc_func, uv_realloc_func realloc_func,
                         uv_calloc_func calloc_func, uv_free_func free_func) {
    if (malloc_func == nullptr || realloc_func == nullptr || calloc_func == nullptr ||
        free_func == nullptr) {
        return UV_EINVAL;
    }
    gyre::uv::allocator = {malloc_func, realloc_func, calloc_func, free_func};
    return 0;
}
