// SPDX-License-Identifier: Apache-2.0
#include "compat/uv/internal/inspection.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "compat/uv/internal/loop_state.hpp"
#include "gyre/io/file_tree.hpp"
#include "gyre/platform/choose.hpp"

namespace gyre::uv {
namespace {

constexpr std::size_t handles_told_max = 100;
constexpr int frames_max = 16;

double seconds(Duration duration) noexcept {
    return std::chrono::duration<double>(duration).count();
}

// "main+0x1c (/usr/bin/program)"; a name needs a symbol that the program exports.
std::string place_of(const void* address) {
    Dl_info found{};
    if (address == nullptr || ::dladdr(address, &found) == 0) return "an unknown place";
    const void* const from = found.dli_sname != nullptr ? found.dli_saddr : found.dli_fbase;
    std::array<char, 32> offset{};
    const auto distance = static_cast<const char*>(address) - static_cast<const char*>(from);
    std::snprintf(offset.data(), offset.size(), "+0x%tx", distance);
    return std::string(found.dli_sname != nullptr ? found.dli_sname : "") + offset.data() + " (" +
           (found.dli_fname != nullptr ? found.dli_fname : "") + ")";
}

// Of a process that the program started, with its number: it must not replace the program's file.
bool is_the_program() noexcept {
    const char* text = std::getenv("GYRE_UV_PROCESS");
    return text == nullptr || std::atoi(text) == ::getpid();
}

// The loops of a process that forked are not the child's to tell of.
pid_t inspected_process = -1;

bool is_forked() noexcept {
    return inspected_process != ::getpid();
}

std::string trace_path() {
    std::string path = trace::path_from_environment();
    if (!path.empty() && !is_the_program()) path += "." + std::to_string(::getpid());
    return path;
}

}  // namespace

void InspectedLoop::on_wait(Instant deadline) noexcept {
    const Instant now = clock_.now();
    if (waited_until_ != Instant() && now > waited_until_) {
        lag_ = std::max(lag_, now - waited_until_);
    }
    if (next_ != nullptr) next_->on_wait(deadline);
}

void InspectedLoop::on_waited(Instant now) noexcept {
    waited_until_ = now;
    if (next_ != nullptr) next_->on_waited(now);
}

// Never destroyed: loops may end after the exit handlers have run.
Inspection* Inspection::of_process() noexcept {
    static Inspection* const only = []() -> Inspection* {
        const char* stats = std::getenv("GYRE_UV_STATS");
        const bool tells_figures = stats != nullptr && *stats != '\0';
        const std::string path = trace_path();
        if (!tells_figures && path.empty()) return nullptr;
        inspected_process = ::getpid();
        auto* made = new Inspection(tells_figures, path);
        static Inspection* const at_end = made;
        (void)std::atexit([] { at_end->at_exit(); });
        return made;
    }();
    return only;
}

Inspection::Inspection(bool tells_figures, const std::string& path)
    : tells_figures_(tells_figures), files_(platform::make_file_tree()) {
    auto made = trace::TraceFile::make(*files_, path, {.clock = &system_clock()});
    if (made) {
        trace_ = std::move(*made);
    } else {
        std::fprintf(stderr, "gyre uv: %s\n", made.error().c_str());
    }
}

std::unique_ptr<InspectedLoop> Inspection::add(LoopState& loop) {
    const std::lock_guard lock(mutex_);
    std::string name = "loop " + std::to_string(++count_);
    if (!is_the_program()) name += " of process " + std::to_string(::getpid());
    loops_.push_back(&loop);
    Observer* const next = trace_ != nullptr ? trace_->add_loop({.loop = name}) : nullptr;
    return std::make_unique<InspectedLoop>(std::move(name), system_clock(), next);
}

void Inspection::remove(LoopState& loop) noexcept {
    const std::lock_guard lock(mutex_);
    if (std::erase(loops_, &loop) > 0 && tells_figures_ && !is_forked()) tell(loop);
}

// The frames of this library come first.
const void* Inspection::caller() noexcept {
    std::array<void*, frames_max> frames{};
    Dl_info own{};
    if (::dladdr(reinterpret_cast<const void*>(&Inspection::caller), &own) == 0) return nullptr;
    const int count = ::backtrace(frames.data(), frames_max);
    for (int i = 0; i < count; ++i) {
        const void* const frame = frames[static_cast<std::size_t>(i)];
        Dl_info found{};
        if (::dladdr(frame, &found) != 0 && found.dli_fbase != own.dli_fbase) return frame;
    }
    return nullptr;
}

bool Inspection::is_one_running_elsewhere() const noexcept {
    return std::ranges::any_of(loops_, [](const LoopState* loop) {
        return loop->is_running.load() && !loop->phased.is_here();
    });
}

void Inspection::at_exit() noexcept {
    if (is_forked()) {
        (void)trace_.release();
        return;
    }
    const std::lock_guard lock(mutex_);
    if (tells_figures_) {
        for (LoopState* loop : loops_) tell(*loop);
    }
    if (trace_ == nullptr) return;
    if (is_one_running_elsewhere()) {
        std::fputs("gyre uv: no trace: another thread still ran a loop when the process ended\n",
                   stderr);
        (void)trace_.release();  // It would be written from its destructor.
        return;
    }
    if (const auto written = trace_->finish(); !written) {
        std::fprintf(stderr, "gyre uv: %s\n", written.error().c_str());
    }
}

// Handles of a loop that another thread runs are that thread's.
void Inspection::tell(LoopState& loop) const {
    const InspectedLoop& noted = *loop.inspected;
    const auto& counted = loop.phased.metrics();
    const Instant now = system_clock().now();
    std::fprintf(stderr,
                 "gyre uv: %s: %llu iterations, %llu events, waited %.3f s of %.3f s, at most %.3f "
                 "ms between two waits\n",
                 noted.name().c_str(), static_cast<unsigned long long>(counted.iterations()),
                 static_cast<unsigned long long>(counted.events()), seconds(counted.idle_time(now)),
                 seconds(now - noted.began_at()), seconds(noted.lag()) * 1e3);
    if (!loop.phased.is_here() && loop.is_running.load()) {
        std::fputs("gyre uv:   still run by another thread\n", stderr);
        return;
    }
    std::size_t count = 0;
    loop.handles.for_each([&](HandleState& state) {
        if (state.is_internal() || ++count > handles_told_max) return;
        const uv_handle_t* const handle = state.uv();
        const bool is_active = uv_is_active(handle) != 0;
        const bool keeps_alive = is_closing(handle) || (is_active && uv_has_ref(handle) != 0);
        const char* const says = keeps_alive ? "keeps the loop alive"
                                 : is_active ? "active, without a reference"
                                             : "not active";
        const char* const kind = uv_handle_type_name(handle->type);
        std::fprintf(stderr, "gyre uv:   %s: %s, made at %s\n", kind == nullptr ? "handle" : kind,
                     says, place_of(state.made_by()).c_str());
    });
    if (count > handles_told_max) {
        std::fprintf(stderr, "gyre uv:   and %zu handles more\n", count - handles_told_max);
    }
    if (loop.uv->active_reqs.count > 0) {
        std::fprintf(stderr, "gyre uv:   %u requests keep the loop alive\n",
                     loop.uv->active_reqs.count);
    }
}

}  // namespace gyre::uv
