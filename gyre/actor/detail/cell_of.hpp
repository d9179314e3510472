// SPDX-License-Identifier: Apache-2.0
// CellOf<A, Args...>: a cell with the storage of an actor object of class A and its constructor
// arguments. When the actor may be restarted the arguments are kept, and each object gets copies.
// Thread and lifetime as Cell.
#pragma once

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "gyre/actor/detail/actor_host.hpp"

namespace gyre::actor {

// The cell whose actor object is being constructed on this thread.
class ActorInConstruction {
public:
    explicit ActorInConstruction(Cell& cell) noexcept : before_(std::exchange(now_, &cell)) {}
    ~ActorInConstruction() { now_ = before_; }
    ActorInConstruction(const ActorInConstruction&) = delete;
    ActorInConstruction& operator=(const ActorInConstruction&) = delete;
    [[nodiscard]] static Cell& cell() noexcept {
        GYRE_ASSERT(now_ != nullptr,
                    "make an actor by spawn, not as an object of its own: its class derives "
                    "from Actor");
        return *now_;
    }

private:
    static constinit thread_local Cell* now_;
    Cell* const before_;
};

template <class A, class... Args>
class CellOf final : public Cell, public Allotted<alignof(A)> {
    static constexpr bool is_copyable =
        (std::is_copy_constructible_v<Args> && ...) && std::is_constructible_v<A, const Args&...>;

public:
    template <class... Given>
    CellOf(ActorHost& host, std::uint64_t id, ActorOptions& options, Cell* parent, Given&&... given)
        : Cell(&host, host.thread_mark(), id, options, parent),
          args_(std::forward<Given>(given)...),
          may_restart_(may_restart()) {
        GYRE_ASSERT(is_copyable || !may_restart_,
                    "an actor with OnFailure::restart needs copyable constructor arguments");
    }
    [[nodiscard]] const std::type_info& actor_type() const noexcept override { return typeid(A); }

private:
    ~CellOf() override {}  // NOLINT: the object is destroyed before

    void construct() override {
        const ActorInConstruction scope(*this);
        std::apply(
            [this](Args&... args) {
                if constexpr (is_copyable) {
                    if (may_restart_) {
                        std::construct_at(&actor_, std::as_const(args)...);
                        return;
                    }
                }
                std::construct_at(&actor_, std::move(args)...);
            },
            args_);
        object_ = &actor_;
    }
    void destruct() noexcept override {
        object_ = nullptr;
        std::destroy_at(&actor_);
    }
    void destroy() noexcept override { delete this; }

    [[no_unique_address]] std::tuple<Args...> args_;
    const bool may_restart_;
    union {
        A actor_;
    };
};

}  // namespace gyre::actor
