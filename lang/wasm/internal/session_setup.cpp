// SPDX-License-Identifier: Apache-2.0
// The store that a run uses, its strands, and their buffers.
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/effect/run_outcome.hpp"
#include "lang/wasm/internal/schema.hpp"
#include "lang/wasm/internal/session.hpp"
#include "lang/wasm/internal/store.hpp"

namespace gyre::wasm {

using effect::ErrorKind;
using effect::ProtocolError;

// A callback runs where it was retained, another entry in a store of its own or in the shared one.
void WasmGuest::Session::join_store(std::string_view entry) {
    GYRE_ASSERT(store_ == nullptr, "a run starts once");
    if (const auto callback = callback_of(entry)) {
        store_ = guest_.store_with_callback(*callback);
        if (store_ != nullptr) return;
        throw ProtocolError(ErrorKind::unknown_export,
                            "a retained callback is stale or has already completed");
    }
    if (program_.find(entry) == nullptr) {
        throw ProtocolError(ErrorKind::unknown_export,
                            "the module exports no function " + std::string(entry));
    }
    if (!options_.shares_store) {
        store_ = std::make_shared<Store>(guest_, run_);
        return;
    }
    if (guest_.shared_ == nullptr) guest_.shared_ = std::make_shared<Store>(guest_, run_);
    store_ = guest_.shared_;
}

std::unique_ptr<WasmGuest::Session::Strand> WasmGuest::Session::make_root(
    std::string_view entry, effect::Arguments arguments) {
    auto strand = std::make_unique<Strand>(*this);
    strand->arguments = std::move(arguments);
    if (const auto callback = callback_of(entry)) {
        const Callback* found = store_->callbacks().find(*callback);
        GYRE_ASSERT(found != nullptr, "a callback is in the store that was found by it");
        const CallbackType* type = program_.callback(found->name);
        strand->kind = Strand::Kind::callback;
        strand->callback = *callback;
        strand->name = found->name;
        strand->completion_id = ++guest_.last_invocation_;
        strand->result = type == nullptr ? nullptr : type->result.get();
        return strand;
    }
    strand->function = program_.find(entry);
    strand->name = strand->function->name;
    strand->completion_id = strand->function->id;
    strand->result = strand->function->result.get();
    strand->is_raw = strand->function->is_raw;
    return strand;
}

effect::Continuation WasmGuest::Session::make_task(std::string starter,
                                                   std::vector<Cell> arguments) {
    auto strand = std::make_unique<Strand>(*this);
    strand->kind = Strand::Kind::task;
    strand->phase = Phase::entry;
    strand->completion_id = ++last_task_;
    strand->result = program_.task_result(starter);
    strand->name = std::move(starter);
    strand->starter_arguments = std::move(arguments);
    return reinterpret_cast<effect::Continuation>(strand.release());
}

// The old buffer of the strand is free for others.
void WasmGuest::Session::reserve_buffer(Strand& strand, std::size_t size) {
    const Store::Buffer old{.at = strand.buffer,
                            .size = std::exchange(strand.buffer_size, std::size_t{0})};
    const Store::Buffer made = store_->reserve(old, size);
    strand.buffer = made.at;
    strand.buffer_size = made.size;
}

void WasmGuest::Session::lend_buffer(Strand& strand) {
    strand.lent_size = strand.buffer_size;
    store_->free({.at = strand.buffer, .size = std::exchange(strand.buffer_size, std::size_t{0})});
}

void WasmGuest::Session::reserve_lent_buffer(Strand& strand) {
    if (strand.buffer_size == 0) reserve_buffer(strand, strand.lent_size);
}

void WasmGuest::Session::write_frame(Strand& strand) {
    const bool has_buffer = strand.buffer_size > 0;
    if (scratch_.size() > (has_buffer ? strand.buffer_size : store_->buffer_size())) {
        if (!has_buffer || scratch_.size() > options_.buffer_max_bytes) {
            throw ProtocolError(ErrorKind::buffer_overflow, "resume payload exceeds buffer size");
        }
        reserve_buffer(strand, scratch_.size());
    }
    store_->write_frame(strand.buffer, scratch_);
    strand.frame_size = scratch_.size();
}

}  // namespace gyre::wasm
