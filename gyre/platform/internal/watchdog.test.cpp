// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/internal/watchdog.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/base/log.hpp"

namespace gyre::platform {
namespace {

using namespace std::chrono_literals;

// Collects the lines that the watchdogs log from their own threads.
struct Heard {
    static inline std::mutex mutex;
    static inline std::condition_variable changed;
    static inline std::vector<std::string> lines;

    static std::ptrdiff_t count(std::string_view text) {
        return std::count_if(lines.begin(), lines.end(), [text](const std::string& line) {
            return line.find(text) != std::string::npos;
        });
    }
    static void wait_for(std::string_view text, std::ptrdiff_t times = 1) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return count(text) >= times; });
    }
};

class Watching : public testing::Test {
protected:
    void SetUp() override {
        Heard::lines.clear();
        set_log_sink([](LogLevel, std::string_view line) {
            const std::lock_guard lock(Heard::mutex);
            Heard::lines.emplace_back(line);
            Heard::changed.notify_all();
        });
    }
    void TearDown() override { set_log_sink(nullptr); }
};

class Someone final : public Watched {
public:
    explicit Someone(std::string_view name) : name_(name) {}
    [[nodiscard]] std::size_t describe_now(std::span<char> into) const noexcept override {
        return name_.copy(into.data(), into.size());
    }

    [[nodiscard]] const void* place_now() const noexcept override { return place; }

    const void* place = nullptr;  // not known

private:
    std::string_view name_;
};

TEST_F(Watching, tells_who_keeps_a_thread_busy_and_where) {
    const Someone someone("somebody");
    {
        Watchdog dog(someone, 1ms);
        Heard::wait_for("  ");
    }
    EXPECT_EQ(Heard::lines.front(), "the loop is blocked for over 1 ms by somebody");
}

TEST_F(Watching, tells_it_once_for_each_time_it_is_busy) {
    const Someone someone("somebody");
    Watchdog dog(someone, 1ms);
    for (int i = 1; i <= 3; ++i) {
        Heard::wait_for("somebody", i);
        std::this_thread::sleep_for(20ms);
        const std::lock_guard lock(Heard::mutex);
        EXPECT_EQ(Heard::count("somebody"), i);
        const Watchdog::Rest rest(&dog);
    }
}

TEST_F(Watching, tells_a_place_once) {
    Someone someone("somebody");
    const char first = 0;
    const char second = 0;
    someone.place = &first;
    Watchdog dog(someone, 1ms);
    Heard::wait_for("somebody");
    for (int i = 0; i < 3; ++i) {
        {
            const Watchdog::Rest rest(&dog);
        }
        std::this_thread::sleep_for(20ms);
    }
    {
        const Watchdog::Rest rest(&dog);
        const std::lock_guard lock(Heard::mutex);
        EXPECT_EQ(Heard::count("somebody"), 1);
        someone.place = &second;
    }
    Heard::wait_for("somebody", 2);
}

TEST_F(Watching, is_roused_by_the_first_wait_that_ends) {
    const Someone someone("somebody");
    Watchdog dog(someone, 1ms);
    {
        const Watchdog::Rest rest(&dog);
        std::this_thread::sleep_for(50ms);  // It rests too, for at least a minute of such periods.
        Heard::lines.clear();
    }
    Heard::wait_for("somebody");
    const std::lock_guard lock(Heard::mutex);
    EXPECT_EQ(Heard::lines.front(), "the loop is blocked for over 1 ms by somebody");
}

TEST_F(Watching, says_nothing_while_the_thread_rests) {
    const Someone someone("somebody");
    Watchdog dog(someone, 1ms);
    Heard::wait_for("somebody");  // It was busy before, maybe for long enough to be logged.
    const Watchdog::Rest rest(&dog);
    std::this_thread::sleep_for(50ms);
    const std::lock_guard lock(Heard::mutex);
    EXPECT_EQ(Heard::count("somebody"), 1);
}

TEST_F(Watching, several_threads_tell_them_apart) {
    const Someone first("first");
    const Someone second("second");
    std::thread other([&] {
        Watchdog dog(second, 1ms);
        Heard::wait_for("second");
    });
    Watchdog dog(first, 1ms);
    Heard::wait_for("first");
    other.join();
    const std::lock_guard lock(Heard::mutex);
    EXPECT_EQ(Heard::count("by first"), 1);
    EXPECT_EQ(Heard::count("by second"), 1);
}

TEST_F(Watching, puts_back_the_handler_that_was_there) {
    struct sigaction mine{};
    mine.sa_handler = SIG_IGN;
    struct sigaction original{};
    ASSERT_EQ(::sigaction(SIGURG, &mine, &original), 0);
    const Someone someone("somebody");
    struct sigaction present{};
    {
        Watchdog dog(someone, 1h);
        ::sigaction(SIGURG, nullptr, &present);
        EXPECT_NE(present.sa_handler, SIG_IGN);
        ::raise(SIGURG);  // Not sent by a watchdog: no sample is wanted.
    }
    ::sigaction(SIGURG, &original, &present);
    EXPECT_EQ(present.sa_handler, SIG_IGN);
}

TEST_F(Watching, a_thread_that_cannot_be_interrupted_is_told_too) {
    sigset_t urgent;
    sigset_t before;
    ::sigemptyset(&urgent);
    ::sigaddset(&urgent, SIGURG);
    ::pthread_sigmask(SIG_BLOCK, &urgent, &before);
    const Someone someone("somebody");
    {
        Watchdog dog(someone, 1ms);
        Heard::wait_for("cannot be interrupted");
        // The signal is delivered now; the watchdog has taken its sample back.
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    EXPECT_EQ(Heard::count("somebody"), 0);
}

}  // namespace
}  // namespace gyre::platform
