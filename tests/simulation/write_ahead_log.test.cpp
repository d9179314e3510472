// SPDX-License-Identifier: Apache-2.0
// A small write-ahead log, and a file that is replaced, on a disk that fails and a machine that
// crashes: what was acknowledged is there after every start, in order, and nothing is torn.
#include <chrono>
#include <string>
#include <system_error>

#include "gyre/fs/file.hpp"
#include "gyre/fs/tree.hpp"
#include "gyre/fs/whole_file.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/simulation/seeds.hpp"

namespace gyre::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t record_count = 60;

// Each record has its number, a length that differs, and a check sum.
std::string record_of(std::uint64_t number) {
    std::string text = std::to_string(number) + ":" + std::string(number * 37 % 900, 'r');
    std::uint32_t sum = 2166136261u;
    for (const char letter : text) sum = (sum ^ static_cast<unsigned char>(letter)) * 16777619u;
    return text + "#" + std::to_string(sum) + "\n";
}

// How many records the text begins with, and where they end.
struct Recovered {
    std::uint64_t count = 0;
    std::size_t size_bytes = 0;
};
Recovered recovered_from(std::string_view text) {
    Recovered found;
    for (;;) {
        const std::string next = record_of(found.count + 1);
        if (!text.substr(found.size_bytes).starts_with(next)) return found;
        found.size_bytes += next.size();
        ++found.count;
    }
}

class LogTrial : public Trial {
public:
    explicit LogTrial(bool syncs) : syncs_(syncs) {}

    void set_up(Simulation& simulation) override {
        simulation.add_host("disk", [this](sim::Host&) { return run(); });
    }
    std::string check_always(Simulation& /*simulation*/) override { return wrong_; }
    bool is_at_rest(Simulation& /*simulation*/) override { return acknowledged_ == record_count; }
    std::string check(Simulation& /*simulation*/) override { return {}; }

private:
    Future<void> run() {
        for (;;) {
            try {
                co_await write_records();
                co_return;
            } catch (const std::system_error&) {  // What is safe is not known now: start again.
            }
            co_await sleep(20ms);
        }
    }
    Future<void> write_records() {
        std::string text;
        if (co_await fs::exists("/data/log")) text = co_await fs::read_file("/data/log");
        const Recovered found = recovered_from(text);
        if (found.count < acknowledged_) wrong_ = "an acknowledged record is lost";
        co_await check_copy();
        // The rest is torn, and what is read may not be safe: only a new file is both.
        text.resize(found.size_bytes);
        co_await fs::make_folders("/data");
        co_await fs::sync_folder("/");
        co_await fs::replace("/data/log", text);
        const fs::File log = co_await fs::open("/data/log", {.write = true});
        std::uint64_t end = found.size_bytes;
        for (std::uint64_t number = found.count + 1; number <= record_count; ++number) {
            const std::string record = record_of(number);
            co_await log.write_all_at(bytes_of(record), end);
            if (syncs_) co_await log.sync();
            end += record.size();
            acknowledged_ = std::max(acknowledged_, number);
            co_await fs::replace("/data/copy", record);
            copied_ = std::max(copied_, number);
            co_await sleep(150ms);
        }
        acknowledged_ = record_count;
    }
    // The record that was copied last, or the one after it, whole.
    Future<void> check_copy() {
        if (copied_ == 0) co_return;
        const std::string text = co_await fs::read_file("/data/copy");
        for (std::uint64_t number = copied_; number <= record_count; ++number) {
            if (text == record_of(number)) co_return;
        }
        wrong_ = "the copy is torn or old";
    }

    const bool syncs_;
    std::uint64_t acknowledged_ = 0;
    std::uint64_t copied_ = 0;
    const char* wrong_ = "";
};

Scenario log_scenario(bool syncs) {
    return {.name = "log", .make = [syncs] { return std::make_unique<LogTrial>(syncs); }};
}

TEST(WriteAheadLog, loses_and_tears_nothing_that_was_acknowledged) {
    expect_no_seed_fails(log_scenario(true), FaultsOf::one_host);
}

TEST(WriteAheadLog, without_a_sync_is_found_soon) {
    expect_some_seed_fails(log_scenario(false), "an acknowledged record is lost");
}

}  // namespace
}  // namespace gyre::testing
