// SPDX-License-Identifier: Apache-2.0
// Hook: the base of Idle, Prepare and Check, which run in every iteration while they are active,
// the newest first. An active idle hook makes the loop poll without blocking; prepare hooks run
// right before the poll, check hooks right after it.
//
//     Check check(loop);
//     check.start([](Check&) { flush_output(); });
//
// Thread: any for `start` and `stop`, else the loop's own. Hooks may start and stop each other
// while they run.
// Lifetime: as Handle.
#pragma once

#include "gyre/handle/handle.hpp"

namespace gyre::handle {

struct HookLinks;

class Hook : public Handle, public Link<HookLinks> {
public:
    using Handle::is_linked;
    using Handle::unlink;

    CallResult<Status> stop();

protected:
    Hook(PhasedLoop& loop, const std::source_location& made_at) noexcept : Handle(loop, made_at) {}
    ~Hook() = default;

    CallResult<Status> start_hook(AnyCallback callback);
    // Selects the loop's list of hooks.
    enum class Phase : std::uint8_t { idle, prepare, check };
    [[nodiscard]] virtual Phase phase() const noexcept = 0;
    virtual void call() noexcept = 0;

private:
    friend class PhasedLoop;

    void run() noexcept { call(); }
    void stop_here() noexcept;
    void on_close() noexcept override { stop_here(); }
};

class Idle final : public Hook {
public:
    explicit Idle(PhasedLoop& loop,
                  const std::source_location& made_at = std::source_location::current()) noexcept
        : Hook(loop, made_at) {}
    // Starting an active hook has no effect.
    CallResult<Status> start(Callback<Idle&> callback) { return start_hook(std::move(callback)); }
    [[nodiscard]] const char* kind() const noexcept override { return "idle"; }

private:
    [[nodiscard]] Phase phase() const noexcept override { return Phase::idle; }
    void call() noexcept override { callback_.call<Idle&>(*this); }
};

class Prepare final : public Hook {
public:
    explicit Prepare(PhasedLoop& loop,
                     const std::source_location& made_at = std::source_location::current()) noexcept
        : Hook(loop, made_at) {}
    CallResult<Status> start(Callback<Prepare&> callback) {
        return start_hook(std::move(callback));
    }
    [[nodiscard]] const char* kind() const noexcept override { return "prepare"; }

private:
    [[nodiscard]] Phase phase() const noexcept override { return Phase::prepare; }
    void call() noexcept override { callback_.call<Prepare&>(*this); }
};

class Check final : public Hook {
public:
    explicit Check(PhasedLoop& loop,
                   const std::source_location& made_at = std::source_location::current()) noexcept
        : Hook(loop, made_at) {}
    CallResult<Status> start(Callback<Check&> callback) { return start_hook(std::move(callback)); }
    [[nodiscard]] const char* kind() const noexcept override { return "check"; }

private:
    [[nodiscard]] Phase phase() const noexcept override { return Phase::check; }
    void call() noexcept override { callback_.call<Check&>(*this); }
};

}  // namespace gyre::handle
