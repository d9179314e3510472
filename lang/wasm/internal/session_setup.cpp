// SPDX-License-Identifier: Apache-2.0
// The instance of a session: its imports, its memory, and the message that a panic leaves.
#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/effect/run_outcome.hpp"
#include "lang/wasm/internal/session.hpp"

namespace gyre::wasm {

using effect::ErrorKind;
using effect::ProtocolError;
using effect::TaskHost;

namespace {

constexpr std::size_t first_generation_buffer = 4'096;
constexpr std::size_t second_generation_buffer = 131'072;
constexpr std::size_t panic_size_max = 65'536;
constexpr std::string_view attached_prefix = "spawn_attached__";
constexpr std::string_view detached_prefix = "spawn_detached__";

std::size_t buffer_size_of(const Program& program, const GuestOptions& options) {
    if (options.buffer_size_bytes != 0) return options.buffer_size_bytes;
    return program.generation() == Generation::first ? first_generation_buffer
                                                     : second_generation_buffer;
}

}  // namespace

WasmGuest::Session::Session(const Program& program, const GuestOptions& options, effect::RunId run)
    : program_(program),
      options_(options),
      run_(run),
      buffer_size_(buffer_size_of(program, options)),
      instance_(program.module().make_instance(options.limits, make_imports())) {}

WasmGuest::Session::~Session() {
    GYRE_ASSERT(tasks_ == nullptr, "a session ends outside of its calls");
}

HostFunction WasmGuest::Session::spawner(TaskHost::Spawn how, std::string starter) {
    return [this, how, starter = std::move(starter)](
               Instance& instance, std::span<const Cell> arguments, std::span<Cell> results) {
        auto strand = std::make_unique<Strand>(*this);
        strand->task = ++last_task_;
        strand->starter = starter;
        strand->phase = Phase::entry;
        for (Cell one : arguments) {
            if (one.kind == CellKind::ref) one.ref = instance.clone(one.ref);
            strand->starter_arguments.push_back(one);
        }
        const auto body = reinterpret_cast<effect::Continuation>(strand.release());
        results[0] = cell(tasks_->spawn(how, body));
    };
}

std::vector<HostImport> WasmGuest::Session::make_imports() {
    std::vector<HostImport> imports;
    if (options_.imports) imports = options_.imports(run_);
    for (const Item& item : program_.module().imports()) {
        if (item.module != "voyd.task" || item.kind != ItemKind::function) continue;
        const std::string_view name = item.name;
        HostFunction function;
        const bool takes_number = item.params == std::vector{CellKind::i32};
        const bool gives_number = item.results == std::vector{CellKind::i32};
        const bool gives_reference = item.results == std::vector{CellKind::ref};
        const bool fits = name == "cancel"       ? takes_number && gives_number
                          : name == "take_value" ? takes_number && gives_reference
                                                 : gives_number;
        if (!fits) continue;  // of another type: nothing provides it
        if (name.starts_with(attached_prefix)) {
            function = spawner(TaskHost::Spawn::attached,
                               std::string(name.substr(attached_prefix.size())));
        } else if (name.starts_with(detached_prefix)) {
            function = spawner(TaskHost::Spawn::detached,
                               std::string(name.substr(detached_prefix.size())));
        } else if (name == "cancel") {
            function = [this](Instance&, std::span<const Cell> arguments, std::span<Cell> results) {
                results[0] = cell(tasks_->cancel(arguments[0].i32) ? 1 : 0);
            };
        } else if (name == "take_value") {
            function = [this](Instance&, std::span<const Cell> arguments, std::span<Cell> results) {
                const std::unique_ptr<HeldRef> held(
                    reinterpret_cast<HeldRef*>(tasks_->take_held(arguments[0].i32)));
                results[0] = cell_of(held == nullptr ? 0 : held->reference);
            };
        } else {
            continue;
        }
        imports.push_back({item.module, item.name, std::move(function)});
    }
    return imports;
}

Instance::Function WasmGuest::Session::need(std::string_view name) {
    const auto function = instance_->find(name);
    if (!function) {
        throw ProtocolError(ErrorKind::unknown_export,
                            "the module has no export " + std::string(name));
    }
    return *function;
}

// After the instance was made: finds what the protocol calls, and tells the module the handles of its ops.
void WasmGuest::Session::set_up() {
    if (program_.generation() == Generation::plain) {
        static_cast<void>(instance_->use_memory("memory"));
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
        static_cast<void>(instance_->call(*init, std::array{cell(static_cast<int>(table))}));
    }
    const bool has_effects = std::ranges::any_of(program_.functions(), [](const auto& function) {
        return function.kind == ExportedFunction::Kind::effectful;
    });
    if (!has_effects) return;
    functions_.status = need("effect_status");
    functions_.length = need("effect_len");
    functions_.continuation = need("effect_cont");
    functions_.resume = need("resume_effectful");
    if (program_.generation() == Generation::first) return;
    const bool is_raw = std::ranges::any_of(program_.functions(),
                                            [](const auto& function) { return function.is_raw; });
    if (!is_raw) return;
    functions_.encode = need("handle_outcome");
    functions_.resume_raw = need("resume_effectful_raw");
    if (const auto end = instance_->find("end_request_raw")) {
        functions_.end_raw = *end;
        functions_.has_end_raw = true;
    }
}

// A buffer of at least this size, up to the limit. The old one of the strand is free for others.
void WasmGuest::Session::reserve_buffer(Strand& strand, std::size_t size) {
    const std::size_t limit = std::max(options_.buffer_max_bytes, buffer_size_);
    size = std::min(std::max(size, buffer_size_), limit);
    if (strand.buffer_size >= size) return;
    const auto found = std::ranges::find_if(
        free_buffers_, [size](const auto& buffer) { return buffer.second >= size; });
    const std::pair old(strand.buffer, strand.buffer_size);
    strand.buffer_size = 0;
    const bool is_reused = found != free_buffers_.end();
    if (is_reused) {
        std::tie(strand.buffer, strand.buffer_size) = *found;
        free_buffers_.erase(found);
    }
    if (old.second > 0) free_buffers_.push_back(old);
    if (is_reused) return;
    if (buffers_end_ + size > INT32_MAX || !instance_->grow_memory(buffers_end_ + size)) {
        throw ProtocolError(ErrorKind::memory_limit,
                            "no memory for a buffer of " + std::to_string(size) + " bytes");
    }
    strand.buffer = buffers_end_;
    strand.buffer_size = size;
    buffers_end_ += (size + 7) / 8 * 8;
}

// Copies the frame in `scratch_` into the strand's buffer.
void WasmGuest::Session::write_frame(Strand& strand) {
    const bool has_buffer = strand.buffer_size > 0;
    if (scratch_.size() > (has_buffer ? strand.buffer_size : buffer_size_)) {
        if (!has_buffer || scratch_.size() > options_.buffer_max_bytes) {
            throw ProtocolError(ErrorKind::buffer_overflow, "resume payload exceeds buffer size");
        }
        reserve_buffer(strand, scratch_.size());
    }
    const std::span<std::byte> memory = instance_->memory();
    if (strand.buffer + scratch_.size() > memory.size()) {
        throw ProtocolError(ErrorKind::memory_limit, "the module's memory has shrunk");
    }
    std::memcpy(memory.data() + strand.buffer, scratch_.data(), scratch_.size());
    strand.frame_size = scratch_.size();
    if (options_.on_frame) options_.on_frame(FrameDirection::into_guest, scratch_);
}

std::string_view WasmGuest::Session::memory_at(std::size_t offset, std::size_t size) {
    const std::span<std::byte> memory = instance_->memory();
    if (offset > memory.size() || size > memory.size() - offset) {
        throw ProtocolError(ErrorKind::decode_failed, "a frame outside of the module's memory");
    }
    return {reinterpret_cast<const char*>(memory.data()) + offset, size};
}

// A trap may have left a message: then it is a panic.
void WasmGuest::Session::rethrow_with_panic(const std::exception_ptr& thrown) {
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
