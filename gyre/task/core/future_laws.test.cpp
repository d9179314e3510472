// SPDX-License-Identifier: Apache-2.0
// The functor and monad laws of Future over random futures: values, Errors and exceptions, ready or
// after some sleep, cancelled at any time or not. Two futures are equal when they end in the same
// way at the same time. RC_PARAMS="seed=<n>" repeats a failure, which prints what to give.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "gyre/task/combine/combinator_world.test.hpp"

namespace gyre {
namespace {

// The description of a future: how it ends, and when.
struct Plan {
    enum class End { value, error, exception } end = End::value;
    int number = 0;
    int delay_ms = 0;  // 0: it is ready

    friend std::ostream& operator<<(std::ostream& out, const Plan& plan) {
        constexpr const char* names[] = {"value", "error", "exception"};
        return out << names[static_cast<int>(plan.end)] << ' ' << plan.number << " after "
                   << plan.delay_ms << "ms";
    }
};

Future<int> make(Plan plan) {
    if (plan.delay_ms > 0) co_await sleep(plan.delay_ms * 1ms);
    if (plan.end == Plan::End::error) co_await fail(Error(std::errc::no_link));
    if (plan.end == Plan::End::exception) {
        throw std::runtime_error("thrown " + std::to_string(plan.number));
    }
    co_return plan.number;
}
// The unit of the monad.
Future<int> unit(int number) {
    return ready(number);
}
// A function of an int that gives such a future.
struct Bind {
    Plan plan;
    Future<int> operator()(int x) const {
        return make({plan.end, 3 * x + plan.number, plan.delay_ms});
    }
};
// A function of an int that gives an int, or throws.
struct Apply {
    Plan plan;
    int operator()(int x) const {
        if (plan.end != Plan::End::value) throw std::runtime_error("thrown by a function");
        return 5 * x + plan.number;
    }
};

rc::Gen<Plan> plans() {
    using End = Plan::End;
    return rc::gen::map(
        rc::gen::tuple(rc::gen::element(End::value, End::value, End::error, End::exception),
                       rc::gen::inRange(-100, 100), rc::gen::element(0, 0, 2, 4)),
        [](const std::tuple<End, int, int>& of) {
            return Plan{std::get<0>(of), std::get<1>(of), std::get<2>(of)};
        });
}

// How a future ended, and when.
struct Seen {
    std::string end;
    Duration when{};
    friend bool operator==(const Seen&, const Seen&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Seen& seen) {
        return out << seen.end << " at " << seen.when.count() << "ns";
    }
};

// Runs the future that the function makes; cancels it at that time, or never if it is negative.
template <class F>
Seen see(F maker, int cancel_at_ms) {
    CombinatorWorld world;
    Seen seen;
    auto task = world.spawn(maker);
    task.on_complete([&] { seen.when = world.elapsed(); });
    if (cancel_at_ms >= 0) {
        world.spawn([&]() -> Future<void> {
            co_await sleep(cancel_at_ms * 1ms);
            task.cancel();
        });
    }
    (void)world.loop.run();
    if (task.outcome().has_value()) {
        seen.end = "value " + std::to_string(task.outcome().value());
    } else if (task.outcome().has_error()) {
        seen.end = "error";
    } else if (task.was_cancelled()) {
        seen.end = "cancelled";
    } else {
        seen.end = "exception";
        try {
            task.outcome().throw_failure();
        } catch (const std::exception& e) {
            seen.end = e.what();
        }
    }
    return seen;
}

// An Error becomes a std::system_error once it has passed a coroutine.
std::string thrown(const std::string& end) {
    if (end != "error") return end;
    return std::system_error(std::make_error_code(std::errc::no_link)).what();
}

template <class F, class G>
void expect_equal(F left, G right) {
    const int cancel_at_ms = *rc::gen::element(-1, -1, -1, 0, 1, 2, 3, 4, 5);
    Seen seen_left = see(left, cancel_at_ms);
    Seen seen_right = see(right, cancel_at_ms);
    seen_left.end = thrown(seen_left.end);
    seen_right.end = thrown(seen_right.end);
    RC_CLASSIFY(seen_left.end == "cancelled", "cancelled");
    RC_CLASSIFY(seen_left.when > Duration(), "pending first");
    RC_ASSERT(seen_left == seen_right);
}

RC_GTEST_PROP(FutureLaws, map_of_the_identity_changes_nothing, ()) {
    // clause: A09
    const Plan plan = *plans();
    expect_equal([&] { return make(plan).map([](int x) { return x; }); },
                 [&] { return make(plan); });
}

RC_GTEST_PROP(FutureLaws, map_of_two_functions_is_map_of_one_after_the_other, ()) {
    // clause: A09
    const Plan plan = *plans();
    const Apply f{*plans()};
    const Apply g{*plans()};
    expect_equal([&] { return make(plan).map(f).map(g); },
                 [&] { return make(plan).map([&](int x) { return g(f(x)); }); });
}

RC_GTEST_PROP(FutureLaws, a_ready_value_is_a_left_identity, ()) {
    // clause: A09
    const int number = *rc::gen::inRange(-100, 100);
    const Bind f{*plans()};
    expect_equal([&] { return unit(number).flat_map(f); }, [&] { return f(number); });
}

RC_GTEST_PROP(FutureLaws, a_ready_value_is_a_right_identity, ()) {
    // clause: A09
    const Plan plan = *plans();
    expect_equal([&] { return make(plan).flat_map(unit); }, [&] { return make(plan); });
}

RC_GTEST_PROP(FutureLaws, flat_map_is_associative, ()) {
    // clause: A09
    const Plan plan = *plans();
    const Bind f{*plans()};
    const Bind g{*plans()};
    expect_equal([&] { return make(plan).flat_map(f).flat_map(g); },
                 [&] { return make(plan).flat_map([&](int x) { return f(x).flat_map(g); }); });
}

RC_GTEST_PROP(FutureLaws, then_is_map_or_flat_map, ()) {
    // clause: A09
    const Plan plan = *plans();
    const Apply f{*plans()};
    const Bind g{*plans()};
    expect_equal([&] { return make(plan).then(f).then(g); },
                 [&] { return make(plan).map(f).flat_map(g); });
}

}  // namespace
}  // namespace gyre
