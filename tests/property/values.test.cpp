// SPDX-License-Identifier: Apache-2.0
// Laws of the small types over random values and random sequences of calls, against the plainest
// model there is. RC_PARAMS="seed=<n>" repeats a failure, which prints what to give.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <list>
#include <map>
#include <set>
#include <vector>

#include "gyre/base/bounded_pool.hpp"
#include "gyre/base/byte_ring.hpp"
#include "gyre/base/detail/intrusive.hpp"
#include "gyre/base/random.hpp"
#include "gyre/base/spsc_ring.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/detail/machine_table.hpp"
#include "tests/support/test_machine.hpp"

namespace gyre {
namespace {

// ---- Time ----

// Wide enough that nothing can overflow.
__extension__ using Wide = __int128;
Wide wide(Instant instant) {
    return static_cast<Wide>(instant.nanoseconds());
}
const Wide last_instant = static_cast<Wide>(~std::uint64_t{0});

// The ends of the scale and what is near them as often as anything else.
rc::Gen<std::uint64_t> instants() {
    const auto near = [](std::uint64_t at) {
        return rc::gen::map(rc::gen::inRange(0, 5), [at](int by) {
            return at + static_cast<std::uint64_t>(by) - 2;  // wraps on purpose
        });
    };
    return rc::gen::oneOf(rc::gen::arbitrary<std::uint64_t>(), near(0), near(1u << 31u),
                          near(std::uint64_t{1} << 63u));
}
rc::Gen<std::int64_t> durations() {
    return rc::gen::map(instants(),
                        [](std::uint64_t bits) { return static_cast<std::int64_t>(bits); });
}

RC_GTEST_PROP(InstantLaws, a_sum_is_the_true_one_kept_on_the_scale, ()) {
    const Instant start(*instants());
    const Duration delay(*durations());
    const Wide sum = wide(start) + static_cast<Wide>(delay.count());
    RC_ASSERT(wide(start + delay) == std::clamp(sum, Wide{0}, last_instant));
}

RC_GTEST_PROP(InstantLaws, a_later_start_or_a_longer_delay_never_ends_earlier, ()) {
    const Instant a(*instants());
    const Instant b(*instants());
    const Duration p(*durations());
    const Duration q(*durations());
    RC_ASSERT(std::min(a, b) + std::min(p, q) <= std::max(a, b) + std::max(p, q));
}

RC_GTEST_PROP(InstantLaws, a_distance_is_the_true_one_kept_in_a_duration, ()) {
    const Instant a(*instants());
    const Instant b(*instants());
    const Wide longest = static_cast<Wide>(Duration::max().count());
    RC_ASSERT(static_cast<Wide>((a - b).count()) ==
              std::clamp(wide(a) - wide(b), -longest, longest));
    RC_ASSERT(a - b == -(b - a));
}

// ---- Rings and queues ----

RC_GTEST_PROP(ByteRingLaws, holds_what_a_deque_with_a_limit_would_and_counts_what_it_lost, ()) {
    std::vector<std::byte> memory(static_cast<std::size_t>(*rc::gen::inRange(1, 40)));
    ByteRing ring(memory);
    std::deque<std::byte> model;
    std::size_t written = 0;
    std::size_t lost = 0;
    std::size_t read = 0;
    const int steps = *rc::gen::inRange(1, 60);
    std::uint8_t next = 0;
    for (int step = 0; step < steps; ++step) {
        std::vector<std::byte> data(static_cast<std::size_t>(*rc::gen::inRange(0, 60)));
        if (*rc::gen::arbitrary<bool>()) {
            for (std::byte& byte : data) byte = std::byte{next++};
            const bool drops_newest = *rc::gen::arbitrary<bool>();
            std::size_t model_lost = 0;
            for (const std::byte byte : data) {
                model.push_back(byte);
                if (model.size() <= memory.size()) continue;
                ++model_lost;
                if (drops_newest) {
                    model.pop_back();
                } else {
                    model.pop_front();
                }
            }
            const auto policy =
                drops_newest ? OverflowPolicy::drop_newest : OverflowPolicy::overwrite_oldest;
            const std::size_t lost_now = ring.write(data, policy);
            RC_ASSERT(lost_now == model_lost);
            written += data.size();
            lost += lost_now;
        } else {
            const std::size_t count = ring.read(data);
            RC_ASSERT(count == std::min(data.size(), model.size()));
            RC_ASSERT(std::equal(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(count),
                                 data.begin()));
            model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(count));
            read += count;
        }
        RC_ASSERT(ring.size_bytes() == model.size());
        RC_ASSERT(ring.size_bytes() + ring.free_bytes() == ring.capacity_bytes());
        RC_ASSERT(written == lost + read + ring.size_bytes());
    }
}

struct NumberLinks;
struct Number : Link<NumberLinks> {
    int value = 0;
};

RC_GTEST_PROP(QueueLaws, two_queues_hold_what_two_deques_would, ()) {
    std::array<Number, 12> numbers;
    for (int i = 0; Number & number : numbers) number.value = i++;
    std::array<Queue<Number, NumberLinks>, 2> queues;
    std::array<std::deque<int>, 2> models;
    const int steps = *rc::gen::inRange(1, 100);
    for (int step = 0; step < steps; ++step) {
        const std::size_t at = *rc::gen::arbitrary<bool>() ? 1 : 0;
        Number& number = numbers[static_cast<std::size_t>(*rc::gen::inRange(0, 12))];
        switch (*rc::gen::inRange(0, 5)) {
            case 0:
            case 1:  // In, or out from wherever it is.
                if (number.is_linked()) {
                    number.unlink();
                    for (auto& model : models) std::erase(model, number.value);
                } else {
                    queues[at].push_back(number);
                    models[at].push_back(number.value);
                }
                break;
            case 2: {
                const Number* popped = queues[at].pop_front();
                RC_ASSERT((popped == nullptr) == models[at].empty());
                if (popped == nullptr) break;
                RC_ASSERT(popped->value == models[at].front());
                models[at].pop_front();
                break;
            }
            case 3:
                queues[at].take_all(queues[1 - at]);
                models[at].insert(models[at].end(), models[1 - at].begin(), models[1 - at].end());
                models[1 - at].clear();
                break;
            default:
                queues[at].for_each([](Number& each) {
                    if (each.value % 3 == 0) each.unlink();
                });
                std::erase_if(models[at], [](int value) { return value % 3 == 0; });
                break;
        }
        for (std::size_t i = 0; i < 2; ++i) {
            std::deque<int> held;
            std::as_const(queues[i]).for_each(
                [&](const Number& each) { held.push_back(each.value); });
            RC_ASSERT(held == models[i]);
            RC_ASSERT(queues[i].count() == models[i].size());
        }
    }
    // A number that is in no model is in no list, and the reverse.
    for (const Number& number : numbers) {
        const auto holds = [&](const std::deque<int>& model) {
            return std::find(model.begin(), model.end(), number.value) != model.end();
        };
        RC_ASSERT(number.is_linked() == (holds(models[0]) || holds(models[1])));
    }
}

RC_GTEST_PROP(SpscRingLaws, holds_what_a_deque_with_a_limit_would, ()) {
    const std::size_t capacity = std::size_t{1} << static_cast<unsigned>(*rc::gen::inRange(0, 5));
    SpscRing<int> ring(capacity);
    std::deque<int> model;
    const auto pushes = *rc::gen::container<std::vector<bool>>(rc::gen::arbitrary<bool>());
    for (int i = 0; const bool is_push : pushes) {
        if (is_push) {
            const bool has_room = model.size() < capacity;
            RC_ASSERT(ring.push(i) == has_room);
            if (has_room) model.push_back(i);
            ++i;
        } else {
            const std::optional<int> popped = ring.pop();
            RC_ASSERT(popped.has_value() == !model.empty());
            if (!popped) continue;
            RC_ASSERT(*popped == model.front());
            model.pop_front();
        }
    }
}

RC_GTEST_PROP(BoundedPoolLaws, gives_out_what_is_free_and_an_error_when_nothing_is, ()) {
    // clause: K14
    const auto capacity = static_cast<std::size_t>(*rc::gen::inRange(0, 9));
    BoundedPool<int> pool(capacity);
    std::set<int*> taken;
    const auto takes = *rc::gen::container<std::vector<bool>>(rc::gen::arbitrary<bool>());
    for (const bool is_take : takes) {
        if (is_take) {
            const Result<int*> item = pool.take();
            RC_ASSERT(item.has_value() == (taken.size() < capacity));
            if (item) RC_ASSERT(taken.insert(*item).second);
            if (!item) RC_ASSERT(item.error().code() == std::errc::not_enough_memory);
        } else if (!taken.empty()) {
            pool.put_back(**taken.begin());
            taken.erase(taken.begin());
        }
        RC_ASSERT(pool.in_use() == taken.size());
    }
    for (int* item : taken) pool.put_back(*item);
}

// ---- Machines and chance ----

RC_GTEST_PROP(MachineTableLaws, finds_what_a_map_would_and_nothing_by_a_stale_id, ()) {
    MachineTable table(32);
    std::list<test::TestMachine> machines;
    std::map<MachineId, Machine*> model;
    std::vector<MachineId> stale;
    const int steps = *rc::gen::inRange(1, 80);
    for (int step = 0; step < steps; ++step) {
        if (model.size() < 32 && *rc::gen::inRange(0, 3) > 0) {
            table.reserve(1);
            const MachineId id = table.add(machines.emplace_back());
            RC_ASSERT(id != 0u);
            RC_ASSERT(model.emplace(id, &machines.back()).second);
            RC_ASSERT(std::find(stale.begin(), stale.end(), id) == stale.end());
        } else if (!model.empty()) {
            const auto gone =
                std::next(model.begin(), *rc::gen::inRange(0, static_cast<int>(model.size())));
            table.remove(gone->first);
            stale.push_back(gone->first);
            model.erase(gone);
        }
        for (const auto& [id, machine] : model) RC_ASSERT(table.find(id) == machine);
        for (const MachineId id : stale) RC_ASSERT(table.find(id) == nullptr);
    }
}

RC_GTEST_PROP(RandomLaws, below_stays_below_and_depends_on_nothing_but_the_seed, ()) {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const std::uint64_t bound = std::max<std::uint64_t>(1, *instants());
    Random one(seed);
    Random other(seed);
    for (int i = 0; i < 20; ++i) {
        const std::uint64_t number = one.below(bound);
        RC_ASSERT(number < bound);
        RC_ASSERT(number == other.below(bound));
    }
}

}  // namespace
}  // namespace gyre
