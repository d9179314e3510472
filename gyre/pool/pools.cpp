// SPDX-License-Identifier: Apache-2.0
#include "gyre/pool/pools.hpp"

#include "gyre/io/op_kinds.hpp"
#include "gyre/pool/internal/pool_size.hpp"

#include <new>
#include <system_error>

namespace gyre::pool {
namespace {

ThreadPoolOptions options_for(const PoolsOptions& options, PoolSize size, const char* name) {
    return {.thread_count = size.thread_count,
            .queued_count_max = size.queued_count_max,
            .name = name,
            .name_thread = options.name_thread,
            .clock = options.clock,
            .process_id = options.process_id};
}

// The code and the kind of an op do not change while it is in flight, so withdraw finds the pool
// that start chose.
WorkKind kind_of(const Op& op) noexcept {
    if (op.code() == OpCode::work) return static_cast<const WorkOp&>(op).kind;
    const bool is_of_files = is_file_op(op.code()) || op.code() == IoCode::close;
    return is_of_files ? WorkKind::files : WorkKind::user;
}

}  // namespace

PoolsOptions with_environment(PoolsOptions options) {
    options.files = pool_size_from_environment("GYRE_POOL_FILES", options.files);
    options.names = pool_size_from_environment("GYRE_POOL_NAMES", options.names);
    options.user = pool_size_from_environment("GYRE_POOL_USER", options.user);
    return options;
}

Pools::Pools(const PoolsOptions& options)
    : compute_(options.compute),
      files_(options_for(options, options.files, "gyre-file")),
      names_(options_for(options, options.names, "gyre-name")),
      user_(options_for(options, options.user, "gyre-user")) {}

bool Pools::start(Op& op, Work work, Loop& home) noexcept {
    return pool_for(op).start(op, work, home);
}

bool Pools::withdraw(Op& op) noexcept {
    return pool_for(op).withdraw(op);
}

void Pools::renew_after_fork() {
    if (compute_ != nullptr) compute_->renew_after_fork();
    files_.renew_after_fork();
    names_.renew_after_fork();
    user_.renew_after_fork();
}

Offload& Pools::pool_for(const Op& op) noexcept {
    switch (kind_of(op)) {
        case WorkKind::files:
            return files_;
        case WorkKind::names:
            return names_;
        case WorkKind::compute:
            if (compute_ != nullptr) return *compute_;
            break;
        case WorkKind::user:
            break;
    }
    return user_;
}

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
