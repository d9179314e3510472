// SPDX-License-Identifier: Apache-2.0
// Simulated files, through ops.
#include "gyre/sim/internal/disk/files.hpp"
#include "gyre/io/socket_ops.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "gyre/sim/internal/disk/sim_file_tree.hpp"
#include "gyre/sim/internal/sim_host.hpp"
#include "gyre/sim/test_app.test.hpp"

namespace gyre::sim {
namespace {

struct Disk : Rig {
    using Rig::Rig;

    [[nodiscard]] Files& files() { return platform.host().files(); }
    [[nodiscard]] SimFileTree& tree() { return platform.host().file_tree(); }
    std::int32_t open(const std::string& path, OpenOptions options = {}) {
        OpenOp op(path, options);
        return result_of(op);
    }
    std::int32_t write(Fd fd, std::string_view text, std::uint64_t offset) {
        WriteOp op(fd, bytes_of(text), offset);
        return result_of(op);
    }
    std::string read(Fd fd, std::uint64_t offset, std::size_t size = 100) {
        std::string text(size, '?');
        ReadOp op(fd, std::as_writable_bytes(std::span(text)), offset);
        last_read = result_of(op);
        text.resize(last_read < 0 ? 0 : static_cast<std::size_t>(last_read));
        return text;
    }
    std::int32_t last_read = 0;
};

constexpr OpenOptions created{.write = true, .create = true};

TEST(SimFiles, keep_what_is_written_with_zeros_where_nothing_was) {
    Disk disk;
    const Fd fd = disk.open("/data/x", created);
    ASSERT_EQ(fd, 3);
    EXPECT_EQ(disk.write(fd, "hello", 0), 5);
    EXPECT_EQ(disk.write(fd, "end", 7), 3);
    FsyncOp sync(fd);
    EXPECT_EQ(disk.result_of(sync), 0);
    EXPECT_EQ(disk.read(fd, 0), std::string("hello\0\0end", 10));
    EXPECT_EQ(disk.read(fd, 8, 1), "n");
    EXPECT_EQ(disk.read(fd, 10), "");
    EXPECT_EQ(disk.last_read, 0);
    CloseOp close(fd);
    EXPECT_EQ(disk.result_of(close), 0);
    EXPECT_EQ(disk.files().get("/data/x"), std::string("hello\0\0end", 10));
}

TEST(SimFiles, far_offsets_take_only_what_is_written) {
    Disk disk(SimOptions{.files_size_max_bytes = 64 * 1024});
    const Fd fd = disk.open("/x", created);
    constexpr std::uint64_t far = std::uint64_t{1} << 40u;
    EXPECT_EQ(disk.write(fd, "far", far), 3);
    EXPECT_EQ(disk.read(fd, far - 1), std::string("\0far", 4));
}

TEST(SimFiles, open_makes_and_empties_only_where_asked) {
    Disk disk;
    EXPECT_EQ(disk.open("/x"), failure(std::errc::no_such_file_or_directory));
    EXPECT_EQ(disk.open(""), failure(std::errc::no_such_file_or_directory));
    EXPECT_EQ(disk.open(std::string(300, 'x'), created), failure(std::errc::filename_too_long));
    EXPECT_EQ(disk.open("/x", {.read = false}), failure(std::errc::invalid_argument));
    disk.files().put("/x", "old");
    EXPECT_EQ(disk.read(disk.open("/x", created), 0), "old");
    EXPECT_GT(disk.open("/x", {.write = true, .truncate = true}), 0);
    EXPECT_EQ(disk.files().get("/x"), "");
}

TEST(SimFiles, a_descriptor_does_only_what_it_was_opened_for) {
    Disk disk;
    disk.files().put("/x", "old");
    const std::int32_t bad = failure(std::errc::bad_file_descriptor);
    EXPECT_EQ(disk.write(disk.open("/x"), "new", 0), bad);
    disk.read(disk.open("/x", {.read = false, .write = true}), 0);
    EXPECT_EQ(disk.last_read, bad);
    disk.read(77, 0);
    EXPECT_EQ(disk.last_read, bad);
    const Fd socket = disk.sockets().stream(Address::Family::ipv4).value();
    EXPECT_EQ(disk.write(socket, "x", 0), failure(std::errc::invalid_seek));
    FsyncOp sync(socket);
    EXPECT_EQ(disk.result_of(sync), failure(std::errc::invalid_argument));
    EXPECT_EQ(disk.write(disk.open("/x", created), "x", ~std::uint64_t{0}),
              failure(std::errc::invalid_argument));
}

TEST(SimFiles, a_full_disk_takes_what_fits_and_then_nothing_until_there_is_room) {
    Disk disk(SimOptions{.files_size_max_bytes = 8192});
    const Fd fd = disk.open("/x", created);
    EXPECT_EQ(disk.write(fd, std::string(10000, 'x'), 0), 8192);
    EXPECT_EQ(disk.write(fd, "x", 8192), failure(std::errc::no_space_on_device));
    EXPECT_EQ(disk.write(fd, "y", 0), 1);
    const Fd again = disk.open("/x", {.write = true, .truncate = true});
    EXPECT_EQ(disk.write(again, "x", 8192), 1);
}

TEST(SimFiles, a_removed_file_lives_until_it_is_closed) {
    Disk disk(SimOptions{.files_size_max_bytes = 4096});
    disk.files().put("/x", "old");
    const Fd fd = disk.open("/x");
    EXPECT_TRUE(disk.files().remove("/x"));
    EXPECT_FALSE(disk.files().remove("/x"));
    EXPECT_EQ(disk.read(fd, 0), "old");
    disk.sockets().close_now(fd);
    EXPECT_EQ(disk.files().free_bytes(), 4096u);
}

TEST(SimFiles, writes_to_one_file_are_done_in_their_order) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Disk disk(SimOptions{.seed = seed});
        const Fd fd = disk.open("/x", created);
        WriteOp first(fd, bytes_of("1"), 0);
        WriteOp second(fd, bytes_of("2"), 0);
        disk.app.start(first);
        disk.app.start(second);
        disk.loop.run();
        EXPECT_EQ(disk.files().get("/x"), "2");
    }
}

