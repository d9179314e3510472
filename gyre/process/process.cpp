// SPDX-License-Identifier: Apache-2.0
#include "gyre/process/process.hpp"

#include "gyre/base/assert.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/task.hpp"
#include "gyre/task/thread/blocking.hpp"

namespace gyre::process {
namespace {

OpenDescriptor own(Executor& executor, Fd fd) noexcept {
    return {executor.loop().platform(), fd};
}

SpawnPlan plan_of(Command command) {
    return {.program = std::move(command.program),
            .arguments = std::move(command.arguments),
            .environment = std::move(command.environment),
            .inherits_environment = command.inherits_environment,
            .folder = std::move(command.folder),
            .streams = {command.input, command.output, command.error},
            .has_own_group = command.has_own_group};
}

}  // namespace

SpawnError::SpawnError(const std::string& program, Error error)
    : std::system_error(std::make_error_code(error.code()), "spawn '" + program + "'") {}

Process::Process(Executor& executor, const SpawnedChild& spawned, bool has_own_group) noexcept
    : input(own(executor, spawned.pipes[0])),
      output(own(executor, spawned.pipes[1])),
      error(own(executor, spawned.pipes[2])),
      executor_(&executor),
      children_(executor.loop().platform().environment()->children()),
      pid_(spawned.pid),
      has_own_group_(has_own_group),
      pidfd_(own(executor, spawned.process)) {}

Process::Process(Process&& other) noexcept
    : input(std::move(other.input)),
      output(std::move(other.output)),
      error(std::move(other.error)),
      executor_(other.executor_),
      children_(other.children_),
      pid_(std::exchange(other.pid_, 0)),
      has_own_group_(other.has_own_group_),
      pidfd_(std::move(other.pidfd_)),
      end_(other.end_) {}

Process& Process::operator=(Process&& other) noexcept {
    if (this == &other) return *this;
    drop();
    input = std::move(other.input);
    output = std::move(other.output);
    error = std::move(other.error);
    executor_ = other.executor_;
    children_ = other.children_;
    pid_ = std::exchange(other.pid_, 0);
    has_own_group_ = other.has_own_group_;
    pidfd_ = std::move(other.pidfd_);
    end_ = other.end_;
    return *this;
}

void Process::drop() noexcept {
    if (pid_ == 0 || end_) return;
    (void)signal(SIGKILL);
    if (children_->reap(pid_)) return;
    // Without a loop the program is about to exit: init then reaps the child.
    if (executor_->is_attached()) executor_->root().spawn_clean_up(reap_dropped(std::move(*this)));
}

Future<void> Process::reap_dropped(Process dropped) {
    dropped.input = PipeWriter();
    dropped.output = PipeReader();
    dropped.error = PipeReader();
    (void)co_await dropped.wait();
}

Future<void> Process::exited() const {
    const Result<std::int32_t> events =
        co_await perform<PollOp>("a child's end", pidfd_.fd(), Events::readable);
    // A concurrent `wait` that reaped the child has closed the pidfd, which is no error here.
    if (!events && !end_) co_await fail(events.error());
}

Future<ChildEnd> Process::reap() {
    GYRE_ASSERT(pid_ != 0, "wait or stop on a Process that was moved from: use the new object");
    if (end_) co_return *end_;
    const Result<ChildEnd> end = children_->reap(pid_);
    // Somebody else reaped it: the exit status is unknown.
    if (!end && end.error() != Error(std::errc::no_child_process)) co_await fail(end.error());
    end_ = end.value_or(ChildEnd{});
    (void)co_await pidfd_.aclose();
    co_return *end_;
}

Future<ChildEnd> Process::wait() {
    if (end_) co_return *end_;
    co_await exited();
    co_return co_await reap();
}

Future<ChildEnd> Process::stop(StopOptions options) {
    if (end_) co_return *end_;
    (void)signal(options.signal);
    const Result<void> in_time = co_await try_(timeout(exited(), options.patience));
    if (!in_time && in_time.error() != Error(std::errc::timed_out)) {
        co_await fail(in_time.error());
    }
    // The pid, and the group id, cannot be reused before the child is reaped.
    if (!in_time || has_own_group_) (void)signal(SIGKILL);
    if (!in_time) co_await exited();
    co_return co_await reap();
}

Result<void> Process::signal(int number) const {
    if (pid_ == 0 || end_) return std::unexpected(Error(std::errc::no_such_process));
    return children_->signal(pid_, number, has_own_group_);
}

Future<Process> spawn(Command command) {
    const Task& self = co_await this_task();
    Executor& executor = self.executor();
    const bool has_own_group = command.has_own_group;
    const SpawnPlan plan = plan_of(std::move(command));
    Children* const children = executor.loop().platform().environment()->children();
    if (children == nullptr) {
        throw SpawnError(plan.program, Error(std::errc::function_not_supported));
    }
    const auto start = [children, &plan] { return children->spawn(plan); };
    Result<SpawnedChild> spawned = SpawnedChild();
    try {
        spawned = co_await blocking(start);
    } catch (const std::system_error& e) {  // The offload refused the call.
        spawned = std::unexpected(Error(static_cast<std::errc>(e.code().value())));
    }
    if (!spawned) throw SpawnError(plan.program, spawned.error());
    co_return Process(executor, *spawned, has_own_group);
}

}  // namespace gyre::process
