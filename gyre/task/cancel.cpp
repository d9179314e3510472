// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/cancel.hpp"

namespace gyre {

Cancelled::Cancelled(CancelReason reason)
    : reason_(std::move(reason)), text_("cancelled: " + reason_.why) {
    if (!reason_.who.empty()) text_ += ", by " + reason_.who;
    text_ += std::string(" (") + reason_.where.file_name() + ":" +
             std::to_string(reason_.where.line()) + ")";
}

}  // namespace gyre
