// SPDX-License-Identifier: Apache-2.0
// SimFileCalls: the FileCalls of a simulated disk. Times and owners are kept with the inode; everybody
// may do everything. One thread; part of a SimHost.
#pragma once

#include "gyre/io/detail/file_calls.hpp"
#include "gyre/sim/internal/disk/sim_file_tree.hpp"

namespace gyre::sim {

class SimFileCalls final : public FileCalls {
public:
    SimFileCalls(Files& files, SimFileTree& tree) noexcept : files_(files), tree_(tree) {}

    [[nodiscard]] Result<Fd> open(const std::string& path, const OpenOptions& how,
                                  Links links) override;
    [[nodiscard]] Result<std::size_t> read_next(Fd fd, Bytes into) override;
    [[nodiscard]] Result<std::size_t> write_next(Fd fd, ConstBytes from) override;
    [[nodiscard]] Result<void> sync(Fd fd) override;
    [[nodiscard]] Result<FileDetails> details_of_open(Fd fd) override;
    [[nodiscard]] Result<void> set_times_of_open(Fd fd, FileTimes times) override;
    [[nodiscard]] Result<void> set_owner_of_open(Fd fd, FileOwner owner) override;
    [[nodiscard]] bool can_crash() const noexcept override;
    [[nodiscard]] void* shared_of_open(Fd fd, MakeShared make) override;

    [[nodiscard]] Result<FileDetails> details(const std::string& path, Links links) override;
    [[nodiscard]] Result<void> check_access(const std::string& path, unsigned mode) override;
    [[nodiscard]] Result<void> set_mode(const std::string& path, std::uint32_t mode) override;
    [[nodiscard]] Result<void> set_owner(const std::string& path, FileOwner owner,
                                         Links links) override;
    [[nodiscard]] Result<void> set_times(const std::string& path, FileTimes times,
                                         Links links) override;
    [[nodiscard]] Result<void> remove_file(const std::string& path) override;
    [[nodiscard]] Result<void> remove_folder(const std::string& path) override;
    [[nodiscard]] Result<std::unique_ptr<FolderReader>> open_folder(
        const std::string& path) override;

private:
    Files& files_;
    SimFileTree& tree_;
};

}  // namespace gyre::sim
