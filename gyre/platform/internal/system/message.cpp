// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/internal/system/message.hpp"

namespace gyre::platform {

void Message::prepare(Bytes into) noexcept {
    address_ = SystemAddress();
    piece_ = {into.data(), into.size()};
    header_ = {};
    header_.msg_name = address_.data();
    header_.msg_namelen = *address_.room();
    header_.msg_iov = &piece_;
    header_.msg_iovlen = 1;
}

std::int32_t Message::prepare(ConstBytes data, const Address& to) noexcept {
    // iovec has no const pointer; a send only reads.
    piece_ = {const_cast<std::byte*>(data.data()), data.size()};
    header_ = {};
    header_.msg_iov = &piece_;
    header_.msg_iovlen = 1;
    if (to.family() == Address::Family::none) return 0;
    const Result<SystemAddress> address = SystemAddress::of(to);
    if (!address) return address.error().as_result();
    address_ = *address;
    header_.msg_name = address_.data();
    header_.msg_namelen = address_.size();
    return 0;
}

void Message::tell(ReceiveFromOp& op) noexcept {
    *address_.room() = header_.msg_namelen;
    op.from = header_.msg_namelen == 0 ? Address() : address_.to_address();
    op.is_truncated = (header_.msg_flags & MSG_TRUNC) != 0;
}

}  // namespace gyre::platform
