// SPDX-License-Identifier: Apache-2.0
// Runs of workers that are killed at every commit, at any moment, or stopped for longer than their lease: what
// is recorded is not asked again, what may happen once happens once, and each run ends as if nothing had been.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "gyre/base/random.hpp"
#include "gyre/db/pool.hpp"
#include "gyre/gyre.hpp"
#include "tests/db/scratch_server.hpp"

namespace gyre::durable {
namespace {

using namespace std::chrono_literals;

constexpr int run_count = 50;
constexpr int step_count = 40;
// What a worker writes that does all of it, about.
constexpr std::size_t bytes_of_all = 34'000;

// A process of the victim, whose lines are read.
class Victim {
public:
    explicit Victim(const std::vector<std::string>& arguments) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
        ::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);  // A victim that is stopped is not to wait for us.
        pid_ = ::fork();
        if (pid_ == 0) {
            ::dup2(ends[1], STDOUT_FILENO);
            std::vector<char*> argv;
            std::string name = GYRE_DURABLE_VICTIM;
            argv.push_back(name.data());
            std::vector<std::string> copies = arguments;
            for (std::string& one : copies) argv.push_back(one.data());
            argv.push_back(nullptr);
            ::execv(name.c_str(), argv.data());
            ::_exit(127);
        }
        ::close(ends[1]);
        output_ = ends[0];
    }
    Victim(Victim&& other) noexcept
        : pid_(std::exchange(other.pid_, -1)),
          output_(std::exchange(other.output_, -1)),
          begun_(std::move(other.begun_)) {}
    Victim& operator=(Victim&& other) noexcept {
        std::swap(pid_, other.pid_);
        std::swap(output_, other.output_);
        std::swap(begun_, other.begun_);
        return *this;
    }
    ~Victim() {
        if (pid_ > 0) {
            signal(SIGCONT);
            signal(SIGKILL);
            static_cast<void>(wait());
        }
        if (output_ >= 0) ::close(output_);
    }

    void signal(int number) const { ::kill(pid_, number); }
    // Reads until it has written so much, or has ended: true. The lines are whole: what it has begun is kept for
    // the next call.
    bool read_to(std::size_t bytes_max, std::string& lines) {
        constexpr int patience_ms = 60'000;
        std::string text = std::exchange(begun_, {});
        bool has_ended = false;
        while (!has_ended && text.size() < bytes_max) {
            pollfd ready{output_, POLLIN, 0};
            if (::poll(&ready, 1, patience_ms) == 0) {
                ADD_FAILURE() << "the worker neither writes nor ends";
                signal(SIGKILL);
            }
            std::array<char, 4096> bytes{};
            const std::size_t wanted = std::min(bytes.size(), bytes_max - text.size());
            const ssize_t size = ::read(output_, bytes.data(), wanted);
            has_ended = size <= 0;
            if (!has_ended) text.append(bytes.data(), static_cast<std::size_t>(size));
        }
        const std::size_t whole = text.rfind('\n') + 1;
        begun_ = text.substr(whole);
        lines.append(text, 0, whole);
        return has_ended;
    }
    void read_all(std::string& lines) {
        static_cast<void>(read_to(std::numeric_limits<std::size_t>::max(), lines));
    }
    // Its exit code, or the signal that ended it, negative.
    int wait() {
        int status = 0;
        ::waitpid(std::exchange(pid_, -1), &status, 0);
        return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    }

private:
    pid_t pid_ = -1;
    int output_ = -1;
    std::string begun_;  // a line whose end has not been read
};

// Each claim of a run has a fence of its own.
std::size_t claim_count(const std::string& url, const std::string& prefix) {
    std::int64_t count = 0;
    EXPECT_EQ(gyre::run([&](Scope& /*root*/) -> Future<void> {
                  db::Pool pool(url);
                  count = co_await pool.one<std::int64_t>(
                      "select cast(sum(fence) as bigint) from gyre_runs where key like $1",
                      prefix + "%");
              }),
              0);
    return static_cast<std::size_t>(count);
}

// What the outside has seen.
struct Seen {
    std::map<std::string, int> keyed;
    std::map<std::string, int> once;
    std::map<std::string, std::string> done;
    std::map<std::string, std::string> failed;
    int kills = 0;

    void read(const std::string& text) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            std::string what;
            std::string key;
            words >> what >> key;
            std::string rest;
            std::getline(words, rest);
            if (what == "keyed") ++keyed[key];
            if (what == "once") ++once[key];
            if (what == "done") done[key] = rest;
            if (what == "failed") failed[key] = rest;
        }
    }
    // However often the runs of the store changed their worker: by a kill, a stop, or a machine that was too busy
    // for a lease.
    void expect_all(const std::string& url, const std::string& prefix = "run") const {
        const std::size_t changes_max = claim_count(url, prefix) - run_count;
        int sum = 0;
        for (int i = 0; i < step_count; ++i) sum += i;
        EXPECT_EQ(done.size() + failed.size(), static_cast<std::size_t>(run_count));
        for (const auto& [key, result] : done) EXPECT_EQ(result, " " + std::to_string(sum)) << key;
        for (const auto& [key, message] : failed) {
            EXPECT_NE(message.find("runs at most once"), std::string::npos) << key << message;
        }
        EXPECT_LE(failed.size(), changes_max);
        for (const auto& [key, count] : once) EXPECT_EQ(count, 1) << key;
        std::size_t repeated = 0;
        for (const auto& [key, count] : keyed) repeated += static_cast<std::size_t>(count - 1);
        // What was recorded is not asked again: each change repeats one step of a run at most.
        EXPECT_LE(repeated, changes_max);
        const std::size_t whole = done.size();
        EXPECT_GE(keyed.size() + once.size(), whole * step_count);
    }
};

