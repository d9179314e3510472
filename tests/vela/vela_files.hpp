// SPDX-License-Identifier: Apache-2.0
// The files of this folder, for tests that run once on each.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace gyre::vela {

inline std::string read_text(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), {}};
}

// The files of a folder with this suffix, sorted by name. An empty list fails the test.
inline std::vector<std::filesystem::path> files_of(const std::string& folder,
                                                   const std::string& ending = ".vela") {
    std::vector<std::filesystem::path> result;
    const std::filesystem::path root = std::filesystem::path(VELA_FILES) / folder;
    for (const auto& entry : std::filesystem::directory_iterator(root)) {
        if (entry.path().extension() == ending) result.push_back(entry.path());
    }
    EXPECT_FALSE(result.empty()) << root;
    std::sort(result.begin(), result.end());
    return result;
}

inline std::filesystem::path docs_folder() {
    return std::filesystem::path(VELA_FILES).parent_path().parent_path() / "docs";
}

// The fenced blocks of a document, with their language.
inline std::vector<std::pair<std::string, std::string>> blocks_of(const std::string& document) {
    std::vector<std::pair<std::string, std::string>> result;
    std::size_t begin = document.find("\n```");
    while (begin != std::string::npos) {
        const std::size_t line_end = document.find('\n', begin + 1);
        const std::size_t end = document.find("\n```", line_end);
        if (end == std::string::npos) break;
        result.emplace_back(document.substr(begin + 4, line_end - begin - 4),
                            document.substr(line_end + 1, end - line_end));
        begin = document.find("\n```", end + 4);
    }
    return result;
}

}  // namespace gyre::vela
