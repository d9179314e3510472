// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/detail/task_report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string_view>
#include <vector>

#include "gyre/base/log.hpp"
#include "gyre/io/op_kinds.hpp"
#include "gyre/task/core/detail/coroutine.hpp"
#include "gyre/task/core/internal/function_name.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre {
namespace {

constexpr std::size_t step = 2;  // of the indentation

std::string time_text(std::uint32_t time_ms) {
    if (time_ms < 1000) return std::to_string(time_ms) + " ms";
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%u.%u s", time_ms / 1000, time_ms % 1000 / 100);
    return text.data();
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
    explicit Tree(const Executor& executor) : executor_(executor) {
        executor.scopes_.for_each(
            [this](const Scope& scope) { scopes_of_[scope.owner_].push_back(&scope); });
    }

    std::string text() {
        add_scopes_of(nullptr, 0);
        return std::move(lines_);
    }

private:
    void add_scopes_of(const Task* owner, std::size_t indent) {
        const auto found = scopes_of_.find(owner);
        if (found == scopes_of_.end()) return;
        for (const Scope* scope : found->second) add_scope(*scope, indent);
    }

    void add_scope(const Scope& scope, std::size_t indent) {
        std::string head = std::string("scope ") + scope.options_.name + ": " +
                           count_text(scope.task_count_, "task");
        if (scope.is_cancelled_) head += ", cancelled: " + scope.reason_.why;
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
        std::string text = std::string("waiting on ") + task.waits_on_->what();
        if (const Op* op = task.waits_on_->pending_op()) {
            text += " (op " + std::to_string(op->id()) + ", " + gyre::name_of(io_code(*op)) + ")";
        }
        return text + " for " + time_text(task.status_.waited_ms(executor_.now()));
    }

    void add_cancel(const Task& task, std::size_t indent) {
        if (task.cancel_ == Task::Cancel::none) return;
        const bool is_delivered = task.cancel_ == Task::Cancel::delivered;
        const char* state = is_delivered              ? "delivered"
                            : task.shield_count_ == 0 ? "not delivered yet"
                                                      : "not delivered: it is shielded";
        add_line(lines_, indent, TaskReport::text_of(task.rare_part()->cancelled) + ", " + state);
    }

    static std::string name_of(const Task& task) {
        std::string name = "task " + std::to_string(task.id_);
        if (task.has_rare() && !task.rare_part()->name.empty()) {
            name += " '" + task.rare_part()->name + "'";
        }
        return name;
    }

    const Executor& executor_;
    std::map<const Task*, std::vector<const Scope*>> scopes_of_;
    std::string lines_;
};

std::string TaskReport::tasks(const Executor& executor) {
    return Tree(executor).text();
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
    std::string lines = "task '" + task.name() + "' failed: " + text_of(why) + "\n";
    if (!task.has_rare() || task.rare_part()->trail_of != why) return lines;
    for (const std::source_location& where : task.rare_part()->trail) add_place(lines, step, where);
    return lines;
}

void TaskReport::log_unseen(const Task& task, const std::exception_ptr& why) noexcept {
    if (task.was_cancelled()) return;
    log(LogLevel::error, "task '%s' of scope %s failed, which nothing else tells: %s",
        task.name().c_str(), task.scope().options_.name, text_of(why).c_str());
}

void TaskReport::pass_trail_on(const Scope& scope, Task& failed, const std::exception_ptr& why) {
    if (scope.owner_ == nullptr) return;
    Task::Rare& mine = scope.owner_->rare();
    mine.trail_of = why;
    mine.trail.clear();
    if (failed.has_rare() && failed.rare_part()->trail_of == why)
        mine.trail = failed.rare_part()->trail;
    for (const PromiseBase* at = scope.owner_->leaf_; at != nullptr; at = at->parent()) {
        mine.trail.push_back(at->where());
    }
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
    add(", which awaited last at ");
    add(where.file_name());
    add(":");
    add_number(where.line());
    return used;
}

std::string Executor::dump_tasks() const {
    return TaskReport::tasks(*this);
}

}  // namespace gyre
