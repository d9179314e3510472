// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/guest.hpp"

#include <charconv>
#include <utility>

#include "gyre/base/assert.hpp"
#include "lang/wasm/internal/session.hpp"
#include "lang/wasm/internal/store.hpp"

namespace gyre::wasm {

using effect::Arguments;
using effect::Continuation;
using effect::Step;
using effect::TaskHost;
using effect::Value;

namespace {

constexpr std::string_view callback_prefix = "voyd.callback:";

}  // namespace

WasmGuest::WasmGuest(std::shared_ptr<const Program> program, GuestOptions options)
    : program_(std::move(program)), options_(std::move(options)) {
    GYRE_ASSERT(program_ != nullptr, "a guest needs a program");
    ops_.assign(program_->ops().begin(), program_->ops().end());
    for (const HandledImport& import : options_.handled_imports) {
        ops_.emplace_back(import.module, import.name, effect::ResumeKind::tail);
    }
}
WasmGuest::~WasmGuest() {
    GYRE_ASSERT(runs_.empty(), "a guest outlives its runs");
}

std::string WasmGuest::callback_entry(std::int32_t id) {
    return std::string(callback_prefix) + std::to_string(id);
}

std::optional<std::int32_t> WasmGuest::callback_of(std::string_view entry) noexcept {
    if (!entry.starts_with(callback_prefix)) return std::nullopt;
    std::int32_t id = 0;
    const char* const end = entry.data() + entry.size();
    const auto read = std::from_chars(entry.data() + callback_prefix.size(), end, id);
    return read.ec == std::errc() && read.ptr == end ? std::optional(id) : std::nullopt;
}

// Few runs retain callbacks, and these are called at the speed of events.
std::shared_ptr<WasmGuest::Store> WasmGuest::store_with_callback(std::int32_t id) const {
    if (shared_ != nullptr && shared_->callbacks().find(id) != nullptr) return shared_;
    for (const auto& [run, session] : runs_) {
        const std::shared_ptr<Store>& store = session->store();
        if (store != nullptr && store->callbacks().find(id) != nullptr) return store;
    }
    return nullptr;
}

bool WasmGuest::release_callback(std::int32_t id) noexcept {
    const std::shared_ptr<Store> store = store_with_callback(id);
    return store != nullptr && store->callbacks().release(id);
}

void WasmGuest::forget_broken(const Store& store) noexcept {
    if (shared_.get() == &store && !store.is_set_up()) shared_.reset();
}

void WasmGuest::begin_run(effect::RunId run) {
    runs_.emplace(run, std::make_unique<Session>(*this, run));
}
void WasmGuest::end_run(effect::RunId run) noexcept {
    runs_.erase(run);
}

Step WasmGuest::start(std::string_view entry, Arguments arguments, TaskHost& tasks) {
    return runs_.at(tasks.run())->start(entry, std::move(arguments), tasks);
}
Step WasmGuest::resume(Continuation at, Value answer, TaskHost& tasks) {
    std::unique_ptr<Session::Strand> strand(reinterpret_cast<Session::Strand*>(at));
    Session& session = strand->session;
    return session.resume(std::move(strand), std::move(answer), tasks);
}
Step WasmGuest::end(Continuation at, Value value, TaskHost& tasks) {
    std::unique_ptr<Session::Strand> strand(reinterpret_cast<Session::Strand*>(at));
    Session& session = strand->session;
    return session.end(std::move(strand), std::move(value), tasks);
}
void WasmGuest::release(Continuation at) noexcept {
    delete reinterpret_cast<Session::Strand*>(at);
}
void WasmGuest::drop(effect::Held value) noexcept {
    const std::unique_ptr<Session::HeldRef> held(reinterpret_cast<Session::HeldRef*>(value));
    held->session.release(held->reference);
}

}  // namespace gyre::wasm
