// SPDX-License-Identifier: Apache-2.0
// FolderWatches: the watched paths of a loop, over one inotify descriptor. Made with the first
// uv_fs_event_start. The loop's thread.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "compat/uv/internal/newer.hpp"

namespace gyre::uv {

class LoopState;

class FolderWatches {
public:
    explicit FolderWatches(LoopState& loop);
    ~FolderWatches();
    FolderWatches(const FolderWatches&) = delete;
    FolderWatches& operator=(const FolderWatches&) = delete;

    // 0, or why there can be none.
    [[nodiscard]] int open() noexcept;
    [[nodiscard]] int add(uv_fs_event_t* handle, const char* path);
    void remove(uv_fs_event_t* handle) noexcept;
    // The child of a fork has a descriptor of its own, which watches the same paths.
    [[nodiscard]] int renew_after_fork() noexcept;
    // With the loop.
    void close() noexcept;

private:
    class Source;
    struct Path {
        std::string path;
        std::vector<uv_fs_event_t*> handles;
    };

    void read_events() noexcept;
    void report(int number, unsigned mask, const char* name) noexcept;

    LoopState& loop_;
    int fd_ = -1;
    Source* source_ = nullptr;  // deletes itself when it is closed
    std::unordered_map<int, Path> paths_;
};

}  // namespace gyre::uv
