// SPDX-License-Identifier: Apache-2.0
#include "gyre/io/file_ops.hpp"

namespace gyre {
namespace {

std::int32_t result_of(const Result<void>& done) noexcept {
    return done ? 0 : done.error().as_result();
}

std::int32_t result_of(const Result<FileStat>& asked, FileStat& found) noexcept {
    if (!asked) return asked.error().as_result();
    found = *asked;
    return 0;
}

}  // namespace

std::int32_t run_path_op(PathOp& op, FileTree& tree) {
    switch (op.verb) {
        case PathOp::Verb::stat:
            return result_of(tree.stat(op.path, op.links), op.found);
        case PathOp::Verb::rename:
            return result_of(tree.rename(op.path, op.to));
        case PathOp::Verb::remove:
            return result_of(tree.remove(op.path));
        case PathOp::Verb::make_folder:
            return result_of(tree.make_folder(op.path, op.mode));
        case PathOp::Verb::link:
            return result_of(tree.link(op.path, op.to));
        case PathOp::Verb::symbolic_link:
            return result_of(tree.symbolic_link(op.path, op.to));
        case PathOp::Verb::stat_open:
            return result_of(tree.stat_open(op.fd), op.found);
        case PathOp::Verb::resize:
            break;
    }
    return result_of(tree.resize(op.fd, op.size_bytes));
}

}  // namespace gyre
