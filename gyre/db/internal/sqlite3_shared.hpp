// SPDX-License-Identifier: Apache-2.0
// SqliteShared: what the connections to one file share on a simulated disk: the locks of the file, and the
// locks and the pages of the index of its WAL, as sqlite.org/lockingv3.html and walformat.html have them.
// One thread; owned by the open descriptors of the file.
#pragma once

#include <sqlite3.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace gyre::db {

class SqliteShared {
public:
    // One connection's part.
    struct Holder {
        int level = SQLITE_LOCK_NONE;
        std::uint32_t index_shared = 0;  // bits of the slots
        std::uint32_t index_exclusive = 0;
        bool is_using_index = false;
    };

    SqliteShared() = default;
    ~SqliteShared();
    SqliteShared(const SqliteShared&) = delete;
    SqliteShared& operator=(const SqliteShared&) = delete;

    // SQLite's codes: OK or BUSY.
    [[nodiscard]] int lock(Holder& holder, int level) noexcept;
    void unlock(Holder& holder, int level) noexcept;
    [[nodiscard]] bool is_reserved() const noexcept { return writer_ != nullptr; }

    [[nodiscard]] int lock_index(Holder& holder, int first, int count, int flags) noexcept;
    // A page of the index, of zeros when it is made; null if there is none and none is to be made.
    [[nodiscard]] int page_of_index(Holder& holder, int number, std::size_t size, bool may_make,
                                    volatile void** found) noexcept;
    // The last one frees the pages.
    void leave_index(Holder& holder) noexcept;

private:
    // 32 KiB each: for a WAL of 16 GB.
    static constexpr std::size_t page_count_max = 1024;

    int reader_count_ = 0;
    const Holder* writer_ = nullptr;  // has RESERVED or more
    bool is_pending_ = false;         // the writer waits for the readers, and lets no other one in
    std::array<int, SQLITE_SHM_NLOCK> slots_{};  // readers; -1: exclusive
    int index_user_count_ = 0;
    // Of malloc, not of operator new: the memory of a host goes with its crash.
    std::array<void*, page_count_max> pages_{};
};

}  // namespace gyre::db
