// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/internal/disk/change_queue.hpp"

#include <cstring>

#include "gyre/sim/internal/limits.hpp"

namespace gyre::sim {
namespace {

using Kind = RawChange::Kind;

// Precedes the name in an encoded change.
struct Header {
    std::int32_t watch_id;
    std::uint32_t move_id;
    std::uint32_t name_bytes;
    Kind kind;
    bool is_folder;
};

bool is_same(const RawChange& a, const RawChange& b) noexcept {
    return a.kind == b.kind && a.is_folder == b.is_folder && a.watch_id == b.watch_id &&
           a.name == b.name;
}

}  // namespace

ChangeQueue::~ChangeQueue() {
    for (auto& [id, watch] : watches_) std::erase(watch.node.watches, &watch);
}

std::int32_t ChangeQueue::watch(Inode& node) {
    for (const Watch* watch : node.watches) {
        if (&watch->queue == this) return watch->id;
    }
    const std::int32_t id = ++last_id_;
    Watch& watch = watches_.emplace(id, Watch{*this, id, node}).first->second;
    node.watches.push_back(&watch);
    return id;
}

void ChangeQueue::forget(std::int32_t id) {
    const auto found = watches_.find(id);
    if (found == watches_.end()) return;
    std::erase(found->second.node.watches, &found->second);
    watches_.erase(found);
    add({.kind = Kind::forgotten, .watch_id = id});
}

void ChangeQueue::add(const RawChange& change) {
    if (changes_.size() >= context_.options.change_count_max) {
        if (has_lost_) return;
        has_lost_ = true;
        changes_.push_back({.kind = Kind::lost});
    } else if (changes_.empty() || !is_same(changes_.back(), change)) {
        changes_.push_back(change);
    } else {
        return;
    }
    context_.descriptors.changed(*this);
}

Events ChangeQueue::events() const noexcept {
    return changes_.empty() ? Events::none : Events::readable;
}

MaybeResult ChangeQueue::receive(Bytes into) {
    if (changes_.empty()) return std::nullopt;
    std::size_t used = 0;
    while (!changes_.empty()) {
        const RawChange& next = changes_.front();
        const Header header{next.watch_id, next.move_id,
                            static_cast<std::uint32_t>(next.name.size()), next.kind,
                            next.is_folder};
        if (into.size() - used < sizeof header + next.name.size()) break;
        std::memcpy(into.data() + used, &header, sizeof header);
        std::memcpy(into.data() + used + sizeof header, next.name.data(), next.name.size());
        used += sizeof header + next.name.size();
        if (next.kind == Kind::lost) has_lost_ = false;
        changes_.pop_front();
    }
    if (used == 0) return failure(std::errc::invalid_argument);
    return static_cast<std::int32_t>(used);
}

void ChangeQueue::decode(ConstBytes data, std::vector<RawChange>& into) {
    while (data.size() >= sizeof(Header)) {
        Header header{};
        std::memcpy(&header, data.data(), sizeof header);
        const ConstBytes name = data.subspan(sizeof header, header.name_bytes);
        into.push_back({header.kind, header.is_folder, header.move_id, std::string(text_of(name)),
                        header.watch_id});
        data = data.subspan(sizeof header + header.name_bytes);
    }
}

}  // namespace gyre::sim
