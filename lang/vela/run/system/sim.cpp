// SPDX-License-Identifier: Apache-2.0
// system:sim: points where a simulation takes a rare branch or waits. Outside of `gyre run --sim` no point
// is taken.
#include "gyre/sim/chance.hpp"
#include "gyre/task/core/sleep.hpp"
#include "lang/vela/run/internal/tasks.hpp"
#include "lang/vela/run/system/internal/system_natives.hpp"

namespace gyre::vela::vm {
namespace {

using Args = std::span<const Word>;

const std::string& point_of(Vm& vm, Word name) {
    const std::string& text = text_of(name);
    if (text.empty()) vm.fail("Error", "a point has a name: chance(\"cache is full\", 1, 100)");
    return text;
}

Word draw_chance(Vm& vm, Args args) {
    const std::string& name = point_of(vm, args[0]);
    const std::int64_t part = number_of(args[1]);
    const std::int64_t of = number_of(args[2]);
    if (part < 0 || of < 1) {
        vm.fail("Error", "a chance is two numbers: 1 in 100 is chance(name, 1, 100)");
    }
    return Word::boolean(
        sim::chance(name, static_cast<std::uint64_t>(part), static_cast<std::uint64_t>(of)));
}

// The point is drawn when the future starts, not when it is made.
Word wait_perhaps(Vm& vm, Args args) {
    auto work = [name = point_of(vm, args[0])](Vm& of, Deferred& future) -> gyre::Future<void> {
        const Duration delay = sim::delay_at(name);
        if (delay > Duration(0)) co_await sleep(delay);
        of.tasks->settle(future, FutureState::fulfilled, Word::nothing());
    };
    return vm.tasks->make_work("maybeDelay", std::move(work), args);
}

}  // namespace

void add_sim_natives(NativeTable& table) {
    table["chance"] = draw_chance;
    table["maybeDelay"] = wait_perhaps;
}

}  // namespace gyre::vela::vm
