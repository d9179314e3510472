// SPDX-License-Identifier: Apache-2.0
// TreeSystem: a system of files and links in memory, for the test and the fuzz target of Sandbox.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lang/script/system.hpp"

namespace gyre::script {

class TreeSystem final : public System {
public:
    std::map<std::string, std::string> files;  // path to text
    std::map<std::string, std::string> links;  // path to an absolute path
    Variables variables;
    std::vector<std::string> read;  // the paths that were read

    std::optional<std::string> read_file(const std::string& path) override {
        read.push_back(path);
        const auto found = files.find(real_path(path));
        if (found == files.end()) return std::nullopt;
        return found->second;
    }
    FileKind kind_of(const std::string& path) override {
        const std::string real = real_path(path);
        if (files.contains(real)) return FileKind::file;
        const std::string below = real == "/" ? real : real + "/";
        const auto next = files.lower_bound(below);
        const bool is_folder = next != files.end() && next->first.starts_with(below);
        return is_folder ? FileKind::directory : FileKind::none;
    }
    // As the kernel walks: part by part, `..` behind a link leads to the parent of its target.
    std::string real_path(const std::string& path) override {
        std::string real;
        std::string rest = path;
        for (int steps = 0; !rest.empty() && steps < 1000; ++steps) {
            const std::size_t at = rest.find('/');
            const std::string part = rest.substr(0, at);
            rest = at == rest.npos ? std::string() : rest.substr(at + 1);
            if (part.empty() || part == ".") continue;
            if (part == "..") {
                real.erase(std::min(real.size(), real.rfind('/')));
                continue;
            }
            real += "/" + part;
            const auto link = links.find(real);
            if (link == links.end()) continue;
            rest = link->second + "/" + rest;
            real.clear();
        }
        return real.empty() ? "/" : real;
    }
    Variables environment() override { return variables; }
    int send_signal(int /*process*/, int /*signal*/) override { return 0; }
    bool allows_signals() override { return true; }
};

}  // namespace gyre::script
