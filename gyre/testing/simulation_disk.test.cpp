// SPDX-License-Identifier: Apache-2.0
// What a crash leaves on a simulated disk, with the file calls of tasks. docs/guide/simulation.md has
// the rules; each sync bug of the last group is one that the rules must show.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <system_error>

#include "gyre/fs/file.hpp"
#include "gyre/fs/tree.hpp"
#include "gyre/fs/whole_file.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/testing/simulation.hpp"

namespace gyre::testing {
namespace {

using namespace std::chrono_literals;
using sim::Host;

constexpr const char* missing = "(missing)";

// How often each content was left at the path by a crash after the program, over 300 seeds.
template <class F>
std::map<std::string, int> left_by(F program, const std::string& path = "/data/file",
                                   Duration crash_after = 1s) {
    std::map<std::string, int> left;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Simulation simulation({.seed = seed});
        auto& host = simulation.add_host("a", program);
        host.put_file("/data/file", "old");
        host.start();
        simulation.run_for(crash_after);
        EXPECT_TRUE(simulation.failures().empty()) << simulation.failures().front();
        host.crash();
        ++left[host.file_content(path).value_or(missing)];
    }
    return left;
}

// Overwrites from the start, and returns the open file.
Future<fs::File> written(std::string path, std::string text) {
    fs::File file = co_await fs::open(path, {.write = true, .create = true});
    co_await file.write_all_at(bytes_of(text), 0);
    co_return file;
}

// ---- File data ----

TEST(CrashedDisk, keeps_what_was_synced) {
    const auto left = left_by([](Host&) -> Future<void> {
        const fs::File file = co_await written("/data/file", "new");
        co_await file.sync();
    });
    EXPECT_EQ(left, (std::map<std::string, int>{{"new", 300}}));
}

TEST(CrashedDisk, keeps_or_loses_what_was_not_synced) {
    const auto left = left_by(
        [](Host&) -> Future<void> { const fs::File file = co_await written("/data/file", "new"); });
    EXPECT_EQ(left.size(), 2u);
    EXPECT_GT(left.at("old"), 50);
    EXPECT_GT(left.at("new"), 50);
}

TEST(CrashedDisk, tears_between_sectors_in_any_order) {
    const auto left = left_by([](Host&) -> Future<void> {
        const fs::File file = co_await written("/data/file", std::string(1024, 'a'));
        co_await file.sync();
        co_await file.write_all_at(bytes_of(std::string(1024, 'b')), 0);
    });
    const std::string a(512, 'a');
    const std::string b(512, 'b');
    EXPECT_EQ(left.size(), 4u);
    for (const std::string& text : {a + a, a + b, b + a, b + b}) EXPECT_GT(left.at(text), 10);
}

// The size and the data are written one without the other: zeros where the data was lost.
TEST(CrashedDisk, leaves_zeros_or_less_of_an_append) {
    const auto left = left_by([](Host&) -> Future<void> {
        const fs::File file = co_await fs::open("/data/file", {.write = true});
        co_await file.write_all_at(bytes_of(std::string(600, 'x')), 3);
    });
    int zeros = 0;
    int shorter = 0;
    for (const auto& [text, count] : left) {
        EXPECT_EQ(text.substr(0, 3), "old");
        zeros += text.size() == 603 && text.find('\0') != text.npos ? count : 0;
        shorter += text.size() < 603 ? count : 0;
    }
    EXPECT_GT(zeros, 10);
    EXPECT_GT(shorter, 10);
}

TEST(CrashedDisk, does_not_sync_later_what_a_failed_sync_lost) {
    const auto left = left_by([](Host& host) -> Future<void> {
        const fs::File file = co_await written("/data/file", "new");
        host.disk().sync_error_one_in = 1;
        try {
            co_await file.sync();
            ADD_FAILURE() << "the sync did not fail";
        } catch (const std::system_error& error) {
            EXPECT_EQ(error.code(), std::errc::io_error);
        }
        host.disk().sync_error_one_in = 0;
        co_await file.sync();
    });
    EXPECT_EQ(left, (std::map<std::string, int>{{"old", 300}}));
}

// ---- Names ----

TEST(CrashedDisk, keeps_a_new_name_only_with_its_folder) {
    const auto left = left_by(
        [](Host&) -> Future<void> {
            const fs::File file = co_await written("/data/new", "new");
            co_await file.sync();
        },
        "/data/new");
    EXPECT_EQ(left.size(), 2u);
    EXPECT_GT(left.at(missing), 50);
    const auto synced = left_by(
        [](Host&) -> Future<void> {
            const fs::File file = co_await written("/data/new", "new");
            co_await file.sync();
            co_await fs::sync_folder("/data");
        },
        "/data/new");
    EXPECT_EQ(synced, (std::map<std::string, int>{{"new", 300}}));
}

TEST(CrashedDisk, has_the_old_or_the_new_name_of_a_rename) {
    const auto program = [](Host&) -> Future<void> {
        co_await fs::rename("/data/file", "/data/other");
    };
    const auto old_name = left_by(program);
    const auto new_name = left_by(program, "/data/other");
    EXPECT_GT(old_name.at("old"), 50);
    EXPECT_EQ(old_name.at("old"), new_name.at(missing));
    EXPECT_EQ(old_name.at(missing), new_name.at("old"));
}

TEST(KilledProcess, loses_nothing_that_it_wrote) {
    Simulation simulation;
    auto& host = simulation.add_host("a", [](Host&) -> Future<void> {
        const fs::File file = co_await written("/data/file", "new");
    });
    host.start();
    simulation.run_for(1s);
    host.kill();
    EXPECT_EQ(host.file_content("/data/file"), "new");
}

// ---- The faults that an operation reports ----

TEST(FaultyDisk, reports_errors_and_a_full_disk) {
    Simulation simulation;
    auto& host = simulation.add_host("a", [](Host& at) -> Future<void> {
        const fs::File file = co_await fs::open("/data/file", {.read = true, .write = true});
        const auto result_of = [&file](bool is_write) -> Future<std::error_code> {
            std::array<std::byte, 3> buffer{};
            try {
                if (is_write) co_await file.write_at(buffer, 0);
                if (!is_write) co_await file.read_at(buffer, 0);
            } catch (const std::system_error& error) {
                co_return error.code();
            }
            co_return std::error_code();
        };
        at.disk().read_error_one_in = 1;
        EXPECT_EQ(co_await result_of(false), std::errc::io_error);
        EXPECT_EQ(co_await result_of(true), std::error_code());
        at.disk() = {.write_error_one_in = 1};
        EXPECT_EQ(co_await result_of(true), std::errc::io_error);
        EXPECT_EQ(co_await result_of(false), std::error_code());
        at.disk() = {.is_full = true};
        EXPECT_EQ(co_await result_of(true), std::errc::no_space_on_device);
        at.disk() = {};
        EXPECT_EQ(co_await result_of(true), std::error_code());
    });
    host.put_file("/data/file", "old");
    host.start();
    simulation.run_for(1s);
    EXPECT_TRUE(simulation.failures().empty()) << simulation.failures().front();
}

TEST(FaultyDisk, transfers_less_and_later) {
    Simulation simulation;
    Duration took{};
    std::size_t size = 0;
    auto& host = simulation.add_host("a", [&](Host& at) -> Future<void> {
        const fs::File file = co_await fs::open("/data/file", {.read = true});
        at.disk() = {.short_one_in = 1, .delay = 5s};
        const Duration before = simulation.elapsed();
        std::array<std::byte, 100> buffer{};
        size = co_await file.read_at(buffer, 0);
        took = simulation.elapsed() - before;
    });
    host.put_file("/data/file", std::string(100, 'x'));
    host.start();
    simulation.run_for(1min);
    EXPECT_GT(size, 0u);
    EXPECT_LT(size, 100u);
    EXPECT_GE(took, 5s);
}

TEST(FaultyDisk, rots_by_one_bit) {
    Simulation simulation;
    auto& host = simulation.add_host("a", [](Host&) -> Future<void> { co_return; });
    host.put_file("/data/file", "old");
    EXPECT_TRUE(host.rot("/data/file"));
    EXPECT_FALSE(host.rot("/data/none"));
    const std::string content = host.file_content("/data/file").value_or("");
    int bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        bits += std::popcount(static_cast<unsigned char>(content[i] ^ "old"[i]));
    }
    EXPECT_EQ(bits, 1);
    host.crash();
    EXPECT_EQ(host.file_content("/data/file"), content);
}

