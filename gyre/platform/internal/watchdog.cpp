// SPDX-License-Identifier: Apache-2.0
// How the backtrace of another thread is taken: the watchdog publishes a Sample and interrupts the
// thread, whose handler takes the sample, fills it and writes to its descriptor. Taking it is an
// atomic exchange, which decides the owner: if a thread cannot be interrupted in time, the watchdog
// takes the sample back, and the handler, if it runs later, finds none.
#include "gyre/platform/internal/watchdog.hpp"

#include <execinfo.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <utility>

#include "gyre/base/log.hpp"
#include "gyre/platform/internal/signals.hpp"
#include "gyre/platform/internal/system/own_fd.hpp"
#include "gyre/platform/thread.hpp"

namespace gyre::platform {
namespace {

struct Sample {
    pthread_t thread;
    const Watched* who;
    int done_fd;
    std::array<char, 512> text{};
    std::size_t text_size = 0;
    const void* place = nullptr;
    std::array<void*, 64> frames{};
    int frame_count = 0;
};

constexpr int sample_signal = SIGURG;
constexpr int patience_ms = 1000;
// It rests this many periods if nothing rouses it: the one signal that it may miss, it makes up for.
constexpr int rest_periods = 60;

// Process-wide, as signal handlers are. The mutex serializes the threads that publish samples.
constinit Atomic<Sample*> wanted_sample{nullptr};
constinit std::mutex samples_mutex;
constinit std::uint32_t watchdog_count = 0;
constinit struct sigaction action_before{};

extern "C" void gyre_on_sample(int /*number*/) {
    const int interrupted_errno = errno;
    Sample* sample = wanted_sample.load();
    if (sample != nullptr && ::pthread_equal(sample->thread, ::pthread_self()) != 0 &&
        wanted_sample.compare_exchange_strong(sample, nullptr)) {
        sample->text_size = sample->who->describe_now(sample->text);
        sample->place = sample->who->place_now();
        sample->frame_count =
            ::backtrace(sample->frames.data(), static_cast<int>(sample->frames.size()));
        const std::uint64_t one = 1;
        while (::write(sample->done_fd, &one, sizeof one) < 0 && errno == EINTR) {
        }
    }
    errno = interrupted_errno;
}

void install() {
    const std::lock_guard lock(samples_mutex);
    if (watchdog_count++ > 0) return;
    std::array<void*, 1> frame{};
    ::backtrace(frame.data(), 1);  // The first call allocates, which a handler must not.
    struct sigaction action{};
    action.sa_handler = gyre_on_sample;
    action.sa_flags = SA_RESTART;
    ::sigfillset(&action.sa_mask);
    ::sigaction(sample_signal, &action, &action_before);
}

void uninstall() noexcept {
    const std::lock_guard lock(samples_mutex);
    if (--watchdog_count == 0) ::sigaction(sample_signal, &action_before, nullptr);
}

// False if the thread could not be interrupted in time.
bool take(Sample& sample) noexcept {
    const std::lock_guard lock(samples_mutex);
    wanted_sample.store(&sample);
    ::pthread_kill(sample.thread, sample_signal);
    const auto is_done = [&sample](int timeout_ms) {
        pollfd done{.fd = sample.done_fd, .events = POLLIN, .revents = 0};
        int count = 0;
        while ((count = ::poll(&done, 1, timeout_ms)) < 0 && errno == EINTR) {
        }
        // The read, not the poll, is ordered after the handler's write and all that precedes it.
        std::uint64_t one = 0;
        return count > 0 && ::read(sample.done_fd, &one, sizeof one) == sizeof one;
    };
    if (is_done(patience_ms)) return true;
    if (wanted_sample.exchange(nullptr) != nullptr) return false;
    return is_done(-1);  // The handler has taken it already.
}

}  // namespace

Watchdog::Watchdog(const Watched& who, Duration after)
    : who_(who), after_(after), watched_(::pthread_self()) {
    install();
    thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
    {
        const std::lock_guard lock(mutex_);
        is_ending_ = true;
    }
    changed_.notify_one();
    thread_.join();
    uninstall();
}

void Watchdog::rouse() noexcept {
    {
        const std::lock_guard lock(mutex_);
        is_resting_.store(false);
    }
    changed_.notify_one();
}

void Watchdog::watch() noexcept {
    name_this_thread("gyre watchdog");
    std::uint64_t seen = 0;
    std::uint64_t reported = 0;
    bool has_answered = false;  // to the SIGQUIT that is not heard
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, after_, [this] { return is_ending_; })) {
        // Relaxed: see beat.
        const std::uint64_t beats = beats_.load(std::memory_order_relaxed);
        const bool is_busy = beats % 2 == 1;
        const bool is_same = beats == std::exchange(seen, beats);
        has_answered = has_answered && is_same;
        const bool is_asked = !has_answered && SignalReceiver::is_unheard(SIGQUIT);
        if (is_busy && is_same && (beats != reported || is_asked)) {
            reported = beats;
            has_answered = is_asked;
            lock.unlock();
            report(is_asked);
            lock.lock();
        }
        if (is_busy || !is_same) continue;
        is_resting_.store(true);
        changed_.wait_for(lock, after_ * rest_periods,
                          [this] { return is_ending_ || !is_resting_.load(); });
        is_resting_.store(false);
    }
}

void Watchdog::report(bool is_asked) noexcept {
    const OwnFd done_fd(::eventfd(0, EFD_CLOEXEC));
    const auto after_ms = std::chrono::duration_cast<std::chrono::milliseconds>(after_).count();
    Sample sample{.thread = watched_, .who = &who_, .done_fd = done_fd.get()};
    if (done_fd.status() < 0 || !take(sample)) {
        log(LogLevel::warn, "the loop is blocked for over %lld ms, and cannot be interrupted",
            static_cast<long long>(after_ms));
        return;
    }
    if (!told_.insert(sample.place).second && sample.place != nullptr && !is_asked) return;
    log(LogLevel::warn, "the loop is blocked for over %lld ms by %.*s%s",
        static_cast<long long>(after_ms), static_cast<int>(sample.text_size), sample.text.data(),
        is_asked ? ": the report for SIGQUIT comes when it goes on" : "");
    const std::unique_ptr<char*, decltype(&std::free)> names(
        ::backtrace_symbols(sample.frames.data(), sample.frame_count), &std::free);
    if (names == nullptr) return;
    constexpr int handler_frames = 2;
    for (int i = handler_frames; i < sample.frame_count; ++i) {
        log(LogLevel::warn, "  %s", names.get()[i]);
    }
}

}  // namespace gyre::platform
