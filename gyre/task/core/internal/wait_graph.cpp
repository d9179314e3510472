// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/internal/wait_graph.hpp"

#include <algorithm>

#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre {
namespace {

std::string short_name(const Task& task) {
    const std::string name = task.name();
    return name == "task " + std::to_string(task.id()) ? name : "'" + name + "'";
}

std::string object_text(const WaitTarget& target) {
    if (*target.name == '\0') return std::string("a ") + target.kind;
    return std::string(target.kind) + " '" + target.name + "'";
}

}  // namespace

WaitGraph::WaitGraph(const Executor& executor) {
    executor.scopes_.for_each([this](const Scope& scope) {
        scopes_of_[scope.owner_].push_back(&scope);
        scope.tasks_.for_each([this](const Task& task) { tasks_[task.id()] = &task; });
    });
}

const Task* WaitGraph::find(std::uint32_t task_id) const noexcept {
    const auto found = tasks_.find(task_id);
    return found == tasks_.end() ? nullptr : found->second;
}

const std::vector<const Scope*>& WaitGraph::scopes_of(const Task* owner) const noexcept {
    static const std::vector<const Scope*> none;
    const auto found = scopes_of_.find(owner);
    return found == scopes_of_.end() ? none : found->second;
}

std::string WaitGraph::subject_of(const Suspension& wait) {
    const WaitTarget target = wait.target();
    if (*target.kind == '\0' || *target.name == '\0') return wait.what();
    return target.part + object_text(target);
}

std::vector<const Task*> WaitGraph::waited_for(const Task& task) const {
    std::vector<const Task*> found;
    if (task.state() != TaskState::waiting) return found;
    if (const Task* other = find(task.waits_on_->target().task_id)) found.push_back(other);
    for (const Scope* scope : scopes_of(&task)) {
        if (scope->joiner_ == nullptr) continue;
        scope->tasks_.for_each([&found](const Task& child) { found.push_back(&child); });
    }
    return found;
}

// Depth first, with a stack of its own: a chain of waits may be longer than the thread's stack.
class WaitGraph::Search {
public:
    explicit Search(const WaitGraph& graph) : graph_(graph) {}

    std::string run() {
        for (const auto& [id, task] : graph_.tasks_) {
            if (visit(*task)) continue;
            while (!path_.empty()) advance();
        }
        return std::move(lines_);
    }

private:
    struct Step {
        const Task* task;
        std::vector<const Task*> next;
        std::size_t next_index = 0;
    };

    // False if it is new: then it is the end of the path.
    bool visit(const Task& task) {
        const auto [entry, is_new] = is_on_path_.try_emplace(&task, true);
        if (is_new) path_.push_back({.task = &task, .next = graph_.waited_for(task)});
        return !is_new;
    }

    void advance() {
        Step& last = path_.back();
        if (last.next_index == last.next.size()) {
            is_on_path_[last.task] = false;
            path_.pop_back();
            return;
        }
        const Task& next = *last.next[last.next_index++];
        if (visit(next) && is_on_path_[&next]) add_cycle_from(next);
    }

    void add_cycle_from(const Task& first) {
        if (++cycle_count_ > cycle_count_max) return;
        std::vector<const Task*> cycle;
        const auto begin = std::find_if(path_.begin(), path_.end(),
                                        [&](const Step& each) { return each.task == &first; });
        std::for_each(begin, path_.end(),
                      [&cycle](const Step& each) { cycle.push_back(each.task); });
        lines_ += "these tasks wait for each other:\n" + text_of(cycle);
    }

    const WaitGraph& graph_;
    std::vector<Step> path_;
    std::map<const Task*, bool> is_on_path_;  // the others in it are finished
    std::size_t cycle_count_ = 0;
    std::string lines_;
};

std::string WaitGraph::text_of(const std::vector<const Task*>& cycle) {
    const auto target_of = [](const Task& task, const Task& next) {
        const WaitTarget target = task.waits_on_->target();
        return target.task_id == next.id() ? target : WaitTarget{};
    };
    std::string lines;
    const std::size_t count = cycle.size();
    for (std::size_t i = 0; i < count; ++i) {
        const Task& task = *cycle[i];
        const Task& next = *cycle[(i + 1) % count];
        const WaitTarget held = target_of(*cycle[(i + count - 1) % count], task);
        const WaitTarget wanted = target_of(task, next);
        lines += "  " + short_name(task);
        if (*held.kind != '\0')
            lines += std::string(" ") + held.holds + " " + object_text(held) + " and";
        lines += " waits for ";
        lines += *wanted.kind == '\0' ? "the end of " + short_name(next)
                                      : wanted.part + object_text(wanted) + ", " + wanted.by + " " +
                                            short_name(next);
        lines += "\n";
    }
    return lines;
}

std::string WaitGraph::cycles() const {
    return Search(*this).run();
}

}  // namespace gyre
