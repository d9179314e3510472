// SPDX-License-Identifier: Apache-2.0
// The instance of a store, its memory, and the message that a panic leaves.
#include "lang/wasm/internal/store.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/effect/run_outcome.hpp"

namespace gyre::wasm {

using effect::ErrorKind;
using effect::ProtocolError;

namespace {

constexpr std::size_t first_generation_buffer = 4'096;
constexpr std::size_t second_generation_buffer = 131'072;
constexpr std::size_t panic_size_max = 65'536;

std::size_t buffer_size_of(const Program& program, const GuestOptions& options) {
    if (options.buffer_size_bytes != 0) return options.buffer_size_bytes;
    return program.generation() == Generation::first ? first_generation_buffer
                                                     : second_generation_buffer;
}

}  // namespace

WasmGuest::Store::Store(WasmGuest& guest, effect::RunId first_run)
    : guest_(guest),
      program_(*guest.program_),
      options_(guest.options_),
      buffer_size_(buffer_size_of(program_, options_)),
      callbacks_(options_.seed + first_run, [this](Ref reference) { release(reference); }),
      instance_(program_.module().make_instance(options_.limits, make_imports(first_run))) {
    ++guest_.store_count_;
}

WasmGuest::Store::~Store() {
    GYRE_ASSERT(active.session == nullptr, "a store goes outside of its calls");
    GYRE_ASSERT(released_.empty(), "references are kept only while a call is inside");
    --guest_.store_count_;
}

Instance::Function WasmGuest::Store::need(std::string_view name) {
    const auto function = instance_->find(name);
    if (!function) {
        throw ProtocolError(ErrorKind::unknown_export,
                            "the module has no export " + std::string(name));
    }
    return *function;
}

void WasmGuest::Store::set_up() {
    if (program_.generation() == Generation::plain) {
        static_cast<void>(instance_->use_memory("memory"));
        is_set_up_ = true;
        return;
    }
    const bool has_memory =
        instance_->use_memory("memory") || instance_->use_memory("effects_memory");
    const std::size_t op_count = program_.ops().size();
    const std::size_t table = 2 * buffer_size_;
    buffers_end_ = (table + 4 * op_count + 7) / 8 * 8;
    if (!has_memory) {
        throw ProtocolError(ErrorKind::unknown_export, "the module exports no memory");
    }
    if (!instance_->grow_memory(buffers_end_)) {
        throw ProtocolError(ErrorKind::memory_limit, "no memory for the buffers of the protocol");
    }
    if (const auto init = instance_->find("init_effects")) {
        for (std::uint32_t i = 0; i < op_count; ++i) {
            std::byte* at = instance_->memory().data() + table + 4 * std::size_t{i};
            for (unsigned shift = 0; shift < 32; shift += 8) *at++ = std::byte(i >> shift & 0xFFu);
        }
        const Cell result = instance_->call(*init, std::array{cell(static_cast<int>(table))});
        if (result.kind == CellKind::ref) release(result.ref);  // a module that lies has one
    }
    find_functions();
    is_set_up_ = true;
}

void WasmGuest::Store::find_functions() {
    const bool has_effects = std::ranges::any_of(program_.functions(), [](const auto& function) {
        return function.kind == ExportedFunction::Kind::effectful;
    });
    const bool has_callbacks = program_.has_raw_path() && program_.has_callbacks();
    if (!has_effects && !has_callbacks) return;
    functions_.status = need("effect_status");
    functions_.length = need("effect_len");
    functions_.continuation = need("effect_cont");
    functions_.resume = need("resume_effectful");
    if (!program_.has_raw_path()) return;
    functions_.encode = need("handle_outcome");
    functions_.has_raw = true;
    functions_.resume_raw = need("resume_effectful_raw");
    if (const auto end = instance_->find("end_request_raw")) {
        functions_.end_raw = *end;
        functions_.has_end_raw = true;
    }
}

WasmGuest::Store::Buffer WasmGuest::Store::reserve(Buffer old, std::size_t size) {
    const std::size_t limit = std::max(options_.buffer_max_bytes, buffer_size_);
    size = std::min(std::max(size, buffer_size_), limit);
    if (old.size >= size) return old;
    const auto found = std::ranges::find_if(
        free_buffers_, [size](const Buffer& buffer) { return buffer.size >= size; });
    Buffer made;
    const bool is_reused = found != free_buffers_.end();
    if (is_reused) {
        made = *found;
        free_buffers_.erase(found);
    }
    if (old.size > 0) free_buffers_.push_back(old);
    if (is_reused) return made;
    if (buffers_end_ + size > INT32_MAX || !instance_->grow_memory(buffers_end_ + size)) {
        throw ProtocolError(ErrorKind::memory_limit,
                            "no memory for a buffer of " + std::to_string(size) + " bytes");
    }
    made = {.at = buffers_end_, .size = size};
    buffers_end_ += (size + 7) / 8 * 8;
    return made;
}

void WasmGuest::Store::write_frame(std::size_t at, std::string_view frame) {
    const std::span<std::byte> memory = instance_->memory();
    if (at > memory.size() || frame.size() > memory.size() - at) {
        throw ProtocolError(ErrorKind::memory_limit, "a frame outside of the module's memory");
    }
    std::memcpy(memory.data() + at, frame.data(), frame.size());
    if (options_.on_frame) options_.on_frame(FrameDirection::into_guest, frame);
}

std::string_view WasmGuest::Store::memory_at(std::size_t offset, std::size_t size) {
    const std::span<std::byte> memory = instance_->memory();
    if (offset > memory.size() || size > memory.size() - offset) {
        throw ProtocolError(ErrorKind::decode_failed, "a frame outside of the module's memory");
    }
    return {reinterpret_cast<const char*>(memory.data()) + offset, size};
}

void WasmGuest::Store::release(Ref reference) noexcept {
    if (reference == 0) return;
    if (inside != nullptr) {
        released_.push_back(reference);
    } else {
        instance_->release(reference);
    }
}

void WasmGuest::Store::release_late() noexcept {
    while (!released_.empty()) {
        instance_->release(released_.back());
        released_.pop_back();
    }
}

void WasmGuest::Store::rethrow_with_panic(const std::exception_ptr& thrown) {
    const auto at = instance_->global("__voyd_panic_ptr");
    const auto size = instance_->global("__voyd_panic_len");
    if (!at || !size || *at == -1 || *size < 0) std::rethrow_exception(thrown);
    const auto begin = static_cast<std::size_t>(static_cast<std::uint32_t>(*at));
    const auto length = std::min(static_cast<std::size_t>(*size), panic_size_max);
    const std::span<std::byte> memory = instance_->memory();
    if (begin > memory.size() || length > memory.size() - begin) std::rethrow_exception(thrown);
    const std::string text(reinterpret_cast<const char*>(memory.data()) + begin, length);
    instance_->set_global("__voyd_panic_ptr", -1);
    instance_->set_global("__voyd_panic_len", 0);
    try {
        std::rethrow_exception(thrown);
    } catch (const effect::GuestTrap& trap) {
        throw effect::GuestTrap(ErrorKind::panic, text, trap.place());
    }
}

}  // namespace gyre::wasm
