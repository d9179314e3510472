// SPDX-License-Identifier: Apache-2.0
#include "gyre/kernel/file_ops.hpp"

namespace gyre {
namespace {

std::int32_t result_of(const Result<void>& done) noexcept {
    return done ? 0 : done.error().as_result();
}

}  // namespace

std::int32_t run_path_op(PathOp& op, FileTree& tree) {
    switch (op.verb) {
        case PathOp::Verb::stat: {
            const Result<FileStat> found = tree.stat(op.path, op.links);
            if (!found) return found.error().as_result();
            op.found = *found;
            return 0;
        }
        case PathOp::Verb::rename:
            return result_of(tree.rename(op.path, op.to));
        case PathOp::Verb::remove:
            return result_of(tree.remove(op.path));
        case PathOp::Verb::make_folder:
            break;
    }
    return result_of(tree.make_folder(op.path, op.mode));
}

}  // namespace gyre
