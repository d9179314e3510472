// SPDX-License-Identifier: Apache-2.0
#include "gyre/io/file_tree.hpp"

#include <algorithm>
#include <span>

namespace gyre {
namespace {

constexpr std::size_t first_read_bytes = std::size_t{64} * 1024;

class OpenFile {
public:
    OpenFile(FileTree& tree, Fd fd) noexcept : tree_(tree), fd_(fd) {}
    ~OpenFile() { tree_.close(fd_); }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

private:
    FileTree& tree_;
    const Fd fd_;
};

}  // namespace

// Does not use st_size, which is 0 for files in /proc.
Result<std::string> read_beginning(FileTree& tree, const std::string& path,
                                   std::size_t size_max_bytes) {
    const Result<Fd> fd = tree.open_to_read(path);
    if (!fd) return std::unexpected(fd.error());
    const OpenFile closes_fd(tree, *fd);
    std::string text;
    std::size_t done = 0;
    while (done < size_max_bytes) {
        if (done == text.size()) {
            text.resize(std::min(std::max(2 * done, first_read_bytes), size_max_bytes));
        }
        const Bytes rest = std::as_writable_bytes(std::span(text)).subspan(done);
        const Result<std::size_t> count = tree.read_at(*fd, rest, done);
        if (!count) return std::unexpected(count.error());
        if (*count == 0) break;
        done += *count;
    }
    text.resize(done);
    return text;
}

}  // namespace gyre
