// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/cancel.hpp"

#include <typeinfo>
#include <utility>

namespace gyre {

Cancelled::Cancelled(CancelReason reason)
    : reason_(std::move(reason)), text_("cancelled: " + reason_.why) {
    if (!reason_.who.empty()) text_ += ", by " + reason_.who;
    text_ += std::string(" (") + reason_.where.file_name() + ":" +
             std::to_string(reason_.where.line()) + ")";
}

std::exception_ptr make_cancelled(CancelReason reason) noexcept {
    try {
        std::exception_ptr made = std::make_exception_ptr(Cancelled(std::move(reason)));
        // It holds what the copy threw, if that failed.
        return is_cancelled(made) ? made : nullptr;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

bool is_cancelled(const std::exception_ptr& failure) noexcept {
    if (failure == nullptr) return false;
    // Without throwing it, where the library tells its type: each task of a cancelled tree asks this.
#ifdef __GLIBCXX__
    if (*failure.__cxa_exception_type() == typeid(Cancelled)) return true;
#endif
    try {
        std::rethrow_exception(failure);
    } catch (const Cancelled&) {
        return true;
    } catch (...) {
        return false;
    }
}

}  // namespace gyre
