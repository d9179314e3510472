// SPDX-License-Identifier: Apache-2.0
// Files: the disk of a simulated computer, in memory. Opening with `create` also creates the
// missing directories on the path. SimFileTree has the other operations on paths. One thread; part
// of a SimHost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gyre/io/file_ops.hpp"
#include "gyre/sim/internal/disk/file_names.hpp"
#include "gyre/sim/internal/sim_context.hpp"

namespace gyre::sim {

class Files {
public:
    explicit Files(SimContext& context) : context_(context), names_(context) {}

    // The descriptor, or a negative error number.
    [[nodiscard]] std::int32_t open(const std::string& path, OpenOptions options);

    // For tests: access without a loop.
    void put(const std::string& path, std::string_view content);
    [[nodiscard]] std::optional<std::string> get(std::string_view path);
    // Everything on the disk becomes safe from a crash.
    void sync_all() { names_.sync_all(); }
    void crash() { names_.crash(); }
    bool rot(std::string_view path);
    // A file that is open stays readable. False if the file does not exist.
    bool remove(std::string_view path);
    [[nodiscard]] std::uint64_t free_bytes() noexcept { return names_.space().free_bytes; }

    [[nodiscard]] SimContext& context() noexcept { return context_; }
    [[nodiscard]] FileNames& names() noexcept { return names_; }

private:
    SimContext& context_;
    FileNames names_;
};

}  // namespace gyre::sim
