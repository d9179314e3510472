// SPDX-License-Identifier: Apache-2.0
#include "gyre/trace/trace.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

// [head]
#include "gyre/kernel/loop.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/trace/trace.hpp"
// [/head]
#include "gyre/sim/platform.hpp"
#include "gyre/trace/chrome_events.test.hpp"

// [guide]
class Alarm : public gyre::Machine {
public:
    Alarm() : Machine("alarm") {}
    void start(gyre::Duration delay) {
        timer_.deadline = loop().now() + delay;
        submit(timer_);
    }

private:
    void tick(gyre::Instant /*now*/) override {
        while (next_completion() != nullptr) loop().observer()->on_mark("it rang");
    }

    gyre::TimerOp timer_;
};

void run_traced(const std::string& path) {
    gyre::platform::SystemClock clock;
    const auto files = gyre::platform::make_file_tree();
    const auto trace = gyre::trace::TraceFile::make(*files, path, {.clock = &clock}).value();
    const auto platform = gyre::platform::make_platform(clock).value();
    Alarm alarm;
    gyre::Loop loop(*platform, alarm, {.observer = trace->add_loop({.loop = "main"})});
    alarm.start(std::chrono::milliseconds(1));
    loop.run();
}
// [/guide]

namespace gyre::trace {
namespace {

namespace fs = std::filesystem;

// A new directory, removed after the test.
class TraceFileTest : public testing::Test {
protected:
    TraceFileTest() {
        std::string pattern = (fs::temp_directory_path() / "gyre-trace-XXXXXX").string();
        folder = mkdtemp(pattern.data());
    }
    ~TraceFileTest() override {
        fs::permissions(folder, fs::perms::owner_all);
        fs::remove_all(folder);
    }
    [[nodiscard]] std::size_t file_count() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }
    static std::string text_of(const fs::path& path) {
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }

