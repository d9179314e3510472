// SPDX-License-Identifier: Apache-2.0
// PipeReader and PipeWriter.
#include "gyre/io/socket_ops.hpp"
#include "gyre/process/process.hpp"

#include <algorithm>

namespace gyre::process {
namespace {

constexpr std::size_t first_read_bytes = 4096;

Future<void> close(OpenDescriptor& descriptor) {
    const Result<void> closed = co_await descriptor.aclose();
    if (!closed) co_await fail(closed.error());
}

}  // namespace

Future<std::size_t> PipeReader::read(Bytes into) const {
    const Result<std::int32_t> count =
        co_await perform<ReceiveOp>("a child's output", descriptor_.fd(), into);
    if (!count) co_await fail(count.error());
    co_return static_cast<std::size_t>(*count);
}

Future<std::string> PipeReader::read_all(std::size_t size_max_bytes) const {
    std::string text;
    std::size_t done = 0;
    for (;;) {
        // Room for one byte beyond the limit, to detect an output that exceeds it.
        const std::size_t room = std::max(first_read_bytes, 2 * done);
        text.resize(std::min(room, size_max_bytes + 1));
        const Bytes rest = std::as_writable_bytes(std::span(text)).subspan(done);
        const std::size_t count = co_await read(rest);
        if (count == 0) break;
        done += count;
        if (done > size_max_bytes) co_await fail(Error(std::errc::value_too_large));
    }
    text.resize(done);
    co_return text;
}

Future<void> PipeReader::aclose() {
    return close(descriptor_);
}

Future<void> PipeWriter::write(ConstBytes from) const {
    while (!from.empty()) {
        const Result<std::int32_t> count =
            co_await perform<SendOp>("a child's input", descriptor_.fd(), from);
        if (!count) co_await fail(count.error());
        from = from.subspan(static_cast<std::size_t>(*count));
    }
}

Future<void> PipeWriter::aclose() {
    return close(descriptor_);
}

}  // namespace gyre::process
