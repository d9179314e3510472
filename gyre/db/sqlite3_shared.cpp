// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/internal/sqlite3_shared.hpp"

#include <cstdlib>

namespace gyre::db {

SqliteShared::~SqliteShared() {
    for (void* const page : pages_) std::free(page);
}

int SqliteShared::lock(Holder& holder, int level) noexcept {
    if (level <= holder.level) return SQLITE_OK;
    const bool has_other_writer = writer_ != nullptr && writer_ != &holder;
    if (level == SQLITE_LOCK_SHARED) {
        if (is_pending_) return SQLITE_BUSY;
        ++reader_count_;
        holder.level = level;
        return SQLITE_OK;
    }
    if (has_other_writer) return SQLITE_BUSY;
    writer_ = &holder;
    holder.level = SQLITE_LOCK_RESERVED;
    if (level == SQLITE_LOCK_RESERVED) return SQLITE_OK;
    is_pending_ = true;
    holder.level = SQLITE_LOCK_PENDING;
    if (level == SQLITE_LOCK_EXCLUSIVE) {
        if (reader_count_ > 1) return SQLITE_BUSY;
        holder.level = level;
    }
    return SQLITE_OK;
}

void SqliteShared::unlock(Holder& holder, int level) noexcept {
    if (level >= holder.level) return;
    if (writer_ == &holder) {
        writer_ = nullptr;
        is_pending_ = false;
    }
    if (level == SQLITE_LOCK_NONE) --reader_count_;
    holder.level = level;
}

int SqliteShared::lock_index(Holder& holder, int first, int count, int flags) noexcept {
    for (int i = first; i < first + count; ++i) {
        const int slot = slots_[static_cast<std::size_t>(i)];
        const std::uint32_t bit = 1u << static_cast<unsigned>(i);
        const bool is_own = ((holder.index_shared | holder.index_exclusive) & bit) != 0;
        if ((flags & SQLITE_SHM_UNLOCK) != 0 || is_own) continue;
        const bool is_free = (flags & SQLITE_SHM_SHARED) != 0 ? slot >= 0 : slot == 0;
        if (!is_free) return SQLITE_BUSY;
    }
    for (int i = first; i < first + count; ++i) {
        int& slot = slots_[static_cast<std::size_t>(i)];
        const std::uint32_t bit = 1u << static_cast<unsigned>(i);
        const bool is_own = ((holder.index_shared | holder.index_exclusive) & bit) != 0;
        if ((flags & SQLITE_SHM_UNLOCK) != 0) {
            if ((holder.index_exclusive & bit) != 0) slot = 0;
            if ((holder.index_shared & bit) != 0) --slot;
            holder.index_shared &= ~bit;
            holder.index_exclusive &= ~bit;
        } else if (!is_own) {
            const bool is_shared = (flags & SQLITE_SHM_SHARED) != 0;
            slot = is_shared ? slot + 1 : -1;
            (is_shared ? holder.index_shared : holder.index_exclusive) |= bit;
        }
    }
    return SQLITE_OK;
}

int SqliteShared::page_of_index(Holder& holder, int number, std::size_t size, bool may_make,
                                volatile void** found) noexcept {
    *found = nullptr;
    if (!holder.is_using_index) {
        holder.is_using_index = true;
        ++index_user_count_;
    }
    if (static_cast<std::size_t>(number) >= page_count_max) return SQLITE_IOERR_SHMSIZE;
    void*& page = pages_[static_cast<std::size_t>(number)];
    if (page == nullptr && may_make) {
        page = std::calloc(1, size);
        if (page == nullptr) return SQLITE_NOMEM;
    }
    *found = page;
    return SQLITE_OK;
}

void SqliteShared::leave_index(Holder& holder) noexcept {
    if (!holder.is_using_index) return;
    static_cast<void>(lock_index(holder, 0, SQLITE_SHM_NLOCK, SQLITE_SHM_UNLOCK));
    holder.is_using_index = false;
    if (--index_user_count_ > 0) return;
    for (void*& page : pages_) {
        std::free(page);
        page = nullptr;
    }
}

}  // namespace gyre::db
