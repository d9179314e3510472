// SPDX-License-Identifier: Apache-2.0
// The undefined symbols of each module's library: what the linker will look for, whatever the sources
// call it. tools/check_tree checks the same rules in the sources.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace gyre {
namespace {

using Names = std::set<std::string>;

Names undefined_symbols_of(const std::string& library) {
    const std::string command =
        std::string("'") + GYRE_NM + "' --undefined-only --format=posix '" + library + "'";
    std::FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return {};
    Names found;
    std::string line;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
        if (c != '\n') {
            line += static_cast<char>(c);
            continue;
        }
        found.insert(line.substr(0, line.find(' ')));
        line.clear();
    }
    EXPECT_EQ(::pclose(pipe), 0) << command;
    return found;
}

// By module: those of its symbols that match.
std::map<std::string, Names> symbols_that_match(const std::string& pattern) {
    const std::regex wanted(pattern);
    std::ifstream libraries(GYRE_LIBRARIES);
    std::map<std::string, Names> found;
    std::size_t symbol_count = 0;
    for (std::string module, path; libraries >> module >> path;) {
        for (const std::string& each : undefined_symbols_of(path)) {
            ++symbol_count;
            if (std::regex_match(each, wanted)) found[module].insert(each);
        }
    }
    EXPECT_GT(symbol_count, 100u) << "no library was read: " << GYRE_LIBRARIES;
    return found;
}

// clause: L20
TEST(Symbols, of_another_event_loop_are_asked_for_by_no_module) {
    const auto found = symbols_that_match("(uv|ev|event|event_base|evutil|g_main|sd_event)_.*");
    EXPECT_EQ(found, (std::map<std::string, Names>{}));
}

// clause: L24
TEST(Symbols, of_the_system_are_asked_for_by_the_platform_alone) {
    auto found = symbols_that_match(
        "read|write|preadv?2?|pwritev?2?|open(at)?(64)?|close|poll|ppoll|select|epoll_.*|io_uring_."
        "*|"
        "eventfd|timerfd_.*|signalfd|inotify_.*|pidfd_.*|socket|bind|listen|accept4?|connect|send("
        "to|msg)?|"
        "recv(from|msg)?|[gs]etsockopt|shutdown|fork|vfork|exec.*|posix_spawn.*|kill|waitpid|"
        "waitid|"
        "sigaction|signal|pipe2?|dup[23]?|fcntl(64)?|ioctl|mmap(64)?|munmap|stat(x|64)?|fstat(at)?("
        "64)?|"
        "lstat(64)?|access|mkdir(at)?|rmdir|unlink(at)?|rename(at2?)?|remove|f?truncate(64)?|fopen("
        "64)?|"
        "opendir|readdir(64)?|getcwd|realpath|syscall");
    EXPECT_GT(found["platform"].size(), 10u);
    found.erase("platform");
    // A line of the log, the wait of std::atomic, an entry of the table that c-ares is given, and the address space of
    // simulated hosts.
    const std::map<std::string, Names> allowed = {{"base", {"poll", "write"}},
                                                  {"net", {"recvfrom"}},
                                                  {"sim", {"mmap"}},
                                                  {"task", {"syscall"}}};
    for (const auto& [module, names] : found) {
        for (const std::string& name : names) {
            const auto at = allowed.find(module);
            EXPECT_TRUE(at != allowed.end() && at->second.contains(name)) << module << ": " << name;
        }
    }
}

}  // namespace
}  // namespace gyre
