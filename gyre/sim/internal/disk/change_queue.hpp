// SPDX-License-Identifier: Apache-2.0
// ChangeQueue: a descriptor that reports changes on a simulated disk, as inotify does: in order,
// with equal consecutive events merged, and with `lost` if the queue overflowed. One thread; owned
// by the descriptor table.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "gyre/io/file_tree.hpp"
#include "gyre/sim/internal/disk/inode.hpp"
#include "gyre/sim/internal/sim_context.hpp"

namespace gyre::sim {

class ChangeQueue final : public Descriptor {
public:
    explicit ChangeQueue(SimContext& context) noexcept : context_(context) {}
    ~ChangeQueue() override;

    // The watch id of the inode; an inode that is watched already keeps its id.
    std::int32_t watch(Inode& node);
    // Ends a watch, and reports that it ended. Ignored when the id is unknown.
    void forget(std::int32_t id);
    void add(const RawChange& change);

    [[nodiscard]] Events events() const noexcept override;
    // Encodes whole changes, as many as fit; an error when the first one does not fit.
    [[nodiscard]] MaybeResult receive(Bytes into) override;
    [[nodiscard]] ChangeQueue* as_changes() noexcept override { return this; }

    // Decodes the bytes that `receive` returned.
    static void decode(ConstBytes data, std::vector<RawChange>& into);

private:
    SimContext& context_;
    std::map<std::int32_t, Watch> watches_;
    std::int32_t last_id_ = 0;
    std::deque<RawChange> changes_;
    bool has_lost_ = false;  // a `lost` change is in the queue
};

}  // namespace gyre::sim
