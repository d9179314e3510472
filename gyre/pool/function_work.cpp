// SPDX-License-Identifier: Apache-2.0
#include "gyre/pool/function_work.hpp"

#include <new>
#include <system_error>

namespace gyre::pool {

std::int32_t result_of(const std::exception_ptr& error) noexcept {
    try {
        std::rethrow_exception(error);
    } catch (const std::system_error& thrown) {
        const std::error_condition condition = thrown.code().default_error_condition();
        const bool is_of_the_system = condition.category() == std::generic_category();
        if (is_of_the_system && condition.value() > 0) return -condition.value();
    } catch (const std::bad_alloc&) {
        return failure(std::errc::not_enough_memory);
    } catch (...) {
    }
    return failure(std::errc::state_not_recoverable);
}

}  // namespace gyre::pool
