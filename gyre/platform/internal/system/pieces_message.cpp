// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/internal/system/pieces_message.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace gyre::platform {

std::int32_t PiecesMessage::prepare(const SendPiecesOp& op) noexcept {
    if (op.passed.size() > SendPiecesOp::passed_max) {
        return failure(std::errc::argument_list_too_long);
    }
    const std::size_t count = std::min(op.pieces.size(), pieces_.size());
    for (std::size_t i = 0; i < count; ++i) {
        // iovec has no const pointer; a send only reads.
        pieces_[i] = {const_cast<std::byte*>(op.pieces[i].data()), op.pieces[i].size()};
    }
    header_ = {};
    header_.msg_iov = pieces_.data();
    header_.msg_iovlen = count;
    if (op.passed.empty()) return 0;
    control_ = {};
    header_.msg_control = control_.data();
    header_.msg_controllen = CMSG_SPACE(op.passed.size_bytes());
    cmsghdr* rights = CMSG_FIRSTHDR(&header_);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(op.passed.size_bytes());
    std::memcpy(CMSG_DATA(rights), op.passed.data(), op.passed.size_bytes());
    return 0;
}

void PiecesMessage::prepare(const ReceivePassedOp& op) noexcept {
    pieces_[0] = {op.buffer.data(), op.buffer.size()};
    header_ = {};
    header_.msg_iov = pieces_.data();
    header_.msg_iovlen = 1;
    const std::size_t room = std::min(op.room.size(), SendPiecesOp::passed_max);
    if (room == 0) return;
    header_.msg_control = control_.data();
    header_.msg_controllen = CMSG_LEN(room * sizeof(Fd));
}

void PiecesMessage::tell(ReceivePassedOp& op) const noexcept {
    op.passed_count = 0;
    op.is_cut_off = (header_.msg_flags & MSG_CTRUNC) != 0;
    msghdr header = header_;
    for (cmsghdr* each = CMSG_FIRSTHDR(&header); each != nullptr;
         each = CMSG_NXTHDR(&header, each)) {
        if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (each->cmsg_len - CMSG_LEN(0)) / sizeof(Fd);
        for (std::size_t i = 0; i < count; ++i) {
            Fd fd = -1;
            std::memcpy(&fd, CMSG_DATA(each) + i * sizeof(Fd), sizeof fd);
            if (op.passed_count < op.room.size()) {
                op.room[op.passed_count++] = fd;
            } else {
                ::close(fd);
                op.is_cut_off = true;
            }
        }
    }
}

}  // namespace gyre::platform
