// SPDX-License-Identifier: Apache-2.0
// A run of effects whose answers are kept in a file, on a disk that fails and a machine that crashes:
// after every start the run goes on where it was. No step is lost, and none is done twice.
#include <charconv>
#include <chrono>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include "gyre/effect/coroutine_tasks.hpp"
#include "gyre/effect/scheduler.hpp"
#include "gyre/fs/file.hpp"
#include "gyre/fs/tree.hpp"
#include "gyre/fs/whole_file.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/sync/semaphore.hpp"
#include "gyre/testing/checkers.hpp"
#include "tests/simulation/seeds.hpp"

namespace gyre::testing {
namespace {

using namespace std::chrono_literals;
using namespace gyre::effect;

constexpr int step_count = 12;
const std::string journal_path = "/run/journal";

struct Shop {
    // The price of an article at this moment.
    static constexpr ResumeOp<int(int)> ask{"example.shop", "ask"};
    // Pays it: a payment that is repeated with the same price is the same payment.
    static constexpr ResumeOp<int(int, int)> pay{"example.shop", "pay"};
};

Effectful<int> buy(int first, int last) {
    int sum = 0;
    for (int step = first; step <= last; ++step) {
        const int price = co_await perform(Shop::ask, step);
        sum += co_await perform(Shop::pay, step, price);
    }
    co_return sum;
}

// Two tasks of one run.
Effectful<int> buy_all() {
    const Spawned<int> other = co_await spawn(buy(step_count / 2 + 1, step_count));
    const int mine = co_await buy(1, step_count / 2);
    co_return mine + co_await join(other);
}

// ---- The journal: a line for each answer, which ends with a check sum ----

struct Line {
    std::string op;
    std::uint32_t task = 0;
    int step = 0;
    int price = 0;

    [[nodiscard]] std::string text() const {
        std::string line = op + " " + std::to_string(task) + " " + std::to_string(step) + " " +
                           std::to_string(price) + " ";
        std::uint32_t sum = 2166136261u;
        for (const char letter : line) {
            sum = (sum ^ static_cast<unsigned char>(letter)) * 16777619u;
        }
        return line + std::to_string(sum) + "\n";
    }
    static Line parse(std::string_view text) {
        Line line;
        line.op = text.substr(0, text.find(' '));
        text.remove_prefix(line.op.size());
        const auto read = [&text](auto& number) {
            text.remove_prefix(text.empty() ? 0 : 1);
            const char* const end = text.data() + text.size();
            text = {std::from_chars(text.data(), end, number).ptr, end};
        };
        read(line.task);
        read(line.step);
        read(line.price);
        return line;
    }
    static Line of(const JournalEntry& entry) {
        const auto step = static_cast<int>(entry.arguments.begin()->integer());
        return {entry.op, entry.task, step, static_cast<int>(entry.value.integer())};
    }
    [[nodiscard]] JournalEntry entry() const {
        const bool is_payment = op == "pay";
        const OpInfo& info = is_payment ? Shop::pay.info : Shop::ask.info;
        JournalEntry entry;
        entry.task = task;
        entry.effect = info.effect;
        entry.op = info.op;
        entry.signature = info.signature;
        entry.arguments = is_payment ? Arguments::of(step, price) : Arguments::of(step);
        entry.value = Value(price);
        return entry;
    }
};

// The whole lines that the text begins with.
std::vector<Line> lines_of(std::string_view text) {
    std::vector<Line> lines;
    while (text.find('\n') != text.npos) {
        const std::string_view line = text.substr(0, text.find('\n') + 1);
        const Line parsed = Line::parse(line);
        if (parsed.text() != line) break;
        lines.push_back(parsed);
        text.remove_prefix(line.size());
    }
    return lines;
}

enum class Mistake : std::uint8_t { none, no_sync, answer_before_the_file };

// Appends each answer to the file. The run goes on with an answer when it is safe.
class FileJournal final : public Journal {
public:
    FileJournal(const fs::File& file, const std::vector<Line>& lines, Mistake mistake)
        : file_(file), mistake_(mistake) {
        for (const Line& line : lines) {
            end_ += line.text().size();
            entries_.push_back(line.entry());
        }
    }
    // What it writes are tasks of this scope, which ends before it.
    void write_in(Scope& scope) { scope_ = &scope; }

    [[nodiscard]] const JournalEntry* next() override {
        return at_ < entries_.size() ? &entries_[at_] : nullptr;
    }
    void advance() override { ++at_; }
    void record(JournalEntry /*entry*/) override {}
    [[nodiscard]] bool is_slow() const noexcept override {
        return mistake_ != Mistake::answer_before_the_file;
    }
    void record_later(JournalEntry entry, Reply kept) override {
        scope_->spawn([this](std::string line,
                             Reply reply) { return keep(std::move(line), std::move(reply)); },
                      Line::of(entry).text(), std::move(kept));
    }

private:
    Future<void> keep(std::string line, Reply reply) {
        const MutexGuard guard = co_await mutex_.lock();
        std::exception_ptr failure;
        try {
            co_await file_.write_all_at(bytes_of(line), end_);
            end_ += line.size();
            if (mistake_ != Mistake::no_sync) co_await file_.sync();
        } catch (...) {
            failure = std::current_exception();
        }
        failure == nullptr ? reply.answer(resume()) : reply.fail(failure);
    }

    Scope* scope_ = nullptr;
    const fs::File& file_;
    const Mistake mistake_;
    std::vector<JournalEntry> entries_;
    std::size_t at_ = 0;
    Mutex mutex_;
    std::uint64_t end_ = 0;
};

// ---- The scenario ----

class RunTrial : public Trial {
public:
    explicit RunTrial(Mistake mistake) : mistake_(mistake) {}

