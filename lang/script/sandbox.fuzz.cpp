// SPDX-License-Identifier: Apache-2.0
// Fuzz target: whatever links a tree has and whatever path a script names, a sandbox reads nothing
// but the permitted folder and the code of the program. The lines of the input are links
// (`place>target`) and paths.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/base/assert.hpp"
#include "gyre/io/permissions.hpp"
#include "lang/script/sandbox.hpp"
#include "lang/script/sandbox_tree.test.hpp"

namespace gyre::script {
namespace {

void check_path(Sandbox& sandbox, TreeSystem& system, const std::string& path) {
    system.read.clear();
    const auto text = sandbox.read_file(path);
    for (const std::string& read : system.read) {
        const std::string real = system.real_path(read);
        const bool is_open = is_inside(real, system.real_path("/open"));
        const bool is_code = real.ends_with(".js") || real.ends_with("/package.json");
        const bool is_program = is_inside(real, "/app") && is_code;
        GYRE_ASSERT(is_open || is_program || read.starts_with("/proc/"),
                    "a read of what is closed");
    }
    const bool is_refused = sandbox.kind_of(path) == FileKind::refused;
    GYRE_ASSERT(!is_refused || !text || path.starts_with("/proc/"), "a refused file was read");
    if (is_refused) GYRE_ASSERT(sandbox.real_path(path) == path, "a refused path is not resolved");
    static_cast<void>(sandbox.change_directory(path));
    const std::string& directory = sandbox.directory();
    GYRE_ASSERT(is_inside(directory, system.real_path("/open")) || directory == "/open",
                "a working directory outside of what is open");
}

}  // namespace
}  // namespace gyre::script

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace gyre::script;
    TreeSystem system;
    system.files = {{"/app/main.js", "m"}, {"/app/a.js", "a"},    {"/app/data.json", "d"},
                    {"/open/in.txt", "i"}, {"/open/b/c.js", "c"}, {"/closed/secret.js", "s"},
                    {"/openness/x", "x"}};
    gyre::Permissions permissions;
    permissions.folders = {"/open"};
    Sandbox sandbox(system, permissions);
    sandbox.add_program("/app/main.js");
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    while (!rest.empty()) {
        const std::string line(rest.substr(0, rest.find('\n')));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        const std::size_t at = line.find('>');
        // A program lies where it lay when it was added; links to it do not move.
        const bool is_link = at != line.npos && line.starts_with('/') &&
                             !line.starts_with("/app/main") && line.substr(0, at) != "/app" &&
                             line.substr(0, at) != "/open";
        if (is_link) {
            system.links[line.substr(0, at)] = line.substr(at + 1);
        } else {
            check_path(sandbox, system, line);
        }
    }
    return 0;
}
