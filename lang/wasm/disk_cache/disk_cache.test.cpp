// SPDX-License-Identifier: Apache-2.0
// What the cache of machine code keeps, refuses and throws away.
#include "lang/wasm/disk_cache/disk_cache.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lang/wasm/disk_cache/internal/cache_entry.hpp"

namespace gyre::wasm {
namespace {

class CodeOnDisk : public testing::Test {
protected:
    CodeOnDisk() {
        std::string name = testing::TempDir() + "gyre-code-XXXXXX";
        path = ::mkdtemp(name.data());
    }
    ~CodeOnDisk() override { std::filesystem::remove_all(path); }

    [[nodiscard]] static std::string name_of(std::string_view module) {
        return cache_file_name(cache_key("engine", module));
    }
    [[nodiscard]] std::string file_of(std::string_view module) const {
        return path + "/" + name_of(module);
    }
    void write(std::string_view module, const std::string& bytes) const {
        std::ofstream(file_of(module), std::ios::binary) << bytes;
        ASSERT_EQ(::chmod(file_of(module).c_str(), 0600), 0);
    }
    [[nodiscard]] std::string read(std::string_view module) const {
        std::ostringstream text;
        text << std::ifstream(file_of(module), std::ios::binary).rdbuf();
        return text.str();
    }
    void age(std::string_view module, time_t seconds) const {
        const timespec times[2] = {{.tv_sec = seconds, .tv_nsec = 0},
                                   {.tv_sec = seconds, .tv_nsec = 0}};
        ASSERT_EQ(::utimensat(AT_FDCWD, file_of(module).c_str(), times, 0), 0);
    }
    [[nodiscard]] std::size_t file_count() const {
        const std::filesystem::directory_iterator files(path);
        return static_cast<std::size_t>(std::distance(begin(files), end(files)));
    }

    std::string path;
};

TEST_F(CodeOnDisk, is_found_for_the_same_engine_and_module_only) {
    const auto cache = DiskCache::open(path);
    cache->keep("engine", "module", "code");
    EXPECT_EQ(cache->find("engine", "module"), "code");
    EXPECT_EQ(DiskCache::open(path)->find("engine", "module"), "code");
    EXPECT_EQ(cache->find("engine", "modulf"), std::nullopt);
    EXPECT_EQ(cache->find("engine 2", "module"), std::nullopt);
    EXPECT_EQ(cache->find("enginem", "odule"), std::nullopt);
    cache->keep("engine", "", "");
    EXPECT_EQ(cache->find("engine", ""), "");
    cache->keep("engine", "module", "other");
    EXPECT_EQ(cache->find("engine", "module"), "other");
}

TEST_F(CodeOnDisk, with_any_byte_changed_is_not_used) {
    const auto cache = DiskCache::open(path);
    cache->keep("engine", "module", "code");
    const std::string whole = read("module");
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 1);
        write("module", damaged);
        EXPECT_EQ(cache->find("engine", "module"), std::nullopt) << at;
        EXPECT_FALSE(std::filesystem::exists(file_of("module"))) << at;
        write("module", whole.substr(0, at));
        EXPECT_EQ(cache->find("engine", "module"), std::nullopt) << at;
    }
    write("module", whole + "x");
    EXPECT_EQ(cache->find("engine", "module"), std::nullopt);
    write("module", whole);
    EXPECT_EQ(cache->find("engine", "module"), "code");
}

TEST_F(CodeOnDisk, of_another_module_under_this_name_is_not_used) {
    const auto cache = DiskCache::open(path);
    cache->keep("engine", "other", "wrong code");
    std::filesystem::rename(file_of("other"), file_of("module"));
    EXPECT_EQ(cache->find("engine", "module"), std::nullopt);
}

