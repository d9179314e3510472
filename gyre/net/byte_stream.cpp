// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/byte_stream.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "gyre/base/assert.hpp"
#include "gyre/io/file_ops.hpp"
#include "gyre/task/core/detail/op_await.hpp"

namespace gyre::net {
namespace {

// Small enough to stay in the nearer caches until it is encrypted.
constexpr std::size_t copied_bytes_max = std::size_t{64} << 10U;

}  // namespace

FileEnded::FileEnded(std::uint64_t missing_bytes)
    : SystemFailure(std::errc::io_error, "the file ended " + std::to_string(missing_bytes) +
                                             " bytes before the end of the slice to send") {}

Future<void> ByteStream::write(ConstBytes from) {
    co_await do_write_pieces(std::span(&from, 1));
}

Future<void> ByteStream::do_write_file(ConstBytes& before, FileSlice& part) {
    const std::size_t room = std::min<std::uint64_t>(part.size_bytes, copied_bytes_max);
    const auto buffer = std::make_unique_for_overwrite<std::byte[]>(room);
    while (part.size_bytes > 0) {
        const Bytes into(buffer.get(), std::min<std::uint64_t>(part.size_bytes, room));
        auto reading = perform<ReadOp>("a file", part.file, into, part.offset);
        const Result<std::int32_t> came = co_await std::move(reading);
        if (!came) co_await fail(came.error());
        if (*came == 0) throw FileEnded(part.size_bytes);
        const auto size = static_cast<std::size_t>(*came);
        GYRE_ASSERT(size <= into.size(), "a platform read %zu bytes into %zu", size, into.size());
        std::array<ConstBytes, 2> pieces{before, into.first(size)};
        // Advances `before` and `part` however the write ends.
        const struct Count {
            std::array<ConstBytes, 2>& pieces;
            std::size_t size;
            ConstBytes& before;
            FileSlice& part;
            ~Count() {
                before = pieces[0];
                part.advance(size - pieces[1].size());
            }
        } count{pieces, size, before, part};
        co_await do_write_pieces(std::span(pieces).subspan(before.empty() ? 1 : 0));
        pieces = {};
    }
    if (!before.empty()) co_await do_write_pieces(std::span(&before, 1));
    before = {};
}

}  // namespace gyre::net
