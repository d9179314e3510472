// SPDX-License-Identifier: Apache-2.0
// Compiled without type information: V8's library has none for the class that this derives from.
#include "lang/script/v8/internal/buffers.hpp"

#include <algorithm>
#include <cstdlib>

#include "gyre/base/detail/atomic.hpp"

namespace gyre::script::v8 {
namespace {

class Buffers final : public ::v8::ArrayBuffer::Allocator {
public:
    explicit Buffers(std::size_t limit_bytes) noexcept : limit_(limit_bytes) {}

    void* Allocate(std::size_t length) override {
        if (limit_ != 0 && used_.fetch_add(length) + length > limit_) {
            used_.fetch_sub(length);
            return nullptr;
        }
        return std::calloc(std::max<std::size_t>(length, 1), 1);
    }
    void* AllocateUninitialized(std::size_t length) override { return Allocate(length); }
    void Free(void* data, std::size_t length) override {
        if (limit_ != 0) used_.fetch_sub(length);
        std::free(data);
    }

private:
    const std::size_t limit_;
    Atomic<std::size_t> used_{0};
};

}  // namespace

std::shared_ptr<::v8::ArrayBuffer::Allocator> make_buffers(std::size_t limit_bytes) {
    return std::make_shared<Buffers>(limit_bytes);
}

}  // namespace gyre::script::v8
