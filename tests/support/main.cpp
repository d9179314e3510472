// SPDX-License-Identifier: Apache-2.0
// The main of every test program: GoogleTest's, with a time limit for each test and a check of the
// tests that are skipped. A lost wake shows
// as a wait without end; the limit makes it fail with a message, however the program is run. The
// timer's signal may be delivered to any thread.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <string>

#include "tests/support/platforms.hpp"

namespace gyre::test {
namespace {

// Far above the time of the slowest test under a sanitizer on a slow and busy machine, and below
// ctest's own limit.
constexpr time_t seconds_max = 540;

class HangWatch final : public testing::EmptyTestEventListener {
public:
    void OnTestStart(const testing::TestInfo& info) override {
        told_ = std::string("\n[  FAILED  ] ") + info.test_suite_name() + "." + info.name() +
                " does not end: something that it waits for never comes\n";
        if (!is_made_) is_made_ = make();
        if (is_made_) set(seconds_max);
    }
    void OnTestEnd(const testing::TestInfo& /*info*/) override {
        if (is_made_) set(0);
    }

private:
    // A signal that no test uses.
    static constexpr int signal_number = SIGVTALRM;

    static bool make() {
        struct sigaction action{};
        action.sa_handler = &tell_and_end;
        if (::sigaction(signal_number, &action, nullptr) != 0) return false;
        sigevent event{};
        event.sigev_notify = SIGEV_SIGNAL;
        event.sigev_signo = signal_number;
        return ::timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
    }
    static void set(time_t seconds) {
        itimerspec spec{};
        spec.it_value.tv_sec = seconds;
        ::timer_settime(timer_, 0, &spec, nullptr);
    }
    // Calls only async-signal-safe functions.
    static void tell_and_end(int /*signal*/) {
        [[maybe_unused]] const auto written = ::write(STDERR_FILENO, told_.data(), told_.size());
        ::_exit(1);
    }

    static inline std::string told_;
    static inline timer_t timer_{};
    static inline bool is_made_ = false;
};

// A test that is skipped says why. One that is skipped because the system refuses its platform has
// failed if the environment requires that platform.
class SkipWatch final : public testing::EmptyTestEventListener {
public:
    void OnTestEnd(const testing::TestInfo& info) override {
        if (!info.result()->Skipped()) return;
        std::string reason;
        for (int i = 0; i < info.result()->total_part_count(); ++i) {
            const testing::TestPartResult& part = info.result()->GetTestPartResult(i);
            if (part.skipped()) reason += part.message();
        }
        if (reason.find_first_not_of(" \n") == std::string::npos) {
            ADD_FAILURE() << "a test is skipped without a reason: GTEST_SKIP() << \"why\"";
        }
        for (const char* platform : every_platform) {
            const bool is_refused =
                reason.find(std::string(platform) + " refused: ") != std::string::npos;
            if (is_refused && is_required(platform)) {
                ADD_FAILURE() << "GYRE_REQUIRE_PLATFORMS names " << platform << ": " << reason;
            }
        }
    }
};

}  // namespace
}  // namespace gyre::test

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    listeners.Append(new gyre::test::HangWatch);
    // Before the printer, which then prints a test that SkipWatch fails as failed.
    testing::TestEventListener* const printer =
        listeners.Release(listeners.default_result_printer());
    listeners.Append(new gyre::test::SkipWatch);
    if (printer != nullptr) listeners.Append(printer);
    return RUN_ALL_TESTS();
}
