// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/internal/callbacks.hpp"

#include <algorithm>
#include <utility>

#include "gyre/effect/run_outcome.hpp"

namespace gyre::wasm {

using effect::ErrorKind;
using effect::ProtocolError;

std::int32_t Callbacks::retain(std::string name, Ref reference) {
    if (callbacks_.size() >= count_max) {
        release_(reference);
        throw ProtocolError(ErrorKind::memory_limit,
                            "the module has retained more callbacks than callback_count_max (" +
                                std::to_string(count_max) + ")");
    }
    std::int32_t id = 0;
    while (id == 0 || callbacks_.contains(id)) {
        id = static_cast<std::int32_t>(random_.next() & INT32_MAX);
    }
    callbacks_.emplace(id, Callback{std::move(name), reference});
    return id;
}

const Callback* Callbacks::find(std::int32_t id) const noexcept {
    const auto found = callbacks_.find(id);
    return found == callbacks_.end() ? nullptr : &found->second;
}

bool Callbacks::release(std::int32_t id) noexcept {
    const auto found = callbacks_.find(id);
    if (found == callbacks_.end()) return false;
    release_(found->second.reference);
    callbacks_.erase(found);
    return true;
}

void Callbacks::add(CallbackScopes& to, std::int32_t id) {
    (to.open.empty() ? to.unscoped : to.open.back().callbacks).push_back(id);
}

std::int32_t Callbacks::begin_scope(CallbackScopes& scopes) {
    scopes.open.push_back({.id = ++last_scope_, .callbacks = {}});
    return last_scope_;
}

void Callbacks::end_scope(CallbackScopes& scopes, std::int32_t id) {
    if (scopes.open.empty() || scopes.open.back().id != id) {
        throw ProtocolError(ErrorKind::guest_failed, "the callback scope " + std::to_string(id) +
                                                         " is not the innermost of its task");
    }
    for (const std::int32_t callback : scopes.open.back().callbacks) release(callback);
    scopes.open.pop_back();
}

void Callbacks::claim(CallbackScopes& scopes, std::int32_t id) {
    const auto found = std::ranges::find(scopes.unscoped, id);
    if (found == scopes.unscoped.end()) return;
    if (scopes.open.empty()) {
        throw ProtocolError(ErrorKind::guest_failed,
                            "a callback is claimed outside of any callback scope");
    }
    scopes.unscoped.erase(found);
    scopes.open.back().callbacks.push_back(id);
}

void Callbacks::end_task(CallbackScopes& scopes) noexcept {
    for (const CallbackScopes::Scope& scope : scopes.open) {
        for (const std::int32_t callback : scope.callbacks) release(callback);
    }
    scopes.open.clear();
}

}  // namespace gyre::wasm
