// SPDX-License-Identifier: Apache-2.0
#include "gyre/job/host.hpp"
#include "gyre/base/failure.hpp"

#include <stdexcept>

#include "gyre/base/log.hpp"

namespace gyre::job {

AfterError Host::on_error(std::exception_ptr error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& exception) {
        log(LogLevel::error, "a job failed: %s", exception.what());
    } catch (...) {
        log(LogLevel::error, "a job failed with something that is no std::exception");
    }
    return AfterError::stop;
}

void Host::on_rejection(PromiseId /*promise*/, const std::any& reason) {
    if (const auto* error = std::any_cast<std::exception_ptr>(&reason)) {
        std::rethrow_exception(*error);
    }
    throw Failure("a promise was rejected, and nobody handled it");
}

}  // namespace gyre::job
