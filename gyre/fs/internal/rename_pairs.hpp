// SPDX-License-Identifier: Apache-2.0
// RenamePairs: joins the two halves of a rename (moved from, moved to) into one change. They arrive
// in sequence, but maybe in different reads: the first half is held until the next change, or until
// the caller says that none follows. A single half is a file that was moved out or in. One thread.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gyre/fs/watch.hpp"
#include "gyre/io/file_tree.hpp"

namespace gyre::fs {

class RenamePairs {
public:
    [[nodiscard]] bool has_half() const noexcept { return half_.has_value(); }

    // `path` is the path of the change.
    void add(const RawChange& raw, std::string path, std::vector<FileChange>& into) {
        using Raw = RawChange::Kind;
        const bool is_other_half =
            half_ && raw.kind == Raw::moved_to && raw.move_id == half_->move_id;
        if (is_other_half) {
            into.push_back({FileChange::Kind::renamed, raw.is_folder, std::move(path),
                            std::move(half_->path)});
            half_.reset();
            return;
        }
        end_half(into);
        if (raw.kind == Raw::moved_from) {
            half_ = Half{raw.move_id, raw.is_folder, std::move(path)};
        } else {
            into.push_back({kind_of(raw.kind), raw.is_folder, std::move(path), {}});
        }
    }
    // The second half will not arrive any more.
    void end_half(std::vector<FileChange>& into) {
        if (!half_) return;
        into.push_back({FileChange::Kind::removed, half_->is_folder, std::move(half_->path), {}});
        half_.reset();
    }

private:
    struct Half {
        std::uint32_t move_id;
        bool is_folder;
        std::string path;
    };

    static FileChange::Kind kind_of(RawChange::Kind kind) noexcept {
        switch (kind) {
            case RawChange::Kind::created:
            case RawChange::Kind::moved_to:
                return FileChange::Kind::created;
            case RawChange::Kind::removed:
            case RawChange::Kind::moved_from:
                return FileChange::Kind::removed;
            case RawChange::Kind::attributes:
                return FileChange::Kind::attributes;
            case RawChange::Kind::lost:
                return FileChange::Kind::lost;
            case RawChange::Kind::ended:
            case RawChange::Kind::forgotten:
                return FileChange::Kind::ended;
            case RawChange::Kind::modified:
                break;
        }
        return FileChange::Kind::modified;
    }

    std::optional<Half> half_;
};

}  // namespace gyre::fs
