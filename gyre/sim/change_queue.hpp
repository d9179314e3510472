// SPDX-License-Identifier: Apache-2.0
// ChangeQueue: a descriptor that tells of changes on a simulated disk, as inotify does on Linux: in
// their order, equal neighbours once, and `lost` where there were more than it keeps. One thread;
// belongs to the descriptor table.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "gyre/kernel/file_tree.hpp"
#include "gyre/sim/file_node.hpp"
#include "gyre/sim/medium.hpp"

namespace gyre::sim {

class ChangeQueue final : public Descriptor {
public:
    explicit ChangeQueue(Medium& medium) noexcept : medium_(medium) {}
    ~ChangeQueue() override;

    // The number under which the node is told; the same where it is watched already.
    std::int32_t watch(Node& node);
    // A watch less, which is told; nothing where there is none.
    void forget(std::int32_t id);
    void add(const RawChange& change);

    [[nodiscard]] Events events() const noexcept override;
    // Whole changes, as many as fit; an error where not even one does.
    [[nodiscard]] Attempt receive(Bytes into) override;
    [[nodiscard]] ChangeQueue* as_changes() noexcept override { return this; }

    // What `receive` has given.
    static void decode(ConstBytes data, std::vector<RawChange>& into);

private:
    Medium& medium_;
    std::map<std::int32_t, Watch> watches_;
    std::int32_t last_id_ = 0;
    std::deque<RawChange> changes_;
    bool has_lost_ = false;  // one of those in the queue says so
};

}  // namespace gyre::sim
