// SPDX-License-Identifier: Apache-2.0
// Runs a child to its end on the calling thread, as system(3) does, with its pipes and within limits.
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "gyre/platform/internal/system/system_call.hpp"
#include "gyre/platform/internal/system/system_children.hpp"
#include "gyre/platform/system_clock.hpp"

namespace gyre::platform {
namespace {

constexpr std::size_t read_bytes = std::size_t{64} << 10u;
constexpr Duration ask_after = std::chrono::milliseconds(100);

class BlockingRun {
public:
    BlockingRun(SystemChildren& children, const SpawnedChild& spawned, ConstBytes input,
                const ChildLimits& limits) noexcept
        : children_(children),
          input_(input),
          limits_(limits),
          fds_{spawned.pipes[0], spawned.pipes[1], spawned.pipes[2], spawned.process} {
        report_.pid = spawned.pid;
        if (limits.time_max != Duration::max()) ends_at_ = clock_.now() + limits.time_max;
        if (input_.empty()) close(0);
    }
    BlockingRun(const BlockingRun&) = delete;
    BlockingRun& operator=(const BlockingRun&) = delete;
    ~BlockingRun() {
        for (std::size_t i = 0; i < fds_.size(); ++i) close(i);
    }

    Result<ChildReport> to_end() {
        while (fds_[0] >= 0 || fds_[1] >= 0 || fds_[2] >= 0 || fds_[3] >= 0) {
            if (const Result<void> done = step(); !done) {
                kill(SIGKILL);
                pollfd exit{.fd = fds_[3], .events = POLLIN, .revents = 0};
                (void)without_interruption([&] { return ::poll(&exit, 1, -1); });
                (void)children_.reap(report_.pid);
                return std::unexpected(done.error());
            }
        }
        return std::move(report_);
    }

private:
    void close(std::size_t place) noexcept {
        if (fds_[place] >= 0) ::close(std::exchange(fds_[place], -1));
    }
    void kill(int signal) noexcept { (void)children_.signal(report_.pid, signal, false); }
    // The child gets the signal; what it writes from now on is nobody's.
    void pass(ChildLimit limit, int signal) noexcept {
        if (report_.passed != ChildLimit::none) return;
        report_.passed = limit;
        if (fds_[3] >= 0) kill(signal);
        for (std::size_t stream = 0; stream < 3; ++stream) close(stream);
    }
    void pass_limits() {
        if (limits_.gives_up && limits_.gives_up()) {
            report_.passed = ChildLimit::none;  // also where an earlier signal was ignored
            pass(ChildLimit::given_up, SIGKILL);
        }
        if (clock_.now() >= ends_at_) pass(ChildLimit::time, limits_.signal);
    }
    [[nodiscard]] int patience_ms() noexcept {
        Duration left = limits_.gives_up ? ask_after : Duration::max();
        if (report_.passed == ChildLimit::none && ends_at_ != Instant::never()) {
            left = std::min(left, std::max(ends_at_ - clock_.now(), Duration(0)));
        }
        if (left == Duration::max()) return -1;
        const auto whole = std::chrono::ceil<std::chrono::milliseconds>(left).count();
        return static_cast<int>(std::min<std::int64_t>(whole, 3'600'000));
    }

    Result<void> step() {
        pass_limits();
        for (std::size_t i = 0; i < polls_.size(); ++i) {
            const short wanted = i == 0 ? POLLOUT : POLLIN;
            polls_[i] = {.fd = fds_[i], .events = wanted, .revents = 0};  // poll ignores -1
        }
        const int count = ::poll(polls_.data(), polls_.size(), patience_ms());
        if (count < 0 && errno != EINTR) return last_error();
        if (count <= 0) return {};
        if (polls_[0].revents != 0) write_input();
        if (polls_[1].revents != 0) read_output(1, report_.output);
        if (polls_[2].revents != 0) read_output(2, report_.error);
        if (polls_[3].revents == 0) return {};
        const Result<ChildEnd> end = children_.reap(report_.pid);
        if (!end) return std::unexpected(end.error());
        report_.end = *end;
        close(3);
        close(0);
        return {};
    }
    // A child may end without reading its input: EPIPE is no error.
    void write_input() noexcept {
        const auto written = ::write(fds_[0], input_.data(), input_.size());
        if (written < 0 && (would_block(errno) || errno == EINTR)) return;
        input_ = input_.subspan(written < 0 ? input_.size() : static_cast<std::size_t>(written));
        if (input_.empty()) close(0);
    }
    void read_output(std::size_t stream, std::string& into) {
        if (fds_[stream] < 0) return;
        const std::size_t before = into.size();
        into.resize(before + read_bytes);
        const auto size = ::read(fds_[stream], into.data() + before, read_bytes);
        into.resize(before + static_cast<std::size_t>(std::max<decltype(size)>(size, 0)));
        if (size < 0 && (would_block(errno) || errno == EINTR)) return;
        if (size <= 0) return close(stream);
        if (into.size() > limits_.output_max_bytes) pass(ChildLimit::output, limits_.signal);
    }

    SystemChildren& children_;
    SystemClock clock_;
    ConstBytes input_;
    const ChildLimits& limits_;
    Instant ends_at_ = Instant::never();
    std::array<Fd, 4> fds_;  // input, output, error, and the process
    std::array<pollfd, 4> polls_{};
    ChildReport report_;
};

}  // namespace

Result<ChildReport> SystemChildren::run_blocking(const SpawnPlan& plan, ConstBytes input,
                                                 const ChildLimits& limits) {
    const Result<SpawnedChild> spawned = spawn(plan);
    if (!spawned) return std::unexpected(spawned.error());
    return BlockingRun(*this, *spawned, input, limits).to_end();
}

}  // namespace gyre::platform
