// SPDX-License-Identifier: Apache-2.0
#include "lang/script/sandbox.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gyre::script {
namespace {

// What the kernel tells of this process and of the machine: process.memoryUsage, os.cpus.
constexpr std::array<std::string_view, 7> statistics = {
    "/proc/self/status", "/proc/self/stat", "/proc/meminfo", "/proc/stat",
    "/proc/cpuinfo",     "/proc/loadavg",   "/proc/uptime"};

// Absolute, without `.`, `..` and empty parts: what a comparison of texts needs.
bool is_plain(std::string_view path) {
    if (!path.starts_with('/') || path.find('\0') != path.npos) return false;
    std::string_view rest = path.substr(1);
    while (!rest.empty()) {
        const std::string_view part = rest.substr(0, rest.find('/'));
        if (part.empty() || part == "." || part == "..") return false;
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    }
    return true;
}

bool is_code(std::string_view path) {
    constexpr std::string_view endings[] = {".js",  ".mjs", ".cjs",         ".ts",
                                            ".mts", ".cts", "/package.json"};
    return std::ranges::any_of(endings,
                               [&](std::string_view ending) { return path.ends_with(ending); });
}

}  // namespace

Sandbox::Sandbox(System& outside, Permissions permissions)
    : outside_(outside),
      permissions_(std::move(permissions)),
      directory_(permissions_.folders.empty() ? "/" : permissions_.folders.front()) {}

void Sandbox::add_program(const std::string& file) {
    main_file_ = outside_.real_path(file);
    program_folder_ = main_file_.substr(0, main_file_.rfind('/'));
}

bool Sandbox::is_program(const std::string& real) const {
    if (main_file_.empty()) return false;
    if (real == main_file_) return true;
    return !program_folder_.empty() && is_inside(real, program_folder_);
}

// By the real path: a link of a permitted folder that leads out is refused, as is a permitted name
// that is reached through another folder.
bool Sandbox::may_use(const std::string& path) {
    const std::string real = outside_.real_path(path);
    if (!is_plain(real)) return false;
    return std::ranges::any_of(permissions_.folders, [&](const std::string& folder) {
        return is_inside(real, outside_.real_path(folder));
    });
}

std::string Sandbox::refusal(Access access, const std::string& what) {
    switch (access) {
        case Access::file:
            if (may_use(what)) return {};
            return "the path " + what + " is not permitted: --allow fs=DIR permits a folder";
        case Access::network:
            if (permissions_.allows_place(what)) return {};
            return "the address " + what + " is not permitted: --allow net=" + what;
        case Access::variable:
            if (permissions_.allows_variable(what)) return {};
            return "the environment variable " + what + " is not permitted: --allow env=" + what;
        case Access::child:
            return what + " is not permitted: a sandbox (--sandbox, --allow) starts no programs";
        case Access::signal:
            return what + " is not permitted: a sandbox (--sandbox, --allow) has no signals";
    }
    return "not permitted";
}

std::optional<std::string> Sandbox::read_file(const std::string& path) {
    if (std::ranges::find(statistics, path) != statistics.end()) return outside_.read_file(path);
    if (kind_of(path) != FileKind::file) return std::nullopt;
    return outside_.read_file(outside_.real_path(path));
}

FileKind Sandbox::kind_of(const std::string& path) {
    const std::string real = outside_.real_path(path);
    if (may_use(path)) return outside_.kind_of(real);
    if (!is_plain(real) || !is_program(real)) return FileKind::refused;
    const FileKind kind = outside_.kind_of(real);
    // Names of folders are needed to find packages; data files need a permission.
    const bool is_open = kind != FileKind::file || real == main_file_ || is_code(real);
    return is_open ? kind : FileKind::refused;
}

std::string Sandbox::real_path(const std::string& path) {
    return kind_of(path) == FileKind::refused ? path : outside_.real_path(path);
}

bool Sandbox::change_directory(const std::string& path) {
    const bool is_whole = path.starts_with('/');
    const std::string real = outside_.real_path(is_whole ? path : directory_ + "/" + path);
    if (!may_use(real) || outside_.kind_of(real) != FileKind::directory) return false;
    directory_ = real;
    return true;
}

System::Variables Sandbox::environment() {
    Variables made = outside_.environment();
    std::erase_if(made,
                  [this](const auto& entry) { return !permissions_.allows_variable(entry.first); });
    return made;
}

}  // namespace gyre::script
