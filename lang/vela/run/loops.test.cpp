// SPDX-License-Identifier: Apache-2.0
// Programs whose actors are spread over several loops, each with a machine of its own. Built for the
// thread sanitizer too.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "gyre/app/run.hpp"
#include "gyre/platform/system_clock.hpp"
#include "lang/vela/check/check.hpp"
#include "lang/vela/lower/lower.hpp"
#include "lang/vela/run/run.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela {
namespace {

class LinesHost final : public RunHost {
public:
    void print(std::string_view line) override {
        const std::lock_guard lock(mutex_);
        lines.emplace_back(line);
    }
    void report(std::string_view line) override { print(line); }
    [[nodiscard]] Instant time() noexcept override { return clock_.now(); }
    [[nodiscard]] Instant read_clock() override { return clock_.now(); }
    [[nodiscard]] Instant real_time() override { return clock_.now(); }

    std::vector<std::string> lines;

private:
    std::mutex mutex_;
    platform::SystemClock clock_;
};

struct LoopsRun {
    int exit_code = -1;
    std::vector<std::string> lines;  // sorted
};

LoopsRun run_on_loops(const std::string& text, std::uint32_t count, MachineOptions options = {}) {
    SourceTable no_files;
    const auto program = check("a.vela", text, no_files);
    EXPECT_EQ(report(program->diagnostics.sorted()), "");
    if (program->diagnostics.has_errors()) return {};
    const auto lowered = lower(*program);
    LinesHost host;
    gyre::Program loops({.loops = count});
    const auto main = [&]() -> gyre::Future<int> {
        for (std::uint32_t number = 2; number <= count; ++number) {
            options.loops.push_back(loops.loop(number));
        }
        const int exit_code = co_await run_program(*lowered, host, options);
        co_return exit_code;
    };
    LoopsRun made;
    made.exit_code = gyre::run(loops, main).exit_code();
    std::sort(host.lines.begin(), host.lines.end());
    made.lines = std::move(host.lines);
    return made;
}

// References, promises, lists and errors cross in both directions, while every loop collects.
constexpr const char* relay = R"(struct Item { name: String, values: List<Number> }
enum Message { Work(Item, Promise<Number>), Pass(List<ActorRef<Worker>>, Item, Promise<Number>), Fail }
factor = 3
actor Worker {
  state handled: Number
  async fn handleMessage(self, msg: Message) -> void {
    this.handled += 1
    match msg {
      Work(item, reply) => {
        await sleep(1)
        item.values.push(this.handled)
        reply.resolve(item.values.sum() * factor)
      }
      Pass(others, item, reply) => {
        answer = Promise<Number>()
        others[this.handled % others.length].send(Work(item, answer))
        reply.resolve((await answer.future()) + 1)
      }
      Fail => throw Error("as wanted")
    }
  }
}
async fn main() -> void {
  workers = (0..4).map(i => spawn(Worker::new()))
  state total = 0
  for round in 0..20 {
    item = Item("round ${round}", (0..50).toList())
    answers = workers.map(worker => {
      reply = Promise<Number>()
      worker.send(Pass(workers, item, reply))
      reply.future()
    })
    for n in await Future.all(answers) { if n > 3675 { total += 1 } }
    if item.values.length != 50 { print("shared") }
  }
  workers[1].send(Fail)
  print(total)
}
)";

TEST(VelaLoops, actors_on_several_loops_answer_each_other) {
    // clause: A35
    for (const std::uint32_t count : {1U, 3U}) {
        for (const bool collects_always : {false, true}) {
            const LoopsRun run = run_on_loops(relay, count, {.collects_always = collects_always});
            const std::vector<std::string> wanted{
                "80", "unhandled error in actor Worker: Error: as wanted"};
            EXPECT_EQ(run.lines, wanted) << count;
            EXPECT_EQ(run.exit_code, 0) << count;
        }
    }
}

TEST(VelaLoops, an_exit_of_one_loop_ends_all) {
    const LoopsRun run = run_on_loops(R"(enum Message { Bomb(List<Number>) }
actor Worker {
  state kept: List<List<Number>>
  async fn handleMessage(self, msg: Message) -> void {
    match msg { Bomb(values) => this.kept.push(values) }
  }
}
async fn main() -> void {
  workers = (0..3).map(i => spawn(Worker::new()))
  while true { for worker in workers { worker.send(Bomb((0..5000).toList())) } }
}
)",
                                      2, {.memory_bytes_max = std::size_t{8} << 20U});
    EXPECT_EQ(run.exit_code, 4);
    ASSERT_FALSE(run.lines.empty());
    EXPECT_NE(run.lines[0].find("--memory-limit"), std::string::npos) << run.lines[0];
}

TEST(VelaLoops, a_deadlock_is_found_over_all_loops) {
    const LoopsRun run = run_on_loops(R"(enum Message { Ask(Promise<Number>) }
actor Silent {
  async fn handleMessage(self, msg: Message) -> void { await sleep(1) }
}
async fn main() -> void {
  silent = (0..3).map(i => spawn(Silent::new()))
  for one in silent {
    reply = Promise<Number>()
    one.send(Ask(reply))
    await reply.future()
  }
}
)",
                                      3);
    EXPECT_EQ(run.exit_code, 3);
    const std::vector<std::string> wanted{
        "deadlock: main waits on a Future that nothing can settle"};
    EXPECT_EQ(run.lines, wanted);
}

}  // namespace
}  // namespace gyre::vela
