// SPDX-License-Identifier: Apache-2.0
// ActiveRequest: something short-lived on a PhasedLoop: a write, a connect, blocking work, an op of
// the host's own kind. From its start until its one callback it keeps the loop alive. Its memory
// belongs to the caller and stays until the callback, in which it may be freed or started again.
// Only the loop's thread, where a derived class does not say otherwise.
#pragma once

#include <source_location>

#include "gyre/handle/handle.hpp"

namespace gyre::handle {

struct RequestLinks;
struct PendingLinks;

class ActiveRequest : public Link<RequestLinks>, public Link<PendingLinks>, protected OpReceiver {
public:
    ActiveRequest(const ActiveRequest&) = delete;
    ActiveRequest& operator=(const ActiveRequest&) = delete;

    [[nodiscard]] virtual const char* kind() const noexcept = 0;
    [[nodiscard]] const std::source_location& made_at() const noexcept { return made_at_; }
    [[nodiscard]] bool is_active() const noexcept {
        return static_cast<const Link<RequestLinks>&>(*this).is_linked();
    }

    // While such a request is active the loop never blocks: for an operation that the host polls
    // for by itself. Set it before the start.
    void set_do_not_wait(bool value) noexcept { is_do_not_wait_ = value; }
    [[nodiscard]] bool is_do_not_wait() const noexcept { return is_do_not_wait_; }

protected:
    explicit ActiveRequest(const std::source_location& made_at) noexcept : made_at_(made_at) {}
    ~ActiveRequest();

    void begin(PhasedLoop& loop) noexcept;
    void end() noexcept;
    // Calls on_pending in the next pending phase: for a result that is known inside the call.
    void defer() noexcept;
    virtual void on_pending() noexcept {}
    void on_done(Op& /*op*/) noexcept override {}
    void submit(gyre::Request& op) noexcept;
    void cancel(Op& op) noexcept;
    [[nodiscard]] PhasedLoop* loop() const noexcept { return loop_; }

private:
    friend class PhasedLoop;

    PhasedLoop* loop_ = nullptr;
    std::source_location made_at_;
    bool is_do_not_wait_ = false;
};

}  // namespace gyre::handle