// ---- Replacing a file: right, and wrong in six ways ----

TEST(Replace, leaves_the_old_or_the_new_content_after_any_crash) {
    for (const Duration when : {100us, 500us, 1000us, 2000us, 3000us, 5000us}) {
        const auto left = left_by(
            [](Host&) -> Future<void> {
                co_await fs::replace("/data/file", std::string(2000, 'n'));
            },
            "/data/file", when);
        for (const auto& [text, count] : left) {
            EXPECT_TRUE(text == "old" || text == std::string(2000, 'n')) << text.substr(0, 20);
        }
    }
}

// Writes a new version in several steps and says that it is safe: without an error and with another
// content than the new one, the bug is found.
struct Steps {
    bool syncs_file = true;
    bool syncs_before_rename = true;
    bool syncs_folder = true;
    bool renames = true;
    bool syncs_wrong_file = false;
    bool retries_failed_sync = false;
};

Future<void> replace_in_steps(Steps steps) {
    const std::string text(2000, 'n');
    const std::string place = steps.renames ? "/data/.temporary" : "/data/file";
    fs::File file = co_await written(place, text);
    if (steps.syncs_wrong_file) {
        const fs::File other = co_await fs::open("/data/file", {.read = true});
        co_await other.sync();
    } else if (steps.syncs_file && steps.syncs_before_rename) {
        co_await file.sync();
    }
    if (steps.renames) co_await fs::rename(place, "/data/file");
    if (steps.syncs_folder) co_await fs::sync_folder("/data");
    if (steps.syncs_file && !steps.syncs_before_rename) co_await file.sync();
}

