// SPDX-License-Identifier: Apache-2.0
// Names of files and directories: queries and changes; the same for open files.
#include "gyre/io/environment.hpp"
#include "gyre/io/file_ops.hpp"
#include "tests/platforms/world.hpp"

namespace gyre::test {
namespace {

GYRE_ON_EACH_PLATFORM(Names);

using Verb = PathOp::Verb;
constexpr std::int32_t missing = failure(std::errc::no_such_file_or_directory);

std::int32_t run(World& world, Verb verb, const std::string& path, const std::string& to = "") {
    PathOp op(verb, path);
    op.to = to;
    op.mode = 0755;
    const std::int32_t result = world.run(op);
    EXPECT_EQ(world.completions_of(op), 1u);
    world.app.done.clear();
    return result;
}

void write(World& world, const std::string& path, std::string_view text) {
    const Fd fd = world.open(path, {.write = true, .create = true});
    WriteOp op(fd, bytes_of(text), 0);
    EXPECT_EQ(world.run(op), static_cast<std::int32_t>(text.size()));
    world.close(fd);
}

// clause: K07
TEST_P(Names, a_stat_says_what_is_there) {
    const std::string path = world->file_path();
    write(*world, path, "hello");
    PathOp stat(Verb::stat, path);
    EXPECT_EQ(world->run(stat), 0);
    EXPECT_TRUE(stat.found.is_file());
    EXPECT_EQ(stat.found.size_bytes, 5u);
    EXPECT_EQ(stat.found.link_count, 1u);
    const Result<FileStat> same =
        world->platform().environment()->file_tree()->stat(path, Links::followed);
    EXPECT_EQ(stat.found.number, same->number);
    EXPECT_EQ(stat.found.device, same->device);
    EXPECT_EQ(stat.found.mode, same->mode);
    EXPECT_EQ(stat.found.modified_ns, same->modified_ns);
    EXPECT_EQ(run(*world, Verb::stat, world->file_path("none")), missing);
}

TEST_P(Names, are_changed_and_removed) {
    const std::string path = world->file_path();
    const std::string other = world->file_path("other");
    write(*world, path, "new");
    write(*world, other, "replaced");
    EXPECT_EQ(run(*world, Verb::rename, path, other), 0);
    EXPECT_EQ(run(*world, Verb::stat, path), missing);
    PathOp stat(Verb::stat, other);
    EXPECT_EQ(world->run(stat), 0);
    EXPECT_EQ(stat.found.size_bytes, 3u);
    EXPECT_EQ(run(*world, Verb::rename, path, other), missing);
    EXPECT_EQ(run(*world, Verb::remove, other), 0);
    EXPECT_EQ(run(*world, Verb::remove, other), missing);
}

TEST_P(Names, of_folders_go_when_they_are_empty) {
    const std::string folder = world->file_path("folder");
    const std::string inner = folder + "/inner";
    EXPECT_EQ(run(*world, Verb::make_folder, inner), missing);
    EXPECT_EQ(run(*world, Verb::make_folder, folder), 0);
    EXPECT_EQ(run(*world, Verb::make_folder, folder), failure(std::errc::file_exists));
    EXPECT_EQ(run(*world, Verb::make_folder, inner), 0);
    PathOp stat(Verb::stat, inner);
    EXPECT_EQ(world->run(stat), 0);
    EXPECT_TRUE(stat.found.is_folder());
    EXPECT_EQ(run(*world, Verb::remove, folder), failure(std::errc::directory_not_empty));
    EXPECT_EQ(run(*world, Verb::remove, inner), 0);
    EXPECT_EQ(run(*world, Verb::remove, folder), 0);
    EXPECT_EQ(run(*world, Verb::stat, folder), missing);
}

TEST_P(Names, of_links_lead_to_a_file) {
    const std::string path = world->file_path();
    const std::string second = world->file_path("second");
    const std::string symbolic = world->file_path("symbolic");
    write(*world, path, "hello");
    EXPECT_EQ(run(*world, Verb::link, path, second), 0);
    EXPECT_EQ(run(*world, Verb::link, path, second), failure(std::errc::file_exists));
    EXPECT_EQ(run(*world, Verb::link, world->file_path("none"), second), missing);
    EXPECT_EQ(run(*world, Verb::symbolic_link, second, symbolic), 0);
    EXPECT_EQ(run(*world, Verb::symbolic_link, second, symbolic), failure(std::errc::file_exists));
    PathOp followed(Verb::stat, symbolic);
    EXPECT_EQ(world->run(followed), 0);
    EXPECT_EQ(followed.found.size_bytes, 5u);
    EXPECT_EQ(followed.found.link_count, 2u);
    PathOp itself(Verb::stat, symbolic);
    itself.links = Links::themselves;
    EXPECT_EQ(world->run(itself), 0);
    EXPECT_TRUE(itself.found.is_link());
    EXPECT_EQ(world->platform().environment()->file_tree()->read_link(symbolic).value(), second);
    for (const std::string& each : {path, second, symbolic}) {
        EXPECT_EQ(run(*world, Verb::remove, each), 0);
    }
}

// clause: K07
TEST_P(Names, are_not_needed_to_ask_about_an_open_file) {
    const Fd fd = world->open(world->file_path(), {.write = true, .create = true});
    PathOp resize(Verb::resize, "", fd);
    resize.size_bytes = 1000;
    EXPECT_EQ(world->run(resize), 0);
    PathOp stat(Verb::stat_open, "", fd);
    EXPECT_EQ(world->run(stat), 0);
    EXPECT_EQ(world->completions_of(stat), 1u);
    EXPECT_TRUE(stat.found.is_file());
    EXPECT_EQ(stat.found.size_bytes, 1000u);
    EXPECT_EQ(stat.found.number,
              world->platform().environment()->file_tree()->stat_open(fd)->number);
    resize.size_bytes = ~std::uint64_t{0};
    EXPECT_EQ(world->run(resize), failure(std::errc::invalid_argument));
    world->close(fd);
    EXPECT_EQ(world->run(stat), failure(std::errc::bad_file_descriptor));
}

// clause: K10
TEST_P(Names, a_removal_that_is_cancelled_did_nothing_or_all) {
    const std::string path = world->file_path();
    for (int turns = 0; turns < 5; ++turns) {
        write(*world, path, "x");
        PathOp remove(Verb::remove, path);
        world->app.start(remove);
        for (int i = 0; i < turns && remove.is_in_flight(); ++i) world->turn();
        if (remove.is_in_flight()) world->app.stop(remove);
        const std::int32_t result = remove.is_in_flight() ? world->finish(remove) : remove.result();
        EXPECT_EQ(world->completions_of(remove), 1u);
        world->app.done.clear();
        EXPECT_TRUE(result == 0 || result == cancelled_result) << result;
        EXPECT_EQ(run(*world, Verb::stat, path), result == 0 ? missing : 0);
    }
}

}  // namespace
}  // namespace gyre::test
