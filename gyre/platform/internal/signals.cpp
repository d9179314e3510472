// SPDX-License-Identifier: Apache-2.0
// The process's one signal handler, and the mailboxes it writes to.
//
// The handler may interrupt any thread at any point, so it takes no lock and allocates nothing: it
// walks the array of mailboxes, increments the count in each that wants the signal, and writes to
// its descriptor. A mailbox is removed in three steps: take it out of the array, wait until no
// handler runs that may have seen it there, free it. All other work is done under the registry's
// mutex, never in the handler.
#include "gyre/platform/internal/signals.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <new>
#include <thread>

#include "gyre/base/assert.hpp"
#include "gyre/base/detail/atomic.hpp"
#include "gyre/base/log.hpp"
#include "gyre/base/result.hpp"

namespace gyre::platform {

struct SignalReceiver::Mailbox {
    int wake_fd = -1;
    Atomic<std::uint64_t> wanted{0};
    Atomic<std::uint64_t> arrived{0};
    Atomic<std::uint64_t> ending{0};  // signals that end the process if the loop does not respond
    std::array<Atomic<std::uint32_t>, number_max + 1> counts{};
    std::array<std::uint32_t, number_max + 1> interest{};  // the loop's thread only
};

namespace {

using Mailbox = SignalReceiver::Mailbox;

struct Signal {
    std::uint32_t mailbox_count = 0;
    struct sigaction before{};
};

// Process-wide, as signals are. The mutex guards all but the first two.
constinit std::array<Atomic<Mailbox*>, SignalReceiver::receiver_count_max> mailboxes{};
constinit Atomic<std::uint32_t> handlers_running{0};
constinit std::mutex registry_mutex;
constinit std::array<Signal, SignalReceiver::number_max + 1> signals{};

constexpr std::uint64_t bit_of(int number) noexcept {
    return std::uint64_t{1} << static_cast<unsigned>(number - 1);
}

std::size_t index_of(int number) noexcept {
    return static_cast<std::size_t>(number);
}

void tell(Mailbox& mailbox, int number) noexcept {
    if ((mailbox.wanted.load() & bit_of(number)) == 0) return;
    const bool is_unheard = mailbox.counts[index_of(number)].fetch_add(1) > 0;
    if (is_unheard && (mailbox.ending.load() & bit_of(number)) != 0) ::_exit(128 + number);
    mailbox.arrived.fetch_or(bit_of(number));
    const std::uint64_t one = 1;
    while (::write(mailbox.wake_fd, &one, sizeof one) < 0 && errno == EINTR) {
    }
}

extern "C" void gyre_on_signal(int number) {
    const int interrupted_errno = errno;
    handlers_running.fetch_add(1);
    for (Atomic<Mailbox*>& place : mailboxes) {
        if (Mailbox* mailbox = place.load()) tell(*mailbox, number);
    }
    handlers_running.fetch_sub(1);
    errno = interrupted_errno;
}

bool can_be_handled(int number) noexcept {
    switch (number) {
        case SIGKILL:
        case SIGSTOP:
        case SIGSEGV:  // A fault would recur at once when its handler returns.
        case SIGBUS:
        case SIGFPE:
        case SIGILL:
            return false;
        default:
            return number >= 1 && number <= SignalReceiver::number_max;
    }
}

// All three require the mutex.

std::int32_t install(int number) noexcept {
    Signal& signal = signals[index_of(number)];
    if (signal.mailbox_count == 0) {
        struct sigaction action{};
        action.sa_handler = gyre_on_signal;
        action.sa_flags = SA_RESTART;
        ::sigfillset(&action.sa_mask);
        if (::sigaction(number, &action, &signal.before) < 0) return -errno;
    }
    ++signal.mailbox_count;
    return 0;
}

void uninstall(int number) noexcept {
    Signal& signal = signals[index_of(number)];
    GYRE_ASSERT(signal.mailbox_count > 0, "signal %d is removed more often than it was added",
                number);
    if (--signal.mailbox_count > 0) return;
    // Other code may have replaced the handler since: then that one stays.
    struct sigaction present{};
    if (::sigaction(number, nullptr, &present) == 0 && present.sa_handler == gyre_on_signal) {
        ::sigaction(number, &signal.before, nullptr);
    }
}

bool enter(Mailbox& mailbox) noexcept {
    for (Atomic<Mailbox*>& place : mailboxes) {
        if (place.load() != nullptr) continue;
        place.store(&mailbox);
        return true;
    }
    return false;
}

// Without the mutex: a handler on another thread needs only a moment.
void leave(Mailbox& mailbox) noexcept {
    for (Atomic<Mailbox*>& place : mailboxes) {
        if (place.load() == &mailbox) place.store(nullptr);
    }
    while (handlers_running.load() != 0) std::this_thread::yield();
}

// A child gets the mailboxes of all loops, whose descriptors are shared with the parent, and a mutex
// that another thread may have locked. So the fork takes the mutex, and the child starts without
// mailboxes.
void watch_forks_of_signals() noexcept {
    static const int status =
        ::pthread_atfork([] { registry_mutex.lock(); }, [] { registry_mutex.unlock(); },
                         [] {
                             for (Atomic<Mailbox*>& place : mailboxes) place.store(nullptr);
                             handlers_running.store(0);
                             registry_mutex.unlock();
                         });
    (void)status;  // Without it only a forked child is worse off.
}

}  // namespace

SignalReceiver::SignalReceiver(int wake_fd) noexcept : wake_fd_(wake_fd) {}

SignalReceiver::~SignalReceiver() {
    GYRE_ASSERT(interest_count_ == 0,
                "a signal receiver is destroyed while %u ops wait for signals", interest_count_);
    if (mailbox_ != nullptr) leave(*mailbox_);
}

std::int32_t SignalReceiver::add(int number, bool ends_process_when_unheard) noexcept {
    if (!can_be_handled(number)) return failure(std::errc::invalid_argument);
    watch_forks_of_signals();
    const std::lock_guard lock(registry_mutex);
    if (mailbox_ == nullptr) {
        std::unique_ptr<Mailbox> mailbox(new (std::nothrow) Mailbox);
        if (mailbox == nullptr) return failure(std::errc::not_enough_memory);
        mailbox->wake_fd = wake_fd_;
        if (!enter(*mailbox)) {
            log(LogLevel::warn, "more than %zu loops want signals: the limit is receiver_count_max",
                receiver_count_max);
            return failure(std::errc::too_many_files_open_in_system);
        }
        mailbox_ = std::move(mailbox);
    }
    std::uint32_t& interest = mailbox_->interest[index_of(number)];
    if (interest == 0) {
        // Set before install: from the moment the handler is installed, no signal is lost.
        mailbox_->wanted.fetch_or(bit_of(number));
        if (const std::int32_t status = install(number); status < 0) {
            mailbox_->wanted.fetch_and(~bit_of(number));
            return status;
        }
    }
    if (ends_process_when_unheard) mailbox_->ending.fetch_or(bit_of(number));
    ++interest;
    ++interest_count_;
    return 0;
}

void SignalReceiver::remove(int number) noexcept {
    const std::lock_guard lock(registry_mutex);
    std::uint32_t& interest = mailbox_->interest[index_of(number)];
    GYRE_ASSERT(interest > 0, "signal %d is removed from a receiver that does not have it", number);
    --interest_count_;
    if (--interest > 0) return;
    uninstall(number);
    mailbox_->ending.fetch_and(~bit_of(number));
    mailbox_->wanted.fetch_and(~bit_of(number));
}

// Signals that had arrived before were the parent's.
void SignalReceiver::renew_after_fork() noexcept {
    if (mailbox_ == nullptr) return;
    const std::lock_guard lock(registry_mutex);
    mailbox_->arrived.store(0);
    for (Atomic<std::uint32_t>& count : mailbox_->counts) count.store(0);
    if (!enter(*mailbox_)) log(LogLevel::warn, "a forked child has no room for signals");
}

std::uint64_t SignalReceiver::take_arrived() noexcept {
    return mailbox_ == nullptr ? 0 : mailbox_->arrived.exchange(0);
}

bool SignalReceiver::is_unheard(int number) noexcept {
    handlers_running.fetch_add(1);  // As a handler does: keeps the mailboxes.
    bool is_any = false;
    for (Atomic<Mailbox*>& place : mailboxes) {
        Mailbox* const mailbox = place.load();
        is_any = is_any || (mailbox != nullptr && mailbox->counts[index_of(number)].load() > 0);
    }
    handlers_running.fetch_sub(1);
    return is_any;
}

std::uint32_t SignalReceiver::take_count(int number) noexcept {
    return mailbox_->counts[index_of(number)].exchange(0);
}

}  // namespace gyre::platform
