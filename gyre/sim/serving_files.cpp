// SPDX-License-Identifier: Apache-2.0
// What becomes of the ops on files and names: each is done at a later moment, drawn from the seed.
// Part of SimPlatform.
#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "gyre/kernel/file_ops.hpp"
#include "gyre/sim/internal/delayed.hpp"
#include "gyre/sim/platform.hpp"

namespace gyre::sim {
namespace {

// As the system does: one part after another, until one gets less than it is.
template <class Move>
std::int32_t move_parts(const PartsOp& op, Move move) {
    std::size_t done = 0;
    const std::size_t count = std::min(op.parts.size(), PartsOp::part_count_max);
    for (const FilePart& part : std::span(op.parts).first(count)) {
        const std::int32_t moved = move(Bytes(part.data, part.size), op.offset + done);
        if (moved < 0 && done == 0) return moved;
        if (moved < 0) break;
        done += static_cast<std::size_t>(moved);
        if (static_cast<std::size_t>(moved) < part.size) break;
    }
    return static_cast<std::int32_t>(done);
}

}  // namespace

// Ops of one side of a file are done in their order, however long each would take alone.
void SimPlatform::delay(Hold& hold, Instant* not_before) noexcept {
    Instant when = medium_.now() + medium_.draw(medium_.options.file_delay);
    if (not_before != nullptr) {
        when = std::max(when, *not_before + Duration(1));
        *not_before = when;
    }
    auto delayed = std::make_unique<Delayed>(*this, hold);
    delayed->happen_at(when);
    delayed_.emplace(&hold, std::move(delayed));
}

void SimPlatform::run_delayed(Hold& hold) noexcept {
    Op& op = hold.op();
    touch(hold.fd);  // So that what is kept for the descriptor goes when nothing waits for it.
    if (op.code() == OpCode::path) {
        finish(hold, run_path_op(static_cast<PathOp&>(op), host_.file_tree()));
        return;
    }
    if (op.code() == OpCode::open) {
        auto& open = static_cast<OpenOp&>(op);
        finish(hold, host_.files().open(open.path, open.options));
        return;
    }
    Descriptor& file = *medium_.descriptors.find(hold.fd);
    switch (op.code()) {
        case OpCode::read: {
            auto& read = static_cast<ReadOp&>(op);
            const std::size_t size = medium_.draw_transfer(read.buffer.size());
            finish(hold, file.read(read.buffer.first(size), read.offset));
            break;
        }
        case OpCode::write: {
            auto& write = static_cast<WriteOp&>(op);
            const std::size_t size = medium_.draw_transfer(write.buffer.size());
            finish(hold, file.write(write.buffer.first(size), write.offset));
            break;
        }
        case OpCode::read_parts: {
            const auto read = [&file](Bytes into, std::uint64_t offset) {
                return file.read(into, offset);
            };
            finish(hold, move_parts(static_cast<ReadPartsOp&>(op), read));
            break;
        }
        case OpCode::write_parts: {
            const auto write = [&file](ConstBytes from, std::uint64_t offset) {
                return file.write(from, offset);
            };
            finish(hold, move_parts(static_cast<WritePartsOp&>(op), write));
            break;
        }
        default:
            finish(hold, file.sync());
            break;
    }
}

}  // namespace gyre::sim
