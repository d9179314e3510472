// SPDX-License-Identifier: Apache-2.0
#include "lang/script/quickjs/internal/shared_buffers.hpp"

#include <cstdlib>
#include <mutex>
#include <unordered_map>

namespace gyre::script::quickjs::shared {
namespace {

constexpr std::size_t default_limit = std::size_t{2} << 30u;

struct Block final : SharedMemory {
    explicit Block(std::size_t size) : data(std::calloc(size, 1)), size_bytes(size) {}
    ~Block() override { std::free(data); }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    void* const data;
    const std::size_t size_bytes;
};

// The blocks that buffers use, and by how many. QuickJS passes addresses only.
struct Table {
    struct Use {
        std::shared_ptr<Block> block;
        std::size_t count = 0;
    };
    std::mutex mutex;
    std::unordered_map<void*, Use> uses;
    std::size_t size_bytes = 0;
};

Table& table() {
    static auto* const made = new Table();  // Threads may end after main.
    return *made;
}

void* allocate(void* opaque, std::size_t size) {
    Table& all = table();
    const Limit& limit = *static_cast<const Limit*>(opaque);
    {
        const std::lock_guard lock(all.mutex);
        if (size <= limit.bytes && all.size_bytes <= limit.bytes - size) {
            auto block = std::make_shared<Block>(size);
            void* const data = block->data;
            if (data != nullptr) {
                all.size_bytes += size;
                all.uses.emplace(data, Table::Use{std::move(block), 1});
                return data;
            }
        }
    }
    JS_ThrowRangeError(limit.context, "Array buffer allocation failed");
    return nullptr;
}

void release(void* /*opaque*/, void* data) {
    Table& all = table();
    const std::lock_guard lock(all.mutex);
    const auto found = all.uses.find(data);
    if (found == all.uses.end() || --found->second.count > 0) return;
    all.size_bytes -= found->second.block->size_bytes;
    all.uses.erase(found);
}

void duplicate(void* /*opaque*/, void* data) {
    Table& all = table();
    const std::lock_guard lock(all.mutex);
    const auto found = all.uses.find(data);
    if (found != all.uses.end()) ++found->second.count;
}

}  // namespace

void set_functions(Limit& limit) {
    if (limit.bytes == 0) limit.bytes = default_limit;
    const JSSharedArrayBufferFunctions functions = {&allocate, &release, &duplicate, &limit};
    JS_SetSharedArrayBufferFunctions(JS_GetRuntime(limit.context), &functions);
}

std::shared_ptr<SharedMemory> find(void* data) {
    Table& all = table();
    const std::lock_guard lock(all.mutex);
    const auto found = all.uses.find(data);
    return found == all.uses.end() ? nullptr : found->second.block;
}

JSValue make_buffer(JSContext* context, const std::shared_ptr<SharedMemory>& memory) {
    const auto block = std::dynamic_pointer_cast<Block>(memory);
    if (block == nullptr) return JS_UNDEFINED;
    {
        Table& all = table();
        const std::lock_guard lock(all.mutex);
        Table::Use& use = all.uses[block->data];
        // No buffer had it any more, only a message.
        if (use.block == nullptr) all.size_bytes += block->size_bytes;
        use.block = block;
    }
    // Counts one more use of it.
    return JS_NewArrayBuffer(context, static_cast<std::uint8_t*>(block->data), block->size_bytes, 0,
                             nullptr, nullptr, true);
}

}  // namespace gyre::script::quickjs::shared
