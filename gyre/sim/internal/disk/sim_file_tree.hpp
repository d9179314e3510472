// SPDX-License-Identifier: Apache-2.0
// SimFileTree: the FileTree of a simulated disk, with the links, watches and errors of Linux. One
// thread; part of a SimHost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gyre/io/file_tree.hpp"

namespace gyre::sim {

class ChangeQueue;
class Files;
struct DirectoryEntry;

class SimFileTree final : public FileTree {
public:
    explicit SimFileTree(Files& files) noexcept : files_(files) {}

    [[nodiscard]] Result<std::size_t> read_at(Fd fd, Bytes into, std::uint64_t offset) override;
    [[nodiscard]] Result<std::size_t> write_at(Fd fd, ConstBytes from,
                                               std::uint64_t offset) override;
    void close(Fd fd) noexcept override;
    [[nodiscard]] Result<FileStat> stat_open(Fd fd) override;
    [[nodiscard]] Result<void> resize(Fd fd, std::uint64_t size_bytes) override;
    [[nodiscard]] Result<void> set_mode(Fd fd, std::uint32_t mode) override;
    [[nodiscard]] bool is_in_memory(Fd fd, std::uint64_t offset, std::size_t size) override;
    void load(Fd fd, std::uint64_t offset, std::size_t size) override;

    [[nodiscard]] Result<FileStat> stat(const std::string& path, Links links) override;
    [[nodiscard]] Result<std::string> real_path(const std::string& path) override;
    [[nodiscard]] Result<Fd> open_to_read(const std::string& path, Links links) override;
    [[nodiscard]] Result<void> rename(const std::string& from, const std::string& to) override;
    [[nodiscard]] Result<void> link(const std::string& existing, const std::string& name) override;
    [[nodiscard]] Result<void> symbolic_link(const std::string& target,
                                             const std::string& name) override;
    [[nodiscard]] Result<std::string> read_link(const std::string& path) override;
    [[nodiscard]] Result<void> remove(const std::string& path) override;

    [[nodiscard]] Result<void> make_folder(const std::string& path, std::uint32_t mode) override;
    [[nodiscard]] Result<std::vector<FolderEntry>> list(const std::string& path,
                                                        std::size_t count_max,
                                                        Links links) override;
    [[nodiscard]] Result<bool> remove_some(const std::string& path, std::size_t count_max) override;
    [[nodiscard]] Result<void> sync_folder(const std::string& path) override;

    [[nodiscard]] std::string temporary_folder() override { return "/tmp"; }
    [[nodiscard]] Result<NewFile> make_file(const std::string& folder, const std::string& prefix,
                                            std::uint32_t mode) override;
    [[nodiscard]] Result<std::string> make_unique_folder(const std::string& folder,
                                                         const std::string& prefix) override;

    [[nodiscard]] Result<FileWatch> watch(const std::string& path) override;
    [[nodiscard]] Result<std::int32_t> watch_also(Fd watched, const std::string& folder) override;
    void watch_no_more(Fd watched, std::int32_t watch_id) override;
    void decode_changes(ConstBytes data, std::vector<RawChange>& into) override;

private:
    [[nodiscard]] Result<void> check_links(const std::string& path, Links links);
    [[nodiscard]] Result<DirectoryEntry*> open_file(Fd fd) const;
    [[nodiscard]] Result<ChangeQueue*> open_changes(Fd fd) const;
    // An unused path in the directory; an error if the directory does not exist.
    [[nodiscard]] Result<std::string> unused_path(const std::string& folder,
                                                  const std::string& prefix);

    Files& files_;
    std::uint64_t last_number_ = 0;  // of the temporary names
};

}  // namespace gyre::sim
