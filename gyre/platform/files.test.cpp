// SPDX-License-Identifier: Apache-2.0
// File ops on real systems only; tests/platforms has the tests for all platforms.
#include <array>
#include <cstdlib>
#include <filesystem>

#include "gyre/io/file_ops.hpp"
#include "gyre/platform/io_world.test.hpp"

namespace gyre::platform {
namespace {

GYRE_ON_EACH_PLATFORM(Files);

class Folder {
public:
    Folder() {
        std::string name = testing::TempDir() + "gyre-files-XXXXXX";
        path_ = ::mkdtemp(name.data());
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    [[nodiscard]] std::string file(const char* name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

TEST_P(Files, that_cannot_be_opened_are_results) {
    IoWorld world(GetParam());
    const Folder folder;
    OpenOp missing(folder.file("missing"));
    EXPECT_EQ(world.run(missing), -ENOENT);
    OpenOp with_zero(std::string("a\0b", 3));
    EXPECT_EQ(world.run(with_zero), -EINVAL);
    OpenOp for_nothing(folder.file("a"), {.read = false});
    EXPECT_EQ(world.run(for_nothing), -EINVAL);
    OpenOp a_folder(folder.file(""), {.write = true});
    EXPECT_EQ(world.run(a_folder), -EISDIR);
}

TEST_P(Files, an_offset_beyond_what_the_system_knows_is_a_result) {
    IoWorld world(GetParam());
    std::array<std::byte, 16> buffer{};
    ReadOp read(0, buffer, ~std::uint64_t{0});
    EXPECT_EQ(world.run(read), -EINVAL);
    WriteOp write(0, buffer, ~std::uint64_t{0});
    EXPECT_EQ(world.run(write), -EINVAL);
}

// On epoll files are served by the pool; io_uring opens them without one.
TEST(EpollFiles, are_refused_without_a_pool) {
    test::TestWorld<TestApp, test::NamedPlatform> world({.name = "epoll", .thread_count = 0});
    OpenOp open("/dev/null");
    EXPECT_EQ(world.run(open), -ENOSYS);
}

}  // namespace
}  // namespace gyre::platform