class DurableKills : public testing::Test {
protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() /
                  ("gyre-durable-kills-" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    [[nodiscard]] std::string file(const std::string& name) const {
        return "sqlite:" + (folder_ / name).string();
    }
    static Victim start(const std::string& url, std::vector<std::string> how = {},
                        const std::string& prefix = "run") {
        std::vector<std::string> arguments{url, prefix, std::to_string(run_count),
                                           std::to_string(step_count)};
        arguments.insert(arguments.end(), how.begin(), how.end());
        return Victim(arguments);
    }
    // Runs it to its end, whatever that is.
    static int finish(Victim victim, Seen& seen) {
        std::string lines;
        victim.read_all(lines);
        seen.read(lines);
        return victim.wait();
    }
    // GYRE_LONG=1: as many as the long run asks for.
    static int count(int quick, int thorough) {
        return std::getenv("GYRE_LONG") != nullptr ? thorough : quick;
    }

private:
    std::filesystem::path folder_;
};

TEST_F(DurableKills, at_every_commit_before_and_after_it) {
    Seen seen;
    for (int i = 0; i < 10'000; ++i) {
        const int code = finish(start(file("each"), {i % 2 == 0 ? "before" : "after", "1"}), seen);
        if (code == 0) break;
        ASSERT_EQ(code, -SIGKILL);
        ++seen.kills;
        ASSERT_LT(i, 5'000) << "a process that is killed at its first commit comes no further";
        if (i == count(30, 5'000)) {
            ASSERT_EQ(finish(start(file("each")), seen), 0);
            break;
        }
    }
    EXPECT_GE(seen.kills, 10);
    seen.expect_all(file("each"));
}

TEST_F(DurableKills, at_any_moment) {
    Seen seen;
    Random random(20261119);
    int store = 0;
    const int kills = count(8, 500);
    while (seen.kills < kills) {
        Victim victim = start(file("any" + std::to_string(store)));
        std::string lines;
        if (!victim.read_to(random.next() % bytes_of_all, lines)) {
            victim.signal(SIGKILL);
            victim.read_all(lines);
        }
        seen.read(lines);
        if (victim.wait() == -SIGKILL) {
            ++seen.kills;
        } else {
            seen.expect_all(file("any" + std::to_string(store)));
            const int so_far = seen.kills;
            seen = Seen();
            seen.kills = so_far;
            ++store;
        }
    }
    ASSERT_EQ(finish(start(file("any" + std::to_string(store))), seen), 0);
    seen.expect_all(file("any" + std::to_string(store)));
}

// Two workers share the runs until all have ended. Now and then one of them is killed and begun again, or
// stopped for longer than its lease, so that the other one takes its runs over before it goes on.
void share_runs(const std::function<Victim()>& begin, Random& random, Seen& seen) {
    std::vector<Victim> victims;
    victims.push_back(begin());
    victims.push_back(begin());
    while (!victims.empty()) {
        const std::size_t at = random.next() % victims.size();
        Victim& victim = victims[at];
        std::string lines;
        const bool has_ended = victim.read_to(random.next() % bytes_of_all, lines);
        const bool is_stopped = !has_ended && random.next() % 3 == 0;
        if (is_stopped) {
            victim.signal(SIGSTOP);
            std::this_thread::sleep_for(500ms);
            victim.signal(SIGCONT);
        } else if (!has_ended) {
            victim.signal(SIGKILL);
            victim.read_all(lines);
        }
        seen.read(lines);
        if (!has_ended) ++seen.kills;
        if (is_stopped) continue;
        const int code = victim.wait();
        if (code == 0) {
            victims.erase(victims.begin() + static_cast<std::ptrdiff_t>(at));
        } else {
            ASSERT_EQ(code, -SIGKILL);
            victim = begin();
        }
    }
}

TEST_F(DurableKills, of_two_workers_on_postgresql) {
    GYRE_NEEDS_POSTGRES();
    const std::string url = test::ScratchServer::instance().url();
    Random random(7);
    int kills = 0;
    for (int round = 0; kills < count(8, 200); ++round) {
        Seen seen;
        const std::string prefix = "round" + std::to_string(round) + "-";
        share_runs([&] { return start(url, {}, prefix); }, random, seen);
        seen.expect_all(url, prefix);
        kills += seen.kills;
    }
}

}  // namespace
}  // namespace gyre::durable
