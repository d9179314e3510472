// SPDX-License-Identifier: Apache-2.0
// SignalReceiver: counts the signals that a loop waits for, and wakes the loop through a
// descriptor. Several loops may wait for the same signal; each has a receiver, which belongs to the
// loop's thread and is part of its platform. The signal handler of the process is installed when
// the first receiver adds the signal, and the previous handler is restored when the last one
// removes it.
#pragma once

#include <cstdint>
#include <memory>

namespace gyre::platform {

class SignalReceiver {
public:
    // The signal handler writes to `wake_fd`, an eventfd that stays open as long as the handler.
    explicit SignalReceiver(int wake_fd) noexcept;
    ~SignalReceiver();
    SignalReceiver(const SignalReceiver&) = delete;
    SignalReceiver& operator=(const SignalReceiver&) = delete;

    // Every add has its remove. Result: 0, or a negative error number: `invalid_argument` for a
    // number that is no signal, that cannot be caught, or that reports a fault of the program
    // (whose handler must not return); `too_many_files_open_in_system` above `receiver_count_max`.
    // `ends_process_when_unheard` (see SignalOp) holds until the last remove.
    [[nodiscard]] std::int32_t add(int number, bool ends_process_when_unheard = false) noexcept;
    void remove(int number) noexcept;

    // In the child of a fork(), once the descriptor is no longer the parent's: signals reach this
    // receiver again. The receivers of the parent's other loops get none in the child.
    void renew_after_fork() noexcept;

    [[nodiscard]] bool is_in_use() const noexcept { return interest_count_ > 0; }

    // The set of signals received since the last call (bit n-1 for signal n), and the count of
    // each.
    [[nodiscard]] std::uint64_t take_arrived() noexcept;
    [[nodiscard]] std::uint32_t take_count(int number) noexcept;

    // From any thread: whether a loop of the process waits for the signal, and has not taken one
    // that has arrived.
    [[nodiscard]] static bool is_unheard(int number) noexcept;

    static constexpr int number_max = 64;
    static constexpr std::size_t receiver_count_max = 1024;  // in one process

    // The counters that the handler writes; see signals.cpp.
    struct Mailbox;

private:
    const int wake_fd_;
    std::uint32_t interest_count_ = 0;
    std::unique_ptr<Mailbox> mailbox_;
};

}  // namespace gyre::platform
