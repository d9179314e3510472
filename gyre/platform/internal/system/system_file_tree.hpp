// SPDX-License-Identifier: Apache-2.0
// SystemFileTree: the file system of the operating system. It has no state: any thread may use it.
//
//   system_file_tree.cpp  open files and names
//   file_folders.cpp      directories, and the removal of trees
//   file_watch.cpp        change events, by inotify
#pragma once

#include "gyre/io/file_tree.hpp"

namespace gyre::platform {

class SystemFileTree final : public FileTree {
public:
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

    [[nodiscard]] std::string temporary_folder() override;
    [[nodiscard]] Result<NewFile> make_file(const std::string& folder, const std::string& prefix,
                                            std::uint32_t mode) override;
    [[nodiscard]] Result<std::string> make_unique_folder(const std::string& folder,
                                                         const std::string& prefix) override;

    [[nodiscard]] Result<FileWatch> watch(const std::string& path) override;
    [[nodiscard]] Result<std::int32_t> watch_also(Fd watched, const std::string& folder) override;
    void watch_no_more(Fd watched, std::int32_t watch_id) override;
    void decode_changes(ConstBytes data, std::vector<RawChange>& into) override;
};

}  // namespace gyre::platform
