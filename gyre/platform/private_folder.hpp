// SPDX-License-Identifier: Apache-2.0
// PrivateFolder: a directory of small files that only this user can have written, such as a cache of machine code.
// The directory and each file must belong to the effective user, and neither the group nor others may write them;
// symbolic links are never followed.
//
//     if (auto folder = platform::PrivateFolder::open("/home/me/.cache/gyre/modules")) {
//         static_cast<void>(folder->write("entry", "text"));
//         Result<std::string> text = folder->read("entry", 1'000'000);
//     }
//
// Thread: any; several processes may use one directory. Each call blocks.
// Lifetime: it holds a descriptor of the directory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/base/result.hpp"
#include "gyre/io/sockets.hpp"

namespace gyre::platform {

class PrivateFolder {
public:
    struct File {
        std::string name;
        std::uint64_t size_bytes = 0;
        std::int64_t used_ns = 0;  // when it was written or read last, since 1970
    };

    // Creates the directory and its parents where they are missing, for this user alone. The error is
    // `permission_denied` if the directory belongs to another user or others may write it.
    [[nodiscard]] static Result<PrivateFolder> open(const std::string& path);
    PrivateFolder(PrivateFolder&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    PrivateFolder& operator=(PrivateFolder&&) = delete;
    ~PrivateFolder();

    // The errors are `permission_denied` for a file that another user may have written,
    // `value_too_large` above `size_max_bytes`. Marks the file as used.
    [[nodiscard]] Result<std::string> read(const std::string& name,
                                           std::size_t size_max_bytes) const;
    // Replaces the file atomically: a reader sees the old content or the new one, whole.
    Result<void> write(const std::string& name, std::string_view content) const;
    Result<void> remove(const std::string& name) const;
    // Every regular file of this user, the least recently used first; also those that an interrupted write has
    // left, whose names begin with a dot. The error is `value_too_large` above `count_max` names.
    [[nodiscard]] Result<std::vector<File>> list(std::size_t count_max) const;

private:
    explicit PrivateFolder(Fd fd) noexcept : fd_(fd) {}

    Fd fd_;
};

}  // namespace gyre::platform
