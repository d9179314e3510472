// SPDX-License-Identifier: Apache-2.0
// Files: the disk of a simulated computer, in memory. To open a file that is made, the folders on
// its way need not be there: they are made too. What else there is to ask of names, SimFileTree
// answers. One thread; it outlives the loops that use it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gyre/kernel/io_ops.hpp"
#include "gyre/sim/file_names.hpp"
#include "gyre/sim/medium.hpp"

namespace gyre::sim {

class Files {
public:
    explicit Files(Medium& medium) : medium_(medium), names_(medium) {}

    // The descriptor, or the error as a negative number.
    [[nodiscard]] std::int32_t open(const std::string& path, OpenOptions options);

    // For tests: the disk without a loop.
    void put(const std::string& path, std::string_view content);
    [[nodiscard]] std::optional<std::string> get(std::string_view path);
    // An open file stays readable. False when there is no such file.
    bool remove(std::string_view path);
    [[nodiscard]] std::uint64_t free_bytes() noexcept { return names_.space().free_bytes; }

    [[nodiscard]] Medium& medium() noexcept { return medium_; }
    [[nodiscard]] FileNames& names() noexcept { return names_; }

private:
    Medium& medium_;
    FileNames names_;
};

}  // namespace gyre::sim
