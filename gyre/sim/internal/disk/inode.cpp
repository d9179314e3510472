// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/internal/disk/inode.hpp"

#include <utility>

#include "gyre/sim/internal/disk/change_queue.hpp"

namespace gyre::sim {

void DirectoryEntry::tell(RawChange::Kind kind) const {
    if (const std::shared_ptr<Inode> in = folder.lock()) {
        in->tell({.kind = kind, .is_folder = node->is_folder(), .name = text});
    }
    node->tell(kind);
}

Inode::~Inode() {
    tell(RawChange::Kind::ended);
    for (const Watch* watch : std::exchange(watches, {})) watch->queue.forget(watch->id);
}

void Inode::tell(RawChange change) const {
    for (const Watch* watch : watches) {
        change.watch_id = watch->id;
        watch->queue.add(change);
    }
}

FileStat Inode::stat() const noexcept {
    constexpr std::uint64_t folder_link_count = 2;
    return {.kind = kind,
            .size_bytes = is_link() ? target.size() : data.size_bytes(),
            .mode = mode,
            .link_count = is_folder() ? folder_link_count : name_count,
            .device = 1,
            .number = number,
            .modified_ns = static_cast<std::int64_t>(modified_at.nanoseconds())};
}

}  // namespace gyre::sim
