// SPDX-License-Identifier: Apache-2.0
// CellOf<A, Args...>: a cell with room for an object of class A, and what it is made of. Where the
// actor may be restarted, that is kept, and each object gets a copy. Lives as Cell says.
#pragma once

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "gyre/actor/host.hpp"

namespace gyre::actor {

// While an actor's constructor runs on this thread: its cell.
class Making {
public:
    explicit Making(Cell& cell) noexcept : before_(std::exchange(now_, &cell)) {}
    ~Making() { now_ = before_; }
    Making(const Making&) = delete;
    Making& operator=(const Making&) = delete;
    [[nodiscard]] static Cell& cell() noexcept {
        GYRE_ASSERT(now_ != nullptr,
                    "an actor is made by spawn, not as an object of its own: its class derives "
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
    CellOf(Host& host, std::uint64_t id, ActorOptions& options, Cell* parent, Given&&... given)
        : Cell(&host, host.thread_mark(), id, options, parent),
          args_(std::forward<Given>(given)...),
          may_restart_(options.on_failure == OnFailure::restart) {
        GYRE_ASSERT(is_copyable || !may_restart_,
                    "an actor that is to be restarted is made of what can be copied");
    }
    [[nodiscard]] const std::type_info& actor_type() const noexcept override { return typeid(A); }

private:
    ~CellOf() override {}  // NOLINT: the object is gone by then

    void construct() override {
        const Making making(*this);
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
