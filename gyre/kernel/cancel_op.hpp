// SPDX-License-Identifier: Apache-2.0
// CancelOp: the message that carries a cancellation to another loop. An op under way there cannot
// travel a second time, so its initiator lends this one. Both stay alive until the op's completion
// has been taken; the loop waits for the message to return before it hands the completion out.
#pragma once

#include "gyre/kernel/op.hpp"

namespace gyre {

class CancelOp : public Op {
public:
    CancelOp() noexcept : Op(OpCode::cancel) {}

private:
    friend class Machine;
    friend class Loop;
    Op* target_ = nullptr;
};

}  // namespace gyre
