// SPDX-License-Identifier: Apache-2.0
#include "gyre/kernel/op.hpp"

namespace gyre {

const char* name_of(OpCode code) noexcept {
    switch (code) {
        case OpCode::none:
            return "none";
        case OpCode::timer:
            return "timer";
        case OpCode::wake:
            return "wake";
        case OpCode::cancel:
            return "cancel";
        case OpCode::channel:
            return "channel";
        case OpCode::post:
            return "post";
        case OpCode::poll:
            return "poll";
        case OpCode::readiness:
            return "readiness";
        case OpCode::accept:
            return "accept";
        case OpCode::connect:
            return "connect";
        case OpCode::receive:
            return "receive";
        case OpCode::receive_ring:
            return "receive_ring";
        case OpCode::send:
            return "send";
        case OpCode::receive_from:
            return "receive_from";
        case OpCode::send_to:
            return "send_to";
        case OpCode::send_pieces:
            return "send_pieces";
        case OpCode::send_file:
            return "send_file";
        case OpCode::receive_passed:
            return "receive_passed";
        case OpCode::path:
            return "path";
        case OpCode::open:
            return "open";
        case OpCode::read:
            return "read";
        case OpCode::write:
            return "write";
        case OpCode::read_parts:
            return "read_parts";
        case OpCode::write_parts:
            return "write_parts";
        case OpCode::fsync:
            return "fsync";
        case OpCode::close:
            return "close";
        case OpCode::work:
            return "work";
        case OpCode::signal:
            return "signal";
        case OpCode::standing:
        case OpCode::first_custom:
        case OpCode::first_custom_standing:
            break;
    }
    return "custom";
}

}  // namespace gyre
