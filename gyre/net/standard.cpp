// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/standard.hpp"

namespace gyre::net {

Future<void> StandardStream::do_write_pieces(std::span<ConstBytes> pieces) {
    for (ConstBytes& piece : pieces) co_await write_rest(piece);
}

Future<void> StandardStream::do_finish() {
    co_return;
}

}  // namespace gyre::net