    fs::path folder;
    const std::unique_ptr<FileTree> tree = platform::make_file_tree();
    FileTree& files = *tree;
};

TEST_F(TraceFileTest, holds_what_the_loops_did) {
    const fs::path path = folder / "trace.json";
    {
        auto file = TraceFile::make(files, path.string()).value();
        Observer* observer = file->add_loop({.loop = "main"});
        ASSERT_NE(observer, nullptr);
        observer->on_mark("here");
        EXPECT_FALSE(fs::exists(path));
        ASSERT_TRUE(file->finish());
        observer->on_mark("too late, and no harm");
    }
    EXPECT_EQ(ChromeEvents(text_of(path)).named("i", "here").size(), 1u);
    EXPECT_EQ(file_count(), 1u);
}

TEST_F(TraceFileTest, of_a_real_loop_has_its_timer_its_machine_and_its_mark) {
    const fs::path path = folder / "trace.json";
    run_traced(path.string());
    const ChromeEvents events(text_of(path));
    EXPECT_EQ(events.expect_whole_flows(), 1u);
    EXPECT_EQ(events.named("s", "timer").size(), 1u);
    EXPECT_EQ(events.named("X", "alarm").size(), 1u);
    EXPECT_EQ(events.named("i", "it rang").size(), 1u);
}

TEST_F(TraceFileTest, is_written_when_its_owner_ends) {
    const fs::path path = folder / "trace.json";
    TraceFile::make(files, path.string()).value()->add_loop({.loop = "main"})->on_mark("here");
    EXPECT_EQ(ChromeEvents(text_of(path)).named("i", "here").size(), 1u);
}

TEST_F(TraceFileTest, without_a_path_records_nothing) {
    auto file = TraceFile::make(files, "").value();
    EXPECT_EQ(file->add_loop({.loop = "main"}), nullptr);
    EXPECT_TRUE(file->finish());
}

TEST_F(TraceFileTest, replaces_an_older_one_only_when_complete) {
    const fs::path path = folder / "trace.json";
    std::ofstream(path) << "older";
    {
        auto file = TraceFile::make(files, path.string()).value();
        EXPECT_EQ(text_of(path), "older");
        // Meanwhile the target becomes unwritable.
        fs::rename(path, folder / "kept");
        fs::create_directory(path);
        const auto outcome = file->finish();
        ASSERT_FALSE(outcome);
        EXPECT_NE(outcome.error().find(path.string()), std::string::npos);
    }
    EXPECT_EQ(text_of(folder / "kept"), "older");
    EXPECT_EQ(file_count(), 2u);  // No temporary file is left.
}

TEST_F(TraceFileTest, says_at_once_what_cannot_be_written) {
    // Only files of the test: broken code must not damage a device of the system.
    const std::string pipe = (folder / "pipe").string();
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    fs::create_directory(folder / "inner");
    for (const std::string& path :
         {(folder / "no" / "trace.json").string(), pipe, (folder / "inner").string()}) {
        const auto made = TraceFile::make(files, path);
        ASSERT_FALSE(made) << path;
        EXPECT_NE(made.error().find(path), std::string::npos) << made.error();
        EXPECT_EQ(made.error().find('\n'), std::string::npos);
    }
    EXPECT_FALSE(TraceFile::make(files, (folder / std::string(100'000, 'x')).string()));
    EXPECT_TRUE(fs::is_fifo(pipe));
    if (geteuid() != 0) {
        fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
        EXPECT_FALSE(TraceFile::make(files, (folder / "trace.json").string()));
    }
}

TEST_F(TraceFileTest, touches_no_file_that_is_not_its_own) {
    const fs::path path = folder / "trace.json";
    std::ofstream(folder / "victim") << "precious";
    fs::create_symlink(folder / "victim", folder / "trace.json.part-a");
    TraceFile::make(files, path.string()).value()->add_loop({.loop = "main"})->on_mark("here");
    EXPECT_EQ(text_of(folder / "victim"), "precious");
    EXPECT_EQ(ChromeEvents(text_of(path)).named("i", "here").size(), 1u);
    EXPECT_FALSE(fs::is_symlink(path));
}

TEST_F(TraceFileTest, goes_where_a_link_leads) {
    std::ofstream(folder / "real") << "older";
    fs::create_symlink(folder / "real", folder / "link");
    ASSERT_TRUE(TraceFile::make(files, (folder / "link").string()).value()->finish());
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_TRUE(ChromeEvents(text_of(folder / "real")).all().contains("traceEvents"));
}

TEST_F(TraceFileTest, may_have_a_long_name_or_none_but_a_name) {
    const fs::path path = folder / std::string(250, 'x');
    ASSERT_TRUE(TraceFile::make(files, path.string()).value()->finish());
    EXPECT_TRUE(fs::exists(path));
    const fs::path before = fs::current_path();
    fs::current_path(folder);
    const auto outcome = TraceFile::make(files, "trace.json").value()->finish();
    fs::current_path(before);
    EXPECT_TRUE(outcome);
    EXPECT_TRUE(fs::exists(folder / "trace.json"));
    EXPECT_EQ(file_count(), 2u);
}

// The disk of a simulated computer takes it as well, and can be full.
TEST(TraceFileInSimulation, is_on_the_simulated_disk) {
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock, {.short_transfer_one_in = 2});
    FileTree& files = *platform.file_tree();
    platform.put_file("/log/real", "older");
    ASSERT_TRUE(files.symbolic_link("real", "/log/link"));
    for (const char* path : {"trace.json", "/log/link"}) {
        auto file = TraceFile::make(files, path).value();
        file->add_loop({.loop = "main"})->on_mark("here");
        ASSERT_TRUE(file->finish());
        EXPECT_EQ(ChromeEvents(platform.file_content(path).value()).named("i", "here").size(), 1u);
    }
    EXPECT_EQ(platform.file_content("/log/real"), platform.file_content("trace.json"));
    EXPECT_EQ(files.list("/log", 10)->size(), 2u);
    EXPECT_FALSE(TraceFile::make(files, "/none/trace.json"));
    EXPECT_FALSE(TraceFile::make(files, "/log"));
    EXPECT_EQ(platform.descriptor_count(), 0);
}

TEST(TraceFileInSimulation, that_the_disk_has_no_room_for_leaves_the_older_one) {
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock, {.files_size_max_bytes = 64 * 1024});
    FileTree& files = *platform.file_tree();
    platform.put_file("/log/trace.json", "older");
    auto file = TraceFile::make(files, "/log/trace.json").value();
    Observer* observer = file->add_loop({.loop = "main"});
    for (int i = 0; i < 5000; ++i) observer->on_mark("here");
    const auto outcome = file->finish();
    ASSERT_FALSE(outcome);
    EXPECT_NE(outcome.error().find("No space left"), std::string::npos) << outcome.error();
    EXPECT_EQ(platform.file_content("/log/trace.json"), "older");
    EXPECT_EQ(files.list("/log", 10)->size(), 1u);
    EXPECT_EQ(platform.descriptor_count(), 0);
}

TEST_F(TraceFileTest, is_named_by_the_environment) {
    unsetenv(file_variable);
    EXPECT_EQ(path_from_environment(), "");
    setenv(file_variable, "some/file.json", 1);
    EXPECT_EQ(path_from_environment(), "some/file.json");
    unsetenv(file_variable);
}

}  // namespace
}  // namespace gyre::trace
