// SPDX-License-Identifier: Apache-2.0
// Where a path leads that must stay inside of a folder: dots, absolute paths, links.
#include "gyre/fs/confined.hpp"

#include "gyre/fs/fs_world.test.hpp"
#include "gyre/fs/whole_file.hpp"

namespace gyre::fs {
namespace {

GYRE_ON_EACH_PLATFORM(Confined);

TEST_P(Confined, paths_inside_are_whole_paths) {
    const Permissions permissions{.folders = {at("in"), at("also")}};
    world->run([&]() -> Future<void> {
        co_await make_folders(at("in/deep"));
        co_await symbolic_link("deep", at("in/link"));
        EXPECT_EQ(co_await confined(permissions, "deep/../x"), at("in/x"));
        EXPECT_EQ(co_await confined(permissions, "."), at("in"));
        EXPECT_EQ(co_await confined(permissions, at("also/new")), at("also/new"));
        EXPECT_EQ(co_await confined(permissions, "link/x"), at("in/link/x"));
        FileTree& tree = *world->platform().environment()->file_tree();
        EXPECT_EQ(confined_now(permissions, tree, "deep/../x"), at("in/x"));
        EXPECT_EQ(confined_now(permissions, tree, "link/x"), at("in/link/x"));
    });
}

TEST_P(Confined, paths_that_lead_out_are_refused) {
    const Permissions permissions{.folders = {at("in")}};
    world->run([&]() -> Future<void> {
        co_await make_folders(at("in"));
        co_await make_folders(at("inside-no-more"));
        co_await write_file(at("secret"), "x");
        co_await symbolic_link("../secret", at("in/file"));
        co_await symbolic_link(folder, at("in/up"));
        co_await symbolic_link("../not-there-yet", at("in/dangling"));
        // `..` behind a link is the parent of the link's target, not of the link.
        co_await make_folders(at("other/deep"));
        co_await symbolic_link("../other/deep", at("in/there"));
        co_await symbolic_link("there/../x", at("in/beside"));
        co_await symbolic_link("b", at("in/a"));
        co_await symbolic_link("a", at("in/b"));
    });
    // Both, with awaited and with blocking calls, give the same.
    FileTree& tree = *world->platform().environment()->file_tree();
    const auto error = [&](const std::string& path) {
        const auto awaited = error_of(*world, [&] { return confined(permissions, path); });
        try {
            static_cast<void>(confined_now(permissions, tree, path));
            ADD_FAILURE() << path << " is not refused";
        } catch (const std::system_error& refused) {
            EXPECT_EQ(refused.code(), std::make_error_code(awaited)) << path;
        }
        return awaited;
    };
    constexpr auto denied = std::errc::permission_denied;
    EXPECT_EQ(error(".."), denied);
    EXPECT_EQ(error("../secret"), denied);
    EXPECT_EQ(error(at("secret")), denied);
    EXPECT_EQ(error(at("inside-no-more/x")), denied);
    EXPECT_EQ(error("/"), denied);
    EXPECT_EQ(error("file"), denied);
    EXPECT_EQ(error("up/secret"), denied);
    EXPECT_EQ(error("dangling"), denied);
    EXPECT_EQ(error("beside"), denied);
    EXPECT_EQ(error("up/in/../secret"), denied);
    EXPECT_EQ(error(std::string("a\0b", 3)), denied);
    EXPECT_EQ(error("a/x"), std::errc::too_many_symbolic_link_levels);
    const Permissions none;
    EXPECT_EQ(error_of(*world, [&] { return confined(none, "x"); }), denied);
}

}  // namespace
}  // namespace gyre::fs
