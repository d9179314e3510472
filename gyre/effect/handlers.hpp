// SPDX-License-Identifier: Apache-2.0
// Handlers: the capabilities of a host: which function answers which op. Found by effect, op and
// signature, all three; what is not there is never taken from elsewhere. Fill it before the first
// run that uses it starts; then it is only read, also by several loops, as far as its functions may
// be. It outlives those runs.
//
//     Handlers handlers;
//     handlers.on(Async::await, [](int n) { return resume(n + 1); });
//     handlers.on(Async::fetch, [](Context& context, std::string url) -> Future<std::string> { …
//     });
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gyre/effect/handler.hpp"

namespace gyre::effect {

class Handlers {
public:
    Handlers() = default;
    Handlers(Handlers&&) noexcept = default;
    Handlers& operator=(Handlers&&) noexcept = default;

    // An op with types. A second handler for the same op and signature is an error.
    template <class R, class... Args, ResumeKind kind, class F>
    Handlers& on(const TypedOp<R(Args...), kind>& op, F function) {
        add(op.info, std::make_unique<TypedHandler<F, kind, R, Args...>>(std::move(function)));
        return *this;
    }
    // An op by its names. With `any_signature` it takes those that no other handler takes.
    template <class F>
    Handlers& on(std::string_view effect, std::string_view op, std::uint32_t signature,
                 F function) {
        add(OpInfo(effect, op, ResumeKind::resume, signature),
            std::make_unique<UntypedHandler<F>>(std::move(function)));
        return *this;
    }
    void add(const OpInfo& op, std::unique_ptr<Handler> handler);

    // Null where there is none.
    [[nodiscard]] Handler* find(const OpInfo& op) const noexcept;
    // Whether there is one for exactly this signature.
    [[nodiscard]] bool has(const OpInfo& op) const noexcept {
        return find_entry(op, op.signature) != nullptr;
    }
    // Whether the op is handled with another signature: for messages.
    [[nodiscard]] bool has_other_signature(const OpInfo& op) const noexcept;
    [[nodiscard]] std::size_t size() const noexcept { return count_; }

private:
    struct Entry {
        std::uint64_t key = 0;
        std::uint32_t signature = 0;
        std::string effect;
        std::string op;
        std::unique_ptr<Handler> handler;  // null: free
    };
    [[nodiscard]] const Entry* find_entry(const OpInfo& op, std::uint32_t signature) const noexcept;
    void place(Entry entry);

    std::vector<Entry> table_;  // open addressing, a power of two, at most half full
    std::size_t count_ = 0;
};

}  // namespace gyre::effect
