// SPDX-License-Identifier: Apache-2.0
// DurableError: why a call for a durable run failed. What the database says itself is a db::DbError.
//
//     try {
//         co_await store.signal("order-7", "paid", 3);
//     } catch (const durable::DurableError& e) {  // there is no run 'order-7'
//         if (e.kind() != durable::DurableError::Kind::no_such_run) throw;
//     }
//
// Thread: a value.
// Lifetime: a value.
#pragma once

#include <cstdint>
#include <string>

#include "gyre/base/failure.hpp"

namespace gyre::durable {

class DurableError : public Failure {
public:
    enum class Kind : std::uint8_t {
        no_such_run,
        has_ended,      // the run has an outcome: it takes no signal, no cancel
        not_retryable,  // only a run that failed can be retried
        damaged,        // what the store holds of the run was cut or changed
        taken_over,     // another worker has the run: this one was away for longer than its lease
        unknown_end,    // the process ended while an op ran that may run only once
        limit,          // a named limit was exceeded
        bad_schedule    // a schedule or a time zone that names no time
    };

    DurableError(Kind kind, const std::string& message) : Failure(message), kind_(kind) {}
    [[nodiscard]] Kind kind() const noexcept { return kind_; }

private:
    Kind kind_;
};

}  // namespace gyre::durable
