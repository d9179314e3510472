// SPDX-License-Identifier: Apache-2.0
// nearest: the name that is closest to a mistyped word. A pure function.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gyre::cli {

// The edit distance of two words: letters to insert, delete or replace.
[[nodiscard]] inline std::size_t distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::size_t corner = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < to.size(); ++j) {
            const std::size_t changed = corner + (from[i] == to[j] ? 0 : 1);
            corner = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, corner + 1});
        }
    }
    return row.back();
}

// Empty if no name is close enough.
[[nodiscard]] inline std::string nearest(std::string_view word,
                                         const std::vector<std::string>& names) {
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(word.size() / 2, 1) + 1;
    for (const std::string& name : names) {
        const bool is_cut_short = !word.empty() && name.starts_with(word);
        const std::size_t its_distance = is_cut_short ? 0 : distance(word, name);
        if (its_distance >= best_distance) continue;
        best = name;
        best_distance = its_distance;
    }
    return best;
}

}  // namespace gyre::cli