    void set_up(Simulation& simulation) override {
        host_ = &simulation.add_host("shopper", [this](sim::Host&) { return run(); });
    }
    std::string check_always(Simulation& /*simulation*/) override {
        return wrong_.empty() ? payments_.check() : wrong_;
    }
    bool is_at_rest(Simulation& /*simulation*/) override { return result_ != 0; }
    std::string check(Simulation& /*simulation*/) override {
        int sum = 0;
        for (const auto& [step, price] : paid_) sum += price;
        if (paid_.size() != step_count) return "a step is lost";
        if (sum != result_) return "the result is not the sum of what was paid";
        return payments_.check();
    }
    [[nodiscard]] sim::Host& host() { return *host_; }

private:
    void say_wrong(const std::string& what) {
        const sim::OutsideHost outside;
        if (wrong_.empty()) wrong_ = what.c_str();
    }

    // One scheduler, which outlives what handlers of a failed run still do.
    Future<void> run() {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            Scheduler scheduler(scope.executor());
            while (result_ == 0) {
                try {
                    co_await run_once(scheduler);
                } catch (const std::system_error&) {  // The disk has failed: start again.
                }
                co_await sleep(1s);
            }
        });
    }
    // Replays what the file has, and goes on.
    Future<void> run_once(Scheduler& scheduler) {
        std::string text;
        if (co_await fs::exists(journal_path)) text = co_await fs::read_file(journal_path);
        const std::vector<Line> lines = lines_of(text);
        text.clear();
        for (const Line& line : lines) text += line.text();
        // What was read may not be safe yet: a new file is.
        co_await fs::make_folders("/run");
        co_await fs::sync_folder("/");
        co_await fs::replace(journal_path, text);
        const fs::File file = co_await fs::open(journal_path, {.write = true});
        Handlers handlers;
        handlers.on(Shop::ask, [this](int step) { return ask(step); });
        handlers.on(Shop::pay, [this](int step, int price) { return pay(step, price); });
        CoroutineGuest guest;
        guest.add("buy_all", buy_all);
        FileJournal journal(file, lines, mistake_);
        co_await with_scope([&](Scope& scope) -> Future<void> {
            journal.write_in(scope);
            const StartOptions options{.journal = &journal};
            auto run = scheduler.start<int>(guest, handlers, "buy_all", {}, options);
            const RunOutcome<int> outcome = co_await run;
            if (outcome.has_value()) result_ = outcome.value();
        });
    }
    Future<int> ask(int /*step*/) {
        co_await sleep(200ms);
        co_return ++last_price_;  // Another one each time.
    }
    Future<int> pay(int step, int price) {
        co_await sleep(100ms);
        const auto [paid, is_new] = note_payment(step, price);
        if (paid != price) say_wrong("step " + std::to_string(step) + " was paid at two prices");
        if (is_new) payments_.took_effect(std::to_string(step));
        co_await sleep(100ms);
        payments_.answered(std::to_string(step));
        co_return price;
    }
    // The other side of a payment, which knows the payments that it has had.
    std::pair<int, bool> note_payment(int step, int price) {
        const sim::OutsideHost outside;
        payments_.asked(std::to_string(step));
        const auto [place, is_new] = paid_.try_emplace(step, price);
        return {place->second, is_new};
    }

    const Mistake mistake_;
    sim::Host* host_ = nullptr;
    // The world outside of the machine, which no crash changes.
    std::map<int, int> paid_;
    int last_price_ = 0;
    ExactlyOnce payments_;
    std::string wrong_;
    int result_ = 0;
};

Scenario shopping(Mistake mistake) {
    return {.name = "shopping", .make = [mistake] { return std::make_unique<RunTrial>(mistake); }};
}

TEST(EffectsUnderFaults, lose_no_step_and_do_none_twice) {
    // One host: faults between hosts do not happen.
    expect_no_seed_fails(shopping(Mistake::none), FaultsOf::one_host);
}

// Runs until the turn with this number, crashes, and starts again. False if the run had ended before.
bool crash_at(std::uint64_t turn) {
    RunTrial trial(Mistake::none);
    Simulation simulation({.seed = turn});
    trial.set_up(simulation);
    simulation.start_all();
    std::uint64_t turns = 0;
    simulation.world().set_turn_listener([&](const sim::Host*, Instant) {
        if (++turns == turn) simulation.world().stop();
    });
    simulation.run_for(1min);
    const bool is_amid = !trial.is_at_rest(simulation);
    trial.host().crash();
    trial.host().start();
    simulation.run_for(1min);
    EXPECT_TRUE(trial.is_at_rest(simulation)) << "crash at turn " << turn;
    EXPECT_EQ(trial.check_always(simulation), "") << "crash at turn " << turn;
    EXPECT_EQ(trial.check(simulation), "") << "crash at turn " << turn;
    return is_amid;
}

TEST(EffectsUnderFaults, go_on_after_a_crash_at_every_turn) {
    std::uint64_t turn = 1;
    while (crash_at(turn) && !HasFailure()) ++turn;
    EXPECT_GT(turn, 100u);
}

TEST(EffectsUnderFaults, whose_journal_is_not_synced_are_found_soon) {
    expect_some_seed_fails(shopping(Mistake::no_sync), "step ");
}

TEST(EffectsUnderFaults, that_answer_before_the_file_are_found_soon) {
    expect_some_seed_fails(shopping(Mistake::answer_before_the_file), "step ");
}

}  // namespace
}  // namespace gyre::testing