// How many of 300 crashes leave neither the old nor the new content.
int torn_by(Steps steps, Duration crash_after = 1s) {
    int torn = 0;
    const auto left = left_by([steps](Host&) -> Future<void> { co_await replace_in_steps(steps); },
                              "/data/file", crash_after);
    for (const auto& [text, count] : left) {
        torn += text != "old" && text != std::string(2000, 'n') ? count : 0;
    }
    return torn;
}

int old_after(Steps steps) {
    const auto left = left_by([steps](Host&) -> Future<void> { co_await replace_in_steps(steps); });
    const auto found = left.find("old");
    return found == left.end() ? 0 : found->second;
}

TEST(SyncBugs, the_right_order_has_none) {
    EXPECT_EQ(torn_by({}), 0);
    EXPECT_EQ(old_after({}), 0);
    for (const Duration when : {500us, 1000us, 2000us}) EXPECT_EQ(torn_by({}, when), 0);
}

TEST(SyncBugs, no_sync_of_the_file_is_found) {
    EXPECT_GT(torn_by({.syncs_file = false}), 10);
}

TEST(SyncBugs, a_rename_before_the_sync_is_found) {
    int torn = 0;
    for (const Duration when : {1ms, 2ms, 3ms}) {
        torn += torn_by({.syncs_before_rename = false}, when);
    }
    EXPECT_GT(torn, 10);
}

TEST(SyncBugs, no_sync_of_the_folder_is_found) {
    EXPECT_GT(old_after({.syncs_folder = false}), 10);
}

TEST(SyncBugs, an_overwrite_in_place_is_found) {
    int torn = 0;
    for (const Duration when : {200us, 500us, 1000us}) torn += torn_by({.renames = false}, when);
    EXPECT_GT(torn, 10);
}

TEST(SyncBugs, a_sync_of_the_wrong_file_is_found) {
    EXPECT_GT(torn_by({.syncs_wrong_file = true}), 10);
}

TEST(SyncBugs, a_second_try_after_a_failed_sync_is_found) {
    const auto left = left_by([](Host& host) -> Future<void> {
        fs::File file = co_await written("/data/.temporary", std::string(2000, 'n'));
        host.disk().sync_error_one_in = 2;
        for (bool is_synced = false; !is_synced;) {
            try {
                co_await file.sync();
                is_synced = true;
            } catch (const std::system_error&) {  // The bug: the data has to be written again.
            }
        }
        host.disk() = {};
        co_await fs::rename("/data/.temporary", "/data/file");
        co_await fs::sync_folder("/data");
    });
    EXPECT_GT(300 - left.at(std::string(2000, 'n')), 50);
}

}  // namespace
}  // namespace gyre::testing
