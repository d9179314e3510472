// SPDX-License-Identifier: Apache-2.0
// SignalDesk: a loop's share of the process's signals. Many loops may want the same signal; each
// has a desk, which counts what came and wakes the loop through a descriptor. The desk belongs to
// its loop's thread and lives in the platform; the system's handler is installed when the first
// desk of the process wants a signal, and what was there before is put back when the last no longer
// does.
#pragma once

#include <cstdint>
#include <memory>

namespace gyre::platform {

class SignalDesk {
public:
    // A signal writes to `wake_fd`, an eventfd that stays open as long as the desk.
    explicit SignalDesk(int wake_fd) noexcept;
    ~SignalDesk();
    SignalDesk(const SignalDesk&) = delete;
    SignalDesk& operator=(const SignalDesk&) = delete;

    // Every add has its remove. Result: 0, or an error's negative number: `invalid_argument` for a
    // number that is no signal, that cannot be caught, or that stands for a fault of the program
    // (whose handler must not return); `too_many_files_open_in_system` over `desk_count_max`.
    // What `ends_process_when_unheard` of SignalOp says holds until the last remove.
    [[nodiscard]] std::int32_t add(int number, bool ends_process_when_unheard = false) noexcept;
    void remove(int number) noexcept;

    [[nodiscard]] bool is_in_use() const noexcept { return interest_count_ > 0; }

    // Which signals came since last asked (bit n-1 for signal n), and how often each of them.
    [[nodiscard]] std::uint64_t take_arrived() noexcept;
    [[nodiscard]] std::uint32_t take_count(int number) noexcept;

    static constexpr int number_max = 64;
    static constexpr std::size_t desk_count_max = 1024;  // in one process

    // What the handler writes to; see signals.cpp.
    struct Mailbox;

private:
    const int wake_fd_;
    std::uint32_t interest_count_ = 0;
    std::unique_ptr<Mailbox> mailbox_;
};

}  // namespace gyre::platform
