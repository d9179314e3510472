// SPDX-License-Identifier: Apache-2.0
#include "gyre/fs/watch.hpp"

#include <chrono>
#include <memory>

#include "gyre/fs/internal/rename_pairs.hpp"
#include "gyre/fs/internal/tree_call.hpp"
#include "gyre/task/open_descriptor.hpp"
#include "gyre/task/timeout.hpp"

namespace gyre::fs {
namespace {

// How long the first half of a rename waits for the second, which is on its way already.
constexpr Duration half_waits_max = std::chrono::milliseconds(20);
constexpr std::size_t buffer_size_bytes = std::size_t{64} * 1024;
static_assert(buffer_size_bytes >= FileTree::changes_size_min_bytes);

Future<std::size_t> receive(Fd fd, Bytes into) {
    const Result<std::int32_t> count = co_await perform<ReceiveOp>("changes", fd, into);
    if (!count) co_await fail(count.error());
    co_return static_cast<std::size_t>(*count);
}

// Nothing where the time is over.
Future<std::size_t> receive_soon(Fd fd, Bytes into) {
    const Result<std::size_t> count = co_await try_(timeout(receive(fd, into), half_waits_max));
    if (count) co_return *count;
    if (count.error() != Error(std::errc::timed_out)) co_await fail(count.error());
    co_return std::size_t{0};
}

Stream<FileChange> changes_of(OpenDescriptor watched, std::string path) {
    FileTree& tree = *watched.platform().file_tree();
    const auto memory = std::make_unique<std::byte[]>(buffer_size_bytes);
    const Bytes buffer(memory.get(), buffer_size_bytes);
    RenamePairs pairs(std::move(path));
    std::vector<RawChange> raw;
    std::vector<FileChange> changes;
    for (;;) {
        std::size_t size = 0;
        if (pairs.has_half()) {
            size = co_await receive_soon(watched.fd(), buffer);
        } else {
            size = co_await receive(watched.fd(), buffer);
        }
        raw.clear();
        changes.clear();
        tree.decode_changes(buffer.first(size), raw);
        for (RawChange& each : raw) pairs.add(std::move(each), changes);
        if (size == 0) pairs.end_half(changes);
        for (FileChange& change : changes) {
            const bool is_last = change.kind == FileChange::Kind::ended;
            co_yield std::move(change);
            if (is_last) co_return;
        }
    }
}

}  // namespace

const char* name_of(FileChange::Kind kind) noexcept {
    switch (kind) {
        case FileChange::Kind::created:
            return "created";
        case FileChange::Kind::modified:
            return "modified";
        case FileChange::Kind::attributes:
            return "attributes";
        case FileChange::Kind::removed:
            return "removed";
        case FileChange::Kind::renamed:
            return "renamed";
        case FileChange::Kind::lost:
            return "lost";
        case FileChange::Kind::ended:
            break;
    }
    return "ended";
}

Future<Stream<FileChange>> watch(std::string path) {
    const Task& self = co_await this_task();
    const auto begin = [](FileTree& tree, const std::string& at) { return tree.watch(at); };
    const Fd fd = co_await call_tree<Fd>("watch", path, begin);
    co_return changes_of(OpenDescriptor(platform_of(self), fd), path);
}

}  // namespace gyre::fs
