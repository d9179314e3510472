// SPDX-License-Identifier: Apache-2.0
// ByteStream: bytes that come in and go out in order: what readers, writers and protocols are
// written over, so that a socket, a terminal or an encrypted connection can stand behind them. It
// belongs to one loop's thread; one task may receive while another one sends.
#pragma once

#include <cstddef>
#include <span>

#include "gyre/base/bytes.hpp"
#include "gyre/task/future.hpp"

namespace gyre::net {

class ByteStream {
public:
    virtual ~ByteStream() = default;

    // What there is, at least one byte; 0 at the end. Cancel class: did nothing, no byte is taken.
    [[nodiscard]] virtual Future<std::size_t> receive(Bytes into) = 0;
    // All of the pieces, in one go where that is possible; waits while the other side is slow. The
    // views are advanced as their bytes go. Cancel class: did part: the views say what is left.
    [[nodiscard]] virtual Future<void> send(std::span<ConstBytes> pieces) = 0;
    // Ends the sending side: the other one reads what was sent, then the end.
    [[nodiscard]] virtual Future<void> finish() = 0;

protected:
    ByteStream() noexcept = default;
    ByteStream(const ByteStream&) noexcept = default;
    ByteStream& operator=(const ByteStream&) noexcept = default;
};

}  // namespace gyre::net
