// SPDX-License-Identifier: Apache-2.0
#include "gyre/kernel/file_tree.hpp"

#include <algorithm>
#include <span>

namespace gyre {
namespace {

constexpr std::size_t first_read_bytes = std::size_t{64} * 1024;

// Until the file ends or the text has that size. The size of the file is not asked for: some of
// those that the system makes up (/proc) say 0.
Result<std::string> read_open(FileTree& tree, Fd fd, std::size_t size_max_bytes) {
    std::string text;
    std::size_t done = 0;
    while (done < size_max_bytes) {
        if (done == text.size()) {
            text.resize(std::min(std::max(2 * done, first_read_bytes), size_max_bytes));
        }
        const Bytes rest = std::as_writable_bytes(std::span(text)).subspan(done);
        const Result<std::size_t> count = tree.read_at(fd, rest, done);
        if (!count) return std::unexpected(count.error());
        if (*count == 0) break;
        done += *count;
    }
    text.resize(done);
    return text;
}

}  // namespace

Result<std::string> read_beginning(FileTree& tree, const std::string& path,
                                   std::size_t size_max_bytes) {
    const Result<Fd> fd = tree.open_to_read(path);
    if (!fd) return std::unexpected(fd.error());
    Result<std::string> text = read_open(tree, *fd, size_max_bytes);
    tree.close(*fd);
    return text;
}

}  // namespace gyre
