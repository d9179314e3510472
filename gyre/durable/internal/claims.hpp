// SPDX-License-Identifier: Apache-2.0
// Claims: how a worker comes to own runs: those of its queue that are due, that it knows the entry of, and that the limits
// of the queue leave room for. The loop's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gyre/durable/internal/active_run.hpp"
#include "gyre/durable/internal/times.hpp"
#include "gyre/durable/store.hpp"

namespace gyre::durable {

struct Claimed {
    std::vector<StoredRun> runs;
    // Others may be due that the limits hold back, until then or until a run of the queue ends.
    std::optional<std::int64_t> held_until;
};

class Claims {
public:
    Claims(Store& store, std::string queue, Duration lease)
        : store_(store), queue_(std::move(queue)), lease_(lease) {}
    Claims(const Claims&) = delete;
    Claims& operator=(const Claims&) = delete;

    // Before the first claim.
    void know(std::string entry, std::string version);

    // Those that are due and have no owner, or one whose lease is over; `count_max` at most.
    [[nodiscard]] Future<Claimed> claim(const std::string& owner, std::size_t count_max);
    // When the next run is due; none: `never`.
    [[nodiscard]] Future<std::int64_t> next_due();

    // They are read again before the next claim.
    void forget_limits() noexcept { knows_limits_ = false; }
    // Whether an end of work on a run may be what others wait for.
    [[nodiscard]] bool has_running_limit() const noexcept { return has_running_limit_; }

private:
    // What the limits leave now.
    struct Allowance {
        std::int64_t count;
        std::int64_t lease_end;  // the first one of those that are at work
        std::int64_t spacing;    // 0: none
        std::int64_t given_to;
    };

    void write_sql();
    [[nodiscard]] std::string known_entries(std::size_t first) const;
    [[nodiscard]] db::Values with_entries(db::Values values) const;
    [[nodiscard]] Future<void> read_limits();
    [[nodiscard]] Future<db::Rows> take(db::Statements& in, const std::string& owner,
                                        std::int64_t count_max);
    [[nodiscard]] Future<db::Rows> take_within_limits(db::Transaction& in, const std::string& owner,
                                                      std::int64_t count_max, Claimed& claimed);
    [[nodiscard]] Future<Allowance> allowance(db::Transaction& in, std::int64_t now,
                                              std::int64_t count_max);

    Store& store_;
    const std::string queue_;
    const Duration lease_;
    std::vector<std::pair<std::string, std::string>> entries_;  // with their versions
    std::string claim_sql_;
    std::string next_sql_;
    bool knows_limits_ = false;
    bool is_limited_ = false;
    bool has_running_limit_ = false;
};

}  // namespace gyre::durable