TEST_F(CodeOnDisk, that_others_may_write_is_not_used) {
    const auto cache = DiskCache::open(path);
    cache->keep("engine", "module", "code");
    ASSERT_EQ(::chmod(file_of("module").c_str(), 0660), 0);
    EXPECT_EQ(cache->find("engine", "module"), std::nullopt);
    ASSERT_EQ(::chmod(file_of("module").c_str(), 0600), 0);
    EXPECT_EQ(cache->find("engine", "module"), "code");
    ASSERT_EQ(::chmod(path.c_str(), 0770), 0);
    EXPECT_EQ(DiskCache::open(path), nullptr);
    ASSERT_EQ(::chmod(path.c_str(), 0700), 0);
    EXPECT_NE(DiskCache::open(path), nullptr);
    if (::geteuid() == 0) {
        ASSERT_EQ(::chown(file_of("module").c_str(), 12'345, static_cast<gid_t>(-1)), 0);
        EXPECT_EQ(cache->find("engine", "module"), std::nullopt);
    }
}

TEST_F(CodeOnDisk, behind_a_link_is_not_used) {
    const auto cache = DiskCache::open(path);
    cache->keep("engine", "module", "code");
    const std::string moved = path + "/moved";
    std::filesystem::rename(file_of("module"), moved);
    std::filesystem::create_symlink(moved, file_of("module"));
    EXPECT_EQ(cache->find("engine", "module"), std::nullopt);
}

TEST_F(CodeOnDisk, of_all_modules_is_at_most_512_MB_by_default_and_the_oldest_go_first) {
    EXPECT_EQ(DiskCacheLimits{}.size_max_bytes, std::uint64_t{512} << 20u);
    const std::string code(1'000, 'c');
    const auto cache = DiskCache::open(path, {.size_max_bytes = 3'500});
    for (const char* module : {"a", "b", "c"}) cache->keep("engine", module, code);
    age("a", 1);
    age("b", 2);
    age("c", 3);
    EXPECT_EQ(cache->find("engine", "a"), code);  // used again
    cache->keep("engine", "d", code);
    EXPECT_EQ(cache->find("engine", "b"), std::nullopt);
    for (const char* module : {"a", "c", "d"}) EXPECT_EQ(cache->find("engine", module), code);
    cache->keep("engine", "e", std::string(3'400, 'c'));
    EXPECT_EQ(file_count(), 1u);
    cache->keep("engine", "f", std::string(3'500, 'c'));  // larger than the whole cache
    EXPECT_EQ(cache->find("engine", "f"), std::nullopt);
    EXPECT_NE(cache->find("engine", "e"), std::nullopt);
    cache->keep("engine", "e", std::string(3'401, 'c'));  // in the place of its own old entry
    EXPECT_EQ(cache->find("engine", "e")->size(), 3'401u);
}

TEST_F(CodeOnDisk, has_a_limit_of_entries) {
    const auto cache = DiskCache::open(path, {.entry_count_max = 2});
    for (const char* module : {"a", "b"}) cache->keep("engine", module, "code");
    age("a", 1);
    age("b", 2);
    cache->keep("engine", "c", "code");
    EXPECT_EQ(cache->find("engine", "a"), std::nullopt);
    EXPECT_EQ(file_count(), 2u);
}

TEST_F(CodeOnDisk, counts_what_an_interrupted_write_has_left) {
    const std::string left = path + "/.aaaa";
    std::ofstream(left) << std::string(3'000, 'x');
    const auto cache = DiskCache::open(path, {.size_max_bytes = 3'500});
    cache->keep("engine", "a", std::string(1'000, 'c'));
    EXPECT_FALSE(std::filesystem::exists(left));
    EXPECT_TRUE(cache->find("engine", "a"));
}

TEST_F(CodeOnDisk, that_cannot_be_written_is_done_without) {
    // The directory is gone: as with a disk that is full or read-only, nothing can be made in it.
    const auto cache = DiskCache::open(path + "/inner");
    std::filesystem::remove(path + "/inner");
    cache->keep("engine", "module", "code");
    EXPECT_EQ(cache->find("engine", "module"), std::nullopt);
    EXPECT_EQ(DiskCache::open("/proc/gyre/modules"), nullptr);
    EXPECT_EQ(DiskCache::open(""), nullptr);
}

}  // namespace
}  // namespace gyre::wasm
