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

// Those of a folder with this ending, by name. None at all is a failure.
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

}  // namespace gyre::vela
