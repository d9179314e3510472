// SPDX-License-Identifier: Apache-2.0
#include "lang/script/sandbox.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "lang/script/sandbox_tree.test.hpp"

namespace gyre::script {
namespace {

class SandboxTest : public testing::Test {
protected:
    SandboxTest() {
        system.files = {{"/app/main.js", "main"},        {"/app/lib/a.mjs", "a"},
                        {"/app/package.json", "{}"},     {"/app/data.json", "SECRET"},
                        {"/open/in.txt", "in"},          {"/open/below/x.txt", "x"},
                        {"/openness/out.txt", "SECRET"}, {"/closed/code.js", "SECRET"}};
        system.links = {{"/open/out", "/closed"},
                        {"/app/link.mjs", "/closed/code.js"},
                        {"/closed/in", "/open"},
                        {"/app/alias.js", "/app/lib/a.mjs"}};
        system.variables = {{"OPEN", "yes"}, {"SECRET", "no"}};
    }
    static Permissions open() {
        Permissions permissions;
        permissions.folders = {"/open"};
        permissions.hosts = {"127.0.0.1:80"};
        permissions.variables = {"OPEN"};
        return permissions;
    }
    TreeSystem system;
};

TEST_F(SandboxTest, shows_the_program_its_own_code_and_nothing_else) {
    Sandbox sandbox(system, {});
    sandbox.add_program("/app/main.js");
    EXPECT_EQ(sandbox.read_file("/app/main.js"), "main");
    EXPECT_EQ(sandbox.read_file("/app/lib/a.mjs"), "a");
    EXPECT_EQ(sandbox.read_file("/app/alias.js"), "a");
    EXPECT_EQ(sandbox.read_file("/app/package.json"), "{}");
    EXPECT_EQ(sandbox.kind_of("/app/data.json"), FileKind::refused);
    EXPECT_EQ(sandbox.read_file("/app/data.json"), std::nullopt);
    EXPECT_EQ(sandbox.kind_of("/closed/code.js"), FileKind::refused);
}

TEST_F(SandboxTest, has_no_program_before_one_is_added) {
    Sandbox sandbox(system, {});
    EXPECT_EQ(sandbox.kind_of("/app/main.js"), FileKind::refused);
}

TEST_F(SandboxTest, judges_a_path_by_where_it_leads) {
    Sandbox sandbox(system, open());
    sandbox.add_program("/app/main.js");
    EXPECT_EQ(sandbox.read_file("/open/in.txt"), "in");
    EXPECT_EQ(sandbox.read_file("/closed/in/in.txt"), "in");  // leads in
    for (const char* path :
         {"/open/out/code.js", "/open/../closed/code.js", "/openness/out.txt", "/app/link.mjs",
          "/app/../closed/code.js", "/open/out/../app/data.json"}) {
        EXPECT_EQ(sandbox.kind_of(path), FileKind::refused) << path;
        EXPECT_EQ(sandbox.read_file(path), std::nullopt) << path;
        EXPECT_EQ(sandbox.real_path(path), path);  // tells nothing of where it leads
    }
}

TEST_F(SandboxTest, has_a_working_directory_of_its_own) {
    Sandbox closed(system, {});
    EXPECT_EQ(closed.directory(), "/");
    EXPECT_FALSE(closed.change_directory("/open"));
    Sandbox sandbox(system, open());
    EXPECT_EQ(sandbox.directory(), "/open");
    EXPECT_TRUE(sandbox.change_directory("below"));
    EXPECT_EQ(sandbox.directory(), "/open/below");
    EXPECT_FALSE(sandbox.change_directory("../.."));
    EXPECT_FALSE(sandbox.change_directory("../out"));
    EXPECT_FALSE(sandbox.change_directory("x.txt"));
    EXPECT_EQ(sandbox.directory(), "/open/below");
}

TEST_F(SandboxTest, shows_only_the_variables_that_are_permitted) {
    Sandbox sandbox(system, open());
    const System::Variables expected = {{"OPEN", "yes"}};
    EXPECT_EQ(sandbox.environment(), expected);
    EXPECT_TRUE(sandbox.refusal(Access::variable, "OPEN").empty());
    EXPECT_EQ(sandbox.refusal(Access::variable, "SECRET"),
              "the environment variable SECRET is not permitted: --allow env=SECRET");
}

TEST_F(SandboxTest, permits_an_address_by_its_text_alone) {
    Sandbox sandbox(system, open());
    EXPECT_TRUE(sandbox.refusal(Access::network, "127.0.0.1:80").empty());
    EXPECT_FALSE(sandbox.refusal(Access::network, "127.0.0.1:8080").empty());
    EXPECT_FALSE(sandbox.refusal(Access::network, "localhost:80").empty());
}

TEST_F(SandboxTest, has_no_children_and_no_signals) {
    Sandbox sandbox(system, open());
    EXPECT_FALSE(sandbox.refusal(Access::child, "sh").empty());
    EXPECT_FALSE(sandbox.refusal(Access::signal, "SIGTERM").empty());
    EXPECT_FALSE(sandbox.allows_signals());
    EXPECT_EQ(sandbox.send_signal(1, 0), EPERM);
}

}  // namespace
}  // namespace gyre::script
