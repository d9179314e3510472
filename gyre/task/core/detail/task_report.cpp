// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/detail/task_report.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <vector>

#include "gyre/base/log.hpp"
#include "gyre/io/op_kinds.hpp"
#include "gyre/task/core/detail/coroutine.hpp"
#include "gyre/task/core/internal/function_name.hpp"
#include "gyre/task/core/internal/wait_graph.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre {
namespace {

std::string why_cancelled(const std::exception_ptr& cancelled) {
    try {
        std::rethrow_exception(cancelled);
    } catch (const Cancelled& e) {
        return e.reason().why;
    }
}

constexpr std::size_t step = 2;  // of the indentation

std::string time_text(std::uint32_t time_ms) {
    if (time_ms < 1000) return std::to_string(time_ms) + " ms";
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%u.%u s", time_ms / 1000, time_ms % 1000 / 100);
    return text.data();
}

std::uint32_t milliseconds_until(Instant when, Instant now) {
    if (when <= now) return 0;
    return static_cast<std::uint32_t>((when - now) / std::chrono::milliseconds(1));
}

std::string place_text(const std::source_location& where) {
    return std::string(where.file_name()) + ":" + std::to_string(where.line()) + " " +
           std::string(plain_function_name(where.function_name()));
}

std::string count_text(std::size_t count, const char* noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

void add_line(std::string& lines, std::size_t indent, std::string_view text) {
    lines.append(indent, ' ').append(text).append("\n");
}

void add_place(std::string& lines, std::size_t indent, const std::source_location& where) {
    // A coroutine that has not awaited anything yet is at no place.
    if (where.line() != 0) add_line(lines, indent, "at " + place_text(where));
}

}  // namespace

class TaskReport::Tree {
public:
    Tree(const Executor& executor, const WaitGraph& waits) : executor_(executor), waits_(waits) {}

    std::string text() {
        add_scopes_of(nullptr, 0);
        return std::move(lines_);
    }

private:
    void add_scopes_of(const Task* owner, std::size_t indent) {
        for (const Scope* scope : waits_.scopes_of(owner)) add_scope(*scope, indent);
    }

    void add_scope(const Scope& scope, std::size_t indent) {
        std::string head = std::string("scope ") + scope.options_.name + ": " +
                           count_text(scope.task_count_, "task");
        if (scope.is_cancelled_) head += ", cancelled: " + why_cancelled(scope.cancelled_);
        add_line(lines_, indent, head);
        std::size_t shown = 0;
        const auto add = [&](const Task& task, const std::string& state) {
            if (++shown <= tasks_of_scope_max) add_task(task, state, indent + step);
        };
        scope.tasks_.for_each([&](const Task& task) { add(task, state_of(task)); });
        scope.waiting_.for_each(
            [&](const Task& task) { add(task, "waiting for room in its scope"); });
        if (shown > tasks_of_scope_max) {
            add_line(lines_, indent + step,
                     "and " + std::to_string(shown - tasks_of_scope_max) + " more");
        }
    }

    void add_task(const Task& task, const std::string& state, std::size_t indent) {
        add_line(lines_, indent, name_of(task) + ": " + state);
        for (const PromiseBase* at = task.leaf_; at != nullptr; at = at->parent()) {
            add_place(lines_, indent + step, at->where());
        }
        if (task.has_rare()) {
            task.rare_part()->joiners.for_each([&](const ListedWait& wait) {
                add_line(lines_, indent + step, "awaited by " + name_of(wait.task()));
            });
        }
        add_cancel(task, indent + step);
        add_scopes_of(&task, indent + step);
    }

    [[nodiscard]] std::string state_of(const Task& task) const {
        switch (task.state()) {
            case TaskState::running:
                return "running";
            case TaskState::completed:
                return "completed";
            case TaskState::ready:
                return task.has_started_ ? "ready" : "ready, not begun";
            case TaskState::waiting:
                break;
        }
        std::string text = "waiting on " + WaitGraph::subject_of(*task.waits_on_);
        if (const Op* op = task.waits_on_->pending_op()) {
            text += " (op " + std::to_string(op->id()) + ", " + gyre::name_of(io_code(*op)) + ")";
        }
        return text + holder_text(task.waits_on_->target()) + " for " +
               time_text(task.status_.waited_ms(executor_.now()));
    }

    // A task that another one waits for as such is shown by "awaited by".
    [[nodiscard]] std::string holder_text(const WaitTarget& target) const {
        if (*target.kind == '\0' || target.task_id == 0) return "";
        const Task* const holder = waits_.find(target.task_id);
        return std::string(", ") + target.by + " " +
               (holder != nullptr
                    ? name_of(*holder)
                    : "task " + std::to_string(target.task_id) + " (which has ended)") +
               ",";
    }

    void add_cancel(const Task& task, std::size_t indent) {
        if (task.cancel_ == Task::Cancel::none) return;
        const bool is_delivered = task.cancel_ == Task::Cancel::delivered;
        const char* state = is_delivered              ? "delivered"
                            : task.shield_count_ == 0 ? "not delivered yet"
                                                      : "not delivered: it is shielded";
        add_line(lines_, indent, TaskReport::text_of(task.cancelled_) + ", " + state);
    }

