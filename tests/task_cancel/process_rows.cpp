// SPDX-License-Identifier: Apache-2.0
// The part of the table (see rows.cpp) for processes. The children are played: each is a task that
// gives back what it reads, and ends with its input or when it is killed. Whatever becomes of the
// victim, each must be ended and reaped.
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <memory>

#include "gyre/io/environment.hpp"
#include "gyre/io/socket_ops.hpp"
#include "gyre/process/process.hpp"
#include "gyre/process/signals.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/task_cancel/kit.hpp"

namespace gyre::task_cancel {
namespace {

using namespace std::chrono_literals;
using process::Command;
using process::StandardStream;

class PlayedChildren final : public Children {
public:
    explicit PlayedChildren(Stage& stage) : stage_(stage) {
        stage.platform.set_children(this);
        stage.afterwards([this] {
            for (const auto& child : children_) EXPECT_TRUE(child->is_reaped);
        });
    }

    Result<SpawnedChild> spawn(const SpawnPlan& plan) override {
        children_.push_back(std::make_unique<Child>());
        Child& child = *children_.back();
        SpawnedChild spawned;
        spawned.pid = static_cast<int>(children_.size());
        std::tie(spawned.process, child.life) = connected();
        for (const std::size_t stream : {0u, 1u}) {
            if (plan.streams[stream] != StandardStream::pipe) continue;
            std::tie(spawned.pipes[stream], child.streams[stream]) = connected();
        }
        stage_.helper([this, &child] { return play(child); });
        return spawned;
    }
    Result<void> signal(int pid, int number, bool /*to_group*/) override {
        end(child_of(pid), {.code = 0, .signal = number});
        return {};
    }
    Result<Fd> watch(int /*pid*/) override {
        return std::unexpected(Error(std::errc::function_not_supported));
    }
    Result<ChildEnd> reap(int pid) override {
        Child& child = child_of(pid);
        if (!child.has_ended) {
            return std::unexpected(Error(std::errc::resource_unavailable_try_again));
        }
        EXPECT_FALSE(child.is_reaped);
        child.is_reaped = true;
        return child.end;
    }

private:
    struct Child {
        std::array<Fd, 2> streams = {-1, -1};
        Fd life = -1;  // closed with its end: that is what its parent sees
        bool has_ended = false;
        bool is_reaped = false;
        ChildEnd end;
    };

    Child& child_of(int pid) { return *children_[static_cast<std::size_t>(pid - 1)]; }
    std::pair<Fd, Fd> connected() {
        const std::array<Fd, 2> ends =
            stage_.platform.environment()->sockets().connection_pair().value();
        return {ends[0], ends[1]};
    }
    void end(Child& child, ChildEnd how) {
        if (std::exchange(child.has_ended, true)) return;
        child.end = how;
        for (const Fd fd : {child.streams[0], child.streams[1], child.life}) {
            if (fd >= 0) stage_.platform.environment()->sockets().close_now(fd);
        }
    }
    Future<void> play(Child& child) {
        std::array<std::byte, 16> buffer{};
        while (child.streams[0] >= 0) {
            const auto read = co_await perform<ReceiveOp>("input", child.streams[0], Bytes(buffer));
            if (!read || *read == 0) break;
            const ConstBytes data = ConstBytes(buffer).first(static_cast<std::size_t>(*read));
            const auto sent = co_await perform<SendOp>("output", child.streams[1], data);
            if (!sent) break;
        }
        if (child.streams[0] < 0 && !child.has_ended) co_await sleep(2ms);
        end(child, {.code = 3, .signal = 0});
    }

    Stage& stage_;
    std::vector<std::unique_ptr<Child>> children_;
};

Command talking() {
    Command command;
    command.program = "played";
    command.input = StandardStream::pipe;
    command.output = StandardStream::pipe;
    return command;
}

Future<void> talks_to_a_child(Stage& stage) {
    stage.make<PlayedChildren>(stage);
    process::Process child = co_await process::spawn(talking());
    co_await child.input.write(bytes_of("x"));
    std::array<std::byte, 4> buffer{};
    EXPECT_EQ(co_await child.output.read(buffer), 1u);
    co_await child.input.aclose();
    EXPECT_EQ(co_await child.output.read(buffer), 0u);
    EXPECT_EQ((co_await child.wait()).code, 3);
}

Future<void> waits_for_a_child(Stage& stage) {
    stage.make<PlayedChildren>(stage);
    Command silent;
    silent.program = "played";
    process::Process child = co_await process::spawn(silent);
    EXPECT_EQ((co_await child.wait()).code, 3);
    EXPECT_EQ((co_await child.stop()).code, 3);
}

Future<void> stops_a_child(Stage& stage) {
    stage.make<PlayedChildren>(stage);
    process::Process child = co_await process::spawn(talking());
    EXPECT_EQ((co_await child.stop()).signal, SIGTERM);
}

Future<void> drops_a_child(Stage& stage) {
    stage.make<PlayedChildren>(stage);
    process::Process child = co_await process::spawn(talking());
    co_await child.input.write(bytes_of("x"));
}

Future<void> runs_a_command(Stage& stage) {
    stage.make<PlayedChildren>(stage);
    process::OutputOptions options;
    options.input = "abc";
    const process::Output output = co_await process::run(talking(), options);
    EXPECT_EQ(output.output, "abc");
}

Future<void> hears_signals(Stage& stage) {
    stage.helper([&stage]() -> Future<void> {
        co_await sleep(2ms);
        stage.platform.raise(SIGUSR1);
    });
    const std::vector<int> numbers{SIGUSR1, SIGUSR2};
    auto heard = co_await process::signals(numbers);
    EXPECT_EQ(co_await heard.next(), SIGUSR1);
    co_await heard.aclose();
}

}  // namespace

std::vector<Program> process_rows() {
    return {
        {"talks_to_a_child", {"Process", "PipeReader", "PipeWriter", "spawn"}, talks_to_a_child},
        {"waits_for_a_child", {"Process"}, waits_for_a_child},
        {"stops_a_child", {"Process"}, stops_a_child},
        {"drops_a_child", {"Process"}, drops_a_child},
        {"runs_a_command", {"run"}, runs_a_command},
        {"hears_signals", {"signals"}, hears_signals},
    };
}

}  // namespace gyre::task_cancel
