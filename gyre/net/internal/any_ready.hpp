// SPDX-License-Identifier: Apache-2.0
// `co_await AnyReady(watches, until)` waits until one of several descriptors is ready, or until
// that time; each watch then holds the events of its descriptor. For libraries that own
// descriptors, such as c-ares. Cancel class: did nothing. Only on the loop's thread.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "gyre/io/io_ops.hpp"
#include "gyre/task/core/detail/coroutine.hpp"
#include "gyre/task/core/detail/suspension.hpp"
#include "gyre/task/core/executor.hpp"

namespace gyre::net {

struct Watch {
    Fd fd;
    Events wanted;
    Events got = Events::none;
};

class [[nodiscard]] AnyReady {
public:
    static constexpr std::size_t watches_max = 16;

    AnyReady(std::span<Watch> watches, Instant until) noexcept : watches_(watches), until_(until) {}

    class Await final : public TimerWait {
    public:
        Await(PromiseBase& promise, const AnyReady& wait) noexcept
            : TimerWait(wait.until_), watches_(wait.watches_) {
            attach(promise);
        }
        [[nodiscard]] bool await_ready() noexcept { return begin(); }
        void await_suspend(std::coroutine_handle<> by) noexcept;
        void await_resume() { end(); }

        void cancel() noexcept override;
        void on_complete(Op& op) noexcept override;
        [[nodiscard]] const char* what() const noexcept override { return "several descriptors"; }
        [[nodiscard]] const Op* pending_op() const noexcept override { return &timer(); }

    private:
        void cancel_all() noexcept;

        std::span<Watch> watches_;
        std::array<std::optional<PollOp>, watches_max> polls_;
        std::size_t in_flight_ = 0;
        bool is_ending_ = false;
        bool is_cancelled_ = false;
        bool has_event_ = false;
    };
    [[nodiscard]] Await await_in(PromiseBase& promise) const noexcept {
        return Await(promise, *this);
    }

private:
    std::span<Watch> watches_;
    Instant until_;
};

}  // namespace gyre::net
