// SPDX-License-Identifier: Apache-2.0
// Promise: a promise as ECMA-262 defines it, for hosts whose engine has none: reactions are jobs,
// each through HostEnqueuePromiseJob; a promise or thenable that one is resolved with is adopted in
// a job of its own; a rejection without a handler is tracked. A value that shares its state with
// its copies. Belongs to the thread of its host, which outlives it.
#pragma once

#include <any>
#include <functional>
#include <memory>
#include <utility>

#include "gyre/job/host.hpp"

namespace gyre::job {

// What a promise is settled with. One that holds a Promise or a Thenable is adopted.
using Value = std::any;

// Throw it in a handler to reject with a value. Any other exception rejects with its
// std::exception_ptr.
struct Rejection {
    Value reason;
};

class Promise;

// The two functions that settle a promise: of all calls of both only the first counts.
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

// Something of the host with a `then` of its own. Wrap it in a std::shared_ptr<Thenable>.
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
    // As Promise.resolve: a promise is returned as it is.
    [[nodiscard]] static Promise resolve(PromiseHost& host, Value value = {});
    [[nodiscard]] static Promise reject(PromiseHost& host, Value reason);

    // An empty handler passes on what it would have been given.
    Promise then(Handler on_fulfilled, Handler on_rejected = {}) const;
    Promise catch_error(Handler on_rejected) const { return then({}, std::move(on_rejected)); }
    // What `await` does with a promise: no promise of its own comes of it.
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
