// SPDX-License-Identifier: Apache-2.0
// `co_await OnPath(verb, name)`: performs a PathOp. The awaiter is the op. Cancel class: did
// nothing, or did all.
#pragma once

#include <string>
#include <utility>

#include "gyre/io/file_ops.hpp"
#include "gyre/task/core/detail/op_await.hpp"

namespace gyre::fs {

class [[nodiscard]] OnPath {
public:
    OnPath(PathOp::Verb verb, std::string path) noexcept : verb_(verb), path_(std::move(path)) {}
    OnPath(PathOp::Verb verb, Fd open_file) noexcept : verb_(verb), fd_(open_file) {}

    class Await final : public OpAwait<PathOp> {
    public:
        Await(PromiseBase& promise, OnPath&& asked)
            : OpAwait(promise, "a name", asked.verb_, std::move(asked.path_), asked.fd_) {
            to = std::move(asked.to);
            links = asked.links;
            mode = asked.mode;
            size_bytes = asked.size_bytes;
        }
        [[nodiscard]] Result<FileStat> await_resume() {
            const Result<std::int32_t> done = take_result();
            if (!done) return std::unexpected(done.error());
            return found;
        }
    };
    [[nodiscard]] Await await_in(PromiseBase& promise) && {
        return Await(promise, std::move(*this));
    }

    std::string to;
    Links links = Links::followed;
    std::uint32_t mode = 0;
    std::uint64_t size_bytes = 0;

private:
    PathOp::Verb verb_;
    std::string path_;
    Fd fd_ = -1;
};

}  // namespace gyre::fs
