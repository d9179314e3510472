// SPDX-License-Identifier: Apache-2.0
// The ops of PendingOps on files and paths: each completes after a delay drawn from the seed.
#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "gyre/io/file_ops.hpp"
#include "gyre/io/io_ops.hpp"
#include "gyre/sim/internal/pending_ops.hpp"

namespace gyre::sim {
namespace {

// Like readv and writev: stops after the first part that is transferred only in part.
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

// Reads complete in the order of their start, and so do writes, whatever the delays drawn.
void SimPlatform::PendingOps::delay(Hold& hold, Instant* not_before) noexcept {
    Instant when =
        context_.now() + context_.draw(context_.options.file_delay) + context_.disk.delay;
    if (not_before != nullptr) {
        when = std::max(when, *not_before + Duration(1));
        *not_before = when;
    }
    auto pause = std::make_unique<Delay>(*this, hold);
    pause->schedule_at(when);
    delays_.emplace(&hold, std::move(pause));
}

void SimPlatform::PendingOps::run_delayed(Hold& hold) noexcept {
    Op& op = hold.op();
    touch(hold.fd);  // serve drops the descriptor's entry when no op is left in it.
    if (op.code() == IoCode::path) {
        finish(hold, run_path_op(static_cast<PathOp&>(op), host_.file_tree()));
        return;
    }
    if (op.code() == IoCode::open) {
        auto& open = static_cast<OpenOp&>(op);
        finish(hold, host_.files().open(open.path, open.options));
        return;
    }
    Descriptor& file = *context_.descriptors.find(hold.fd);
    switch (io_code(op)) {
        case IoCode::read: {
            auto& read = static_cast<ReadOp&>(op);
            const std::size_t size = context_.draw_transfer(read.buffer.size());
            finish(hold, file.read(read.buffer.first(size), read.offset));
            break;
        }
        case IoCode::write: {
            auto& write = static_cast<WriteOp&>(op);
            const std::size_t size = context_.draw_transfer(write.buffer.size());
            finish(hold, file.write(write.buffer.first(size), write.offset));
            break;
        }
        case IoCode::read_parts: {
            const auto read = [&file](Bytes into, std::uint64_t offset) {
                return file.read(into, offset);
            };
            finish(hold, move_parts(static_cast<ReadPartsOp&>(op), read));
            break;
        }
        case IoCode::write_parts: {
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
