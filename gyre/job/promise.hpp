// SPDX-License-Identifier: Apache-2.0
// Promise: ECMA-262's promise, for hosts whose engine has none. Reactions are jobs, each through
// HostEnqueuePromiseJob; resolving with a promise or a thenable adopts it in a job of its own; a
// rejection without a handler is tracked.
//
//     auto [promise, resolvers] = job::Promise::with_resolvers(scheduler);
//     promise.then([](const job::Value& value) { return value; });
//     resolvers.resolve(42);
//
// Thread: the host's.
// Lifetime: a value that shares its state with its copies; the host outlives it.
#pragma once

#include <any>
#include <functional>
#include <memory>
#include <utility>

#include "gyre/job/host.hpp"

namespace gyre::job {

// The value of a promise. A Promise or a std::shared_ptr<Thenable> in it is adopted.
using Value = std::any;

// Throw it in a handler to reject with a value. Any other exception rejects with its
// std::exception_ptr.
struct Rejection {
    Value reason;
};

class Promise;

// The two functions that settle a promise: only the first call of either has an effect.
class Resolvers {
public:
    void resolve(Value value = {}) const;
    void reject(Value reason) const;

private:
    friend class Promise;
    struct Shared;
    explicit Resolvers(std::shared_ptr<Shared> shared) noexcept : shared_(std::move(shared)) {}
    std::shared_ptr<Shared> shared_;
};

// An object of the host with a `then`. Wrap it in a std::shared_ptr<Thenable>.
class Thenable {
public:
    virtual ~Thenable() = default;
    virtual void then(Resolvers resolvers) = 0;
};

class Promise {
public:
    using Handler = std::function<Value(const Value&)>;
    enum class State { pending, fulfilled, rejected };

    struct WithResolvers;
    [[nodiscard]] static WithResolvers with_resolvers(PromiseHost& host);
    // As JavaScript's Promise.resolve: a promise is returned unchanged.
    [[nodiscard]] static Promise resolve(PromiseHost& host, Value value = {});
    [[nodiscard]] static Promise reject(PromiseHost& host, Value reason);

    // An empty handler passes its argument on.
    Promise then(Handler on_fulfilled, Handler on_rejected = {}) const;
    Promise catch_error(Handler on_rejected) const { return then({}, std::move(on_rejected)); }
    // As JavaScript's `await`: does not make a derived promise.
    void when_settled(Handler on_fulfilled, Handler on_rejected) const;

    [[nodiscard]] State state() const noexcept;
    // The value or the reason; empty while pending.
    [[nodiscard]] const Value& result() const noexcept;
    [[nodiscard]] PromiseId id() const noexcept;

private:
    friend class Resolvers;
    class Core;
    class HeldContext;
    void when_adopted(const Resolvers& by) const;
    explicit Promise(std::shared_ptr<Core> core) noexcept : core_(std::move(core)) {}
    std::shared_ptr<Core> core_;
};

struct Promise::WithResolvers {
    Promise promise;
    Resolvers resolvers;
};

}  // namespace gyre::job
