// SPDX-License-Identifier: Apache-2.0
#include "lang/script/world/internal/children.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include "gyre/io/environment.hpp"
#include "gyre/io/io_ops.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/kernel/platform.hpp"
#include "gyre/task/core/detail/op_await.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::script {
namespace {

constexpr std::size_t plan_arguments = 9;

std::vector<std::string> parts_of(std::string_view text) {
    std::vector<std::string> made;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find('\0'));
        made.emplace_back(part);
        text.remove_prefix(std::min(text.size(), part.size() + 1));
    }
    return made;
}

void read_descriptors(std::string_view text, SpawnPlan& plan, std::vector<Fd>& passed) {
    int number = 0;
    for (const std::string& part : parts_of(text)) {
        const int at = number++;
        const bool is_ours = part.starts_with('p');
        Fd source = -1;
        std::from_chars(part.data() + (is_ours ? 1 : 0), part.data() + part.size(), source);
        if (is_ours) passed.push_back(source);
        if (source >= 0) {
            plan.descriptors.push_back({.number = at, .source = source});
        } else if (at < 3) {
            plan.streams[static_cast<std::size_t>(at)] =
                part == "n" ? StandardStream::nothing : StandardStream::inherited;
        } else if (part == "i") {
            plan.descriptors.push_back({.number = at, .source = at});
        }
    }
}

// Milliseconds; 0 is no limit.
Duration time_of(double milliseconds) {
    if (!(milliseconds > 0) || milliseconds > 1e12) return Duration::max();
    return std::chrono::duration_cast<Duration>(
        std::chrono::duration<double, std::milli>(milliseconds));
}

// Its op does not keep the loop alive: the hold of a referenced child does.
class ExitAwait final : public OpAwait<PollOp> {
public:
    ExitAwait(PromiseBase& promise, Fd exit)
        : OpAwait<PollOp>(promise, "a child's end", exit, Events::readable) {
        this->set_background(true);
    }
};
struct [[nodiscard]] UntilExit {
    Fd exit;
    [[nodiscard]] ExitAwait await_in(PromiseBase& promise) && { return {promise, exit}; }
};

}  // namespace

ScriptChildren::~ScriptChildren() {
    for (const auto& [id, child] : children_) {
        if (child->is_detached || !child->is_referenced) continue;
        (void)system_->signal(child->pid, SIGKILL, false);
        (void)system_->reap(child->pid);
    }
}

Children* ScriptChildren::system() noexcept {
    return system_ = executor_.loop().platform().environment()->children();
}

std::string ScriptChildren::read_plan(NativeCall& call, std::size_t first, SpawnPlan& plan,
                                      std::vector<Fd>& passed) {
    plan.program = call.text(first);
    plan.own_name = call.text(first + 1);
    plan.arguments = parts_of(call.text(first + 2));
    for (const std::string& entry : parts_of(call.text(first + 3))) {
        const std::size_t equals = entry.find('=');
        if (equals == 0 || equals == std::string::npos) continue;
        plan.environment.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
    }
    plan.inherits_environment = false;
    plan.folder = call.text(first + 4);
    read_descriptors(call.text(first + 5), plan, passed);
    plan.has_own_session = call.truth(first + 6);
    if (const double user = call.number(first + 7); user >= 0) {
        plan.user = static_cast<std::uint32_t>(user);
    }
    if (const double group = call.number(first + 8); group >= 0) {
        plan.group = static_cast<std::uint32_t>(group);
    }
    return script_.system().refusal(Access::child, plan.program);
}

void ScriptChildren::close_all(const std::vector<Fd>& passed) noexcept {
    for (const Fd fd : passed) {
        executor_.loop().platform().environment()->sockets().close_now(fd);
    }
}

