// SPDX-License-Identifier: Apache-2.0
// A process that is killed while it replaces a file leaves the old content or the new one, whole.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <thread>

#include "gyre/base/random.hpp"
#include "gyre/fs/fs_world.test.hpp"
#include "gyre/fs/whole_file.hpp"
#include "tests/support/platforms.hpp"
#include "tests/support/sanitizers.hpp"

namespace gyre::fs {
namespace {

constexpr std::size_t content_bytes = 64 * 1024;

// Each version repeats one letter, so that mixed or partial content is found.
std::string version(int number) {
    return std::string(content_bytes, static_cast<char>('a' + number % 26));
}
bool is_whole(const std::string& text) {
    return text.size() == content_bytes &&
           std::all_of(text.begin(), text.end(), [&](char each) { return each == text[0]; });
}

// Runs in the child, without end. Writes a byte when it has begun.
[[noreturn]] void replace_for_ever(const char* platform, const std::string& path, int tell) {
    const auto world = World::make(platform);
    if (world == nullptr) ::_exit(77);
    world->run([&]() -> Future<void> {
        for (int number = 0;; ++number) {
            co_await replace(path, version(number));
            if (number == 0) (void)!::write(tell, "x", 1);
        }
    });
    ::_exit(1);
}

class Killed : public testing::TestWithParam<const char*> {};
GYRE_ON_PLATFORMS(Killed, gyre::test::real_platforms);

TEST_P(Killed, while_it_replaces_a_file_it_leaves_the_old_one_or_the_new_one) {
    GYRE_SKIP_THREADS_AFTER_FORK();
    std::string folder = testing::TempDir() + "gyre-killed-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    const std::string path = folder + "/file";
    const bool is_long = std::getenv("GYRE_TEST_LONG") != nullptr;
    const int count = is_long ? 500 : (test::has_address_sanitizer ? 5 : 50);
    Random random(1);
    for (int i = 0; i < count; ++i) {
        std::array<int, 2> ends{};
        ASSERT_EQ(::pipe(ends.data()), 0);
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) replace_for_ever(GetParam(), path, ends[1]);
        ::close(ends[1]);
        char byte = 0;
        const bool has_begun = ::read(ends[0], &byte, 1) == 1;
        ::close(ends[0]);
        std::this_thread::sleep_for(std::chrono::microseconds(random.below(3000)));
        ::kill(child, SIGKILL);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
            (void)!std::system(("rm -r " + folder).c_str());
            GYRE_SKIP_REFUSED(GetParam(), "by the system");
        }
        ASSERT_TRUE(has_begun) << status;
        std::ifstream file(path, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        ASSERT_TRUE(is_whole(text)) << text.size() << " bytes after " << i << " kills";
    }
    (void)!std::system(("rm -r " + folder).c_str());
}

}  // namespace
}  // namespace gyre::fs
