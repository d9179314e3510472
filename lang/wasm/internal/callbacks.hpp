// SPDX-License-Identifier: Apache-2.0
// Callbacks: the functions that a module has retained for its host, by numbers that nobody can guess, and the scopes that
// release them. A scope belongs to a task: its callbacks go when it ends, at the latest with the task. The
// scheduler's thread; it goes with its store.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gyre/base/random.hpp"
#include "lang/wasm/engine.hpp"

namespace gyre::wasm {

struct Callback {
    std::string name;  // of the export that calls it
    Ref reference = 0;
};

// The scopes of one task, the innermost last, and the callbacks that it has retained outside of any.
struct CallbackScopes {
    struct Scope {
        std::int32_t id = 0;
        std::vector<std::int32_t> callbacks;
    };
    std::vector<Scope> open;
    std::vector<std::int32_t> unscoped;
};

class Callbacks {
public:
    static constexpr std::size_t count_max = 10'000;

    // `release` gives a reference back to the instance.
    Callbacks(std::uint64_t seed, std::function<void(Ref)> release)
        : random_(seed), release_(std::move(release)) {}

    // Takes the reference over. Throws a ProtocolError beyond count_max.
    [[nodiscard]] std::int32_t retain(std::string name, Ref reference);
    // Null: it was released, or there was none.
    [[nodiscard]] const Callback* find(std::int32_t id) const noexcept;
    bool release(std::int32_t id) noexcept;
    [[nodiscard]] std::size_t size() const noexcept { return callbacks_.size(); }

    // The callback belongs to the innermost scope of the task, or to none of them yet.
    static void add(CallbackScopes& to, std::int32_t id);
    [[nodiscard]] std::int32_t begin_scope(CallbackScopes& scopes);
    // Throws a ProtocolError unless the scope is the innermost one.
    void end_scope(CallbackScopes& scopes, std::int32_t id);
    // Moves a callback of the task that is in no scope into the innermost one.
    static void claim(CallbackScopes& scopes, std::int32_t id);
    // The task has ended.
    void end_task(CallbackScopes& scopes) noexcept;

private:
    Random random_;
    const std::function<void(Ref)> release_;
    std::map<std::int32_t, Callback> callbacks_;
    std::int32_t last_scope_ = 0;
};

}  // namespace gyre::wasm