void ScriptChildren::start(NativeCall& call) {
    const double id = call.number(0);
    SpawnPlan plan;
    std::vector<Fd> passed;
    const std::string refusal = read_plan(call, 1, plan, passed);
    Result<SpawnedChild> spawned = std::unexpected(Error(std::errc::function_not_supported));
    if (children_.size() >= count_max) {
        spawned = std::unexpected(Error(std::errc::resource_unavailable_try_again));
    } else if (refusal.empty() && system() != nullptr) {
        spawned = system()->spawn(plan);
    }
    close_all(passed);
    if (!refusal.empty()) return call.give_text(refusal);
    if (!spawned) return call.give_number(spawned.error().as_result());
    auto child = std::make_shared<Child>();
    child->pid = spawned->pid;
    child->exit = OpenDescriptor(executor_.loop().platform(), spawned->process);
    child->is_detached = plan.has_own_session;
    children_[id] = child;
    script_.hold();
    static_cast<void>(executor_.root().spawn(await_end(id, child)));
    call.give_number(spawned->pid);
}

Future<void> ScriptChildren::await_end(double id, Shared child) {
    const Result<std::int32_t> told = co_await UntilExit{child->exit.fd()};
    if (!told) co_return;  // the loop ends
    const Result<ChildEnd> end = system_->reap(child->pid);
    child->exit.close_now();
    children_.erase(id);
    const ChildEnd known = end.value_or(ChildEnd{});
    std::string signal = std::to_string(known.signal);
    if (child->is_referenced) {
        script_.post_done(id, known.code, std::move(signal));
    } else {
        script_.post_event(id, known.code, std::move(signal));
    }
}

void ScriptChildren::run(NativeCall& call) {
    SpawnPlan plan;
    std::vector<Fd> passed;
    const std::string refusal = read_plan(call, 0, plan, passed);
    if (!refusal.empty()) return call.give_text("P" + refusal);
    // A pipe of this call is one that it reads and writes itself.
    const std::string pipes = call.text(plan_arguments);
    for (std::size_t i = 0; i < 3 && i < pipes.size(); ++i) {
        if (pipes[i] == 'p') plan.streams[i] = StandardStream::pipe;
    }
    ChildLimits limits;
    limits.time_max = time_of(call.number(plan_arguments + 2));
    const double size_max = call.number(plan_arguments + 3);
    constexpr double size_limit = 0x1p31;
    limits.output_max_bytes =
        static_cast<std::size_t>(size_max >= 0 && size_max < size_limit ? size_max : size_limit);
    limits.signal = static_cast<int>(call.number(plan_arguments + 4));
    limits.gives_up = [this] { return script_.why_stopped() != Stop::none; };
    if (system() == nullptr) return call.give_text(std::to_string(-ENOSYS));
    Result<ChildReport> ended =
        system()->run_blocking(plan, call.bytes(plan_arguments + 1), limits);
    if (!ended) return call.give_text(std::to_string(ended.error().as_result()));
    outputs_ = {std::move(ended->output), std::move(ended->error)};
    std::string made;
    for (const std::int64_t number :
         {std::int64_t{ended->pid}, std::int64_t{ended->end.code}, std::int64_t{ended->end.signal},
          static_cast<std::int64_t>(ended->passed), static_cast<std::int64_t>(outputs_[0].size()),
          static_cast<std::int64_t>(outputs_[1].size())}) {
        made.append(made.empty() ? "" : " ").append(std::to_string(number));
    }
    call.give_text(made);
}

void ScriptChildren::take(NativeCall& call) {
    std::string& from = outputs_[call.number(0) == 2 ? 1 : 0];
    const std::span<std::byte> into = call.bytes(1);
    const std::size_t size = std::min(into.size(), from.size());
    if (size > 0) std::memcpy(into.data(), from.data(), size);
    from = {};
}

void ScriptChildren::kill(NativeCall& call) {
    const auto found = children_.find(call.number(0));
    if (found == children_.end()) return call.give_number(-ESRCH);
    const Result<void> sent =
        system()->signal(found->second->pid, static_cast<int>(call.number(1)), false);
    call.give_number(sent ? 0 : sent.error().as_result());
}

void ScriptChildren::refer(NativeCall& call) {
    const auto found = children_.find(call.number(0));
    if (found == children_.end()) return;
    if (std::exchange(found->second->is_referenced, call.truth(1)) == call.truth(1)) return;
    call.truth(1) ? script_.hold() : script_.release();
}

}  // namespace gyre::script