// Receives the events of a watch and formats them as text: kinds and names.
std::string told(Disk& disk, Fd watched, std::size_t size = 4096) {
    std::vector<std::byte> buffer(size);
    ReceiveOp receive(watched, buffer);
    const std::int32_t count = disk.result_of(receive);
    if (count < 0) return Error::of_result(count).message();
    std::vector<RawChange> changes;
    disk.tree().decode_changes(Bytes(buffer).first(static_cast<std::size_t>(count)), changes);
    std::string text;
    for (const RawChange& change : changes) {
        text += std::to_string(static_cast<int>(change.kind)) + change.name + " ";
    }
    return text;
}

constexpr auto created_kind = static_cast<int>(RawChange::Kind::created);
constexpr auto modified_kind = static_cast<int>(RawChange::Kind::modified);
constexpr auto lost_kind = static_cast<int>(RawChange::Kind::lost);

std::string as_told(int kind, const char* name) {
    return std::to_string(kind) + name + " ";
}

// clause: K14
TEST(SimFiles, a_watch_keeps_a_bounded_number_of_changes) {
    Disk disk(SimOptions{.change_count_max = 2});
    const Fd watched = disk.tree().watch("/")->fd;
    for (const char* name : {"a", "b", "c", "d"}) {
        EXPECT_TRUE(disk.tree().make_folder(name, 0755).has_value());
    }
    const std::string kept =
        as_told(created_kind, "a") + as_told(created_kind, "b") + as_told(lost_kind, "");
    EXPECT_EQ(told(disk, watched), kept);
    EXPECT_TRUE(disk.tree().make_folder("e", 0755).has_value());
    EXPECT_EQ(told(disk, watched), as_told(created_kind, "e"));
}

TEST(SimFiles, a_watch_tells_equal_changes_once_and_whole_ones_only) {
    Disk disk;
    const Fd watched = disk.tree().watch("/")->fd;
    disk.files().put("long name", "x");
    disk.files().put("long name", "y");
    disk.files().put("b", "");
    EXPECT_EQ(told(disk, watched, 8), Error(std::errc::invalid_argument).message());
    EXPECT_EQ(told(disk, watched, 40), as_told(created_kind, "long name"));
    const std::string rest = as_told(modified_kind, "long name") + as_told(created_kind, "b") +
                             as_told(modified_kind, "b");
    EXPECT_EQ(told(disk, watched), rest);
    EXPECT_EQ(disk.tree().watch("/none").error(), Error(std::errc::no_such_file_or_directory));
    EXPECT_EQ(disk.tree().watch_also(77, "/").error(), Error(std::errc::bad_file_descriptor));
}

TEST(SimFiles, folders_on_the_way_of_a_new_file_are_made) {
    Disk disk;
    ASSERT_GT(disk.open("/a/b/file", created), 0);
    EXPECT_TRUE(disk.tree().stat("/a/b", Links::followed)->is_folder());
    EXPECT_EQ(disk.open("/a/b/file/x", created), failure(std::errc::not_a_directory));
    EXPECT_EQ(disk.open("/a/b/", created), failure(std::errc::is_a_directory));
    EXPECT_EQ(disk.tree().remove("/").error(), Error(std::errc::device_or_resource_busy));
    EXPECT_TRUE(disk.files().remove("a/../a/b/file"));
    EXPECT_TRUE(disk.tree().stat("/a/b", Links::followed)->is_folder());
}

TEST(SimFiles, a_cancelled_op_did_nothing) {
    Disk disk;
    const Fd fd = disk.open("/x", created);
    WriteOp write(fd, bytes_of("x"), 0);
    OpenOp open("/y", created);
    disk.app.start(write);
    disk.app.start(open);
    disk.loop.turn();
    disk.app.stop(write);
    disk.app.stop(open);
    disk.loop.run();
    EXPECT_TRUE(write.is_cancelled());
    EXPECT_TRUE(open.is_cancelled());
    EXPECT_EQ(disk.files().get("/x"), "");
    EXPECT_FALSE(disk.files().get("/y"));
}

}  // namespace
}  // namespace gyre::sim