    const Executor& executor_;
    const WaitGraph& waits_;
    std::string lines_;
};

std::string TaskReport::tasks(const Executor& executor) {
    return Tree(executor, WaitGraph(executor)).text();
}

std::string TaskReport::tasks_and_cycles(const Executor& executor) {
    const WaitGraph waits(executor);
    return Tree(executor, waits).text() + waits.cycles();
}

std::string TaskReport::program(const Executor& executor) {
    return tasks_and_cycles(executor) + reasons_to_live(executor);
}

std::string TaskReport::reasons_to_live(const Executor& executor) {
    std::string lines;
    std::size_t op_count = 0;
    std::size_t ready_count = 0;
    executor.scopes_.for_each([&](const Scope& scope) {
        scope.tasks_.for_each([&](const Task& task) {
            if (task.state() == TaskState::ready && !task.is_background()) ++ready_count;
            if (task.state() != TaskState::waiting) return;
            const Op* const op = task.waits_on_->pending_op();
            if (op == nullptr || !op->is_in_flight() || op->is_background()) return;
            if (++op_count > tasks_of_scope_max) return;
            std::string text = name_of(task) + ": " + gyre::name_of(io_code(*op));
            if (op->code() == OpCode::timer) {
                text += " in " + time_text(milliseconds_until(
                                     static_cast<const TimerOp&>(*op).deadline, executor.now()));
            }
            add_line(lines, step, text);
        });
    });
    if (ready_count > 0) add_line(lines, step, count_text(ready_count, "task") + " ready to run");
    if (executor.alive_.is_in_flight()) ++op_count;
    if (const std::size_t count = executor.outside_waits_; count > 0) {
        add_line(lines, step, count_text(count, "task") + " that another thread may wake");
    }
    if (const std::size_t count = executor.ending_daemons_; count > 0) {
        add_line(lines, step, count_text(count, "daemon") + " that has to end");
    }
    executor.loop().for_each_machine([&](const Machine& machine) {
        if (&machine == &executor || machine.ops_in_flight() == 0) return;
        op_count += machine.ops_in_flight();
        add_line(lines, step,
                 std::string("machine ") + machine.name() + ": " +
                     count_text(machine.ops_in_flight(), "op"));
    });
    const std::size_t all = executor.loop().ops_in_foreground();
    if (all > op_count) add_line(lines, step, count_text(all - op_count, "other op"));
    return lines.empty() ? "nothing keeps the loop alive\n"
                         : "the loop is alive because of\n" + lines;
}

std::string TaskReport::text_of(const std::exception_ptr& why) {
    try {
        std::rethrow_exception(why);
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "with something that is no std::exception";
    }
}

std::string TaskReport::failure(const Task& task, const std::exception_ptr& why) {
    const Task::Trail* const trail = task.trail_of(why);
    std::string lines = "task '" + task.name() + "' failed: " + text_of(why);
    if (trail != nullptr && !trail->from.empty()) lines += ", from task '" + trail->from + "'";
    lines += "\n";
    if (trail == nullptr) return lines;
    for (const std::source_location& where : trail->places) add_place(lines, step, where);
    return lines;
}

void TaskReport::log_unseen(const Task& task, const std::exception_ptr& why) noexcept {
    if (task.was_cancelled()) return;
    log(LogLevel::error, "task '%s' of scope %s failed, which nothing else tells: %s",
        task.name().c_str(), task.scope().options_.name, text_of(why).c_str());
}

void TaskReport::observe_wait(const Task& task, Observer& observer) noexcept {
    const bool is_waiting = task.state() == TaskState::waiting;
    const char* what = is_waiting ? task.waits_on_->what() : "its turn";
    const std::source_location nowhere;
    observer.on_task_waits(task.id(), what, task.leaf_ != nullptr ? task.leaf_->where() : nowhere);
}

std::size_t TaskReport::running(const Executor& executor, std::span<char> into) noexcept {
    std::size_t used = 0;
    const auto add = [&](std::string_view text) {
        const std::size_t size = std::min(text.size(), into.size() - used);
        std::copy_n(text.begin(), size, into.begin() + static_cast<std::ptrdiff_t>(used));
        used += size;
    };
    const auto add_number = [&](std::uint64_t number) {
        std::array<char, 20> digits{};
        std::size_t first = digits.size();
        do {
            digits[--first] = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number != 0);
        add(std::string_view(digits.data() + first, digits.size() - first));
    };
    const Task* task = executor.current();
    if (task == nullptr) {
        add("no task");
        return used;
    }
    add("task ");
    add_number(task->id_);
    if (task->has_rare() && !task->rare_part()->name.empty()) {
        add(" '");
        add(task->rare_part()->name);
        add("'");
    }
    const std::source_location where =
        task->leaf_ == nullptr ? std::source_location() : task->leaf_->where();
    if (where.line() == 0) return used;
    add(", which runs since ");
    add(where.file_name());
    add(":");
    add_number(where.line());
    return used;
}

const void* TaskReport::running_place(const Executor& executor) noexcept {
    const Task* task = executor.current();
    return task == nullptr || task->leaf_ == nullptr ? nullptr : task->leaf_->site();
}

std::string TaskReport::name_of(const Task& task) {
    std::string name = "task " + std::to_string(task.id_);
    if (!task.has_rare()) return name;
    if (!task.rare_part()->name.empty()) name += " '" + task.rare_part()->name + "'";
    if (task.rare_part()->is_daemon) name += " (daemon)";
    return name;
}

std::string Executor::dump_tasks() const {
    return TaskReport::tasks(*this);
}

std::string Executor::report() const {
    return TaskReport::program(*this);
}

}  // namespace gyre
