// SPDX-License-Identifier: Apache-2.0
// bench_vela_counts: what counts on references would cost Vela's machine, and what marking costs it.
// Prints nanoseconds: for a reference that is copied over another one in a register, without and with
// counts that are not atomic, where the things are in the cache and where they are not; and for
// marking a thing of a list of such. A model with things of the machine's size, not the machine.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "bench/stopwatch.hpp"

namespace gyre::bench {
namespace {

struct Object {
    std::uint32_t count = 1;
    bool is_marked = false;
    Object* fields[6] = {};
};
static_assert(sizeof(Object) == 56);

[[gnu::noinline]] void let_go(Object* object) {
    object->is_marked = true;
}

// Copies random references over the registers of a frame.
template <bool has_counts>
double copy_ns(std::vector<Object*>& objects, std::uint64_t& sum) {
    constexpr std::size_t register_count = 8;
    constexpr std::size_t turn_count = 20'000'000;
    Object* registers[register_count];
    for (Object*& at : registers) at = objects[0];
    objects[0]->count += register_count;
    const Stopwatch watch;
    std::uint64_t random = 1;
    for (std::size_t i = 0; i < turn_count; ++i) {
        random = random * 6364136223846793005ULL + 1442695040888963407ULL;
        Object* const next = objects[(random >> 33U) % objects.size()];
        Object*& at = registers[i % register_count];
        if constexpr (has_counts) {
            ++next->count;
            if (--at->count == 0) let_go(at);
        }
        at = next;
        asm volatile("" : : "r"(at) : "memory");
    }
    const double spent = watch.elapsed_ns() / static_cast<double>(turn_count);
    for (Object* at : registers) sum += at->count;
    return spent;
}

double mark_ns(const std::vector<Object*>& objects) {
    const Stopwatch watch;
    std::vector<Object*> pending(objects.begin(), objects.end());
    while (!pending.empty()) {
        Object* const object = pending.back();
        pending.pop_back();
        if (object->is_marked) continue;
        object->is_marked = true;
        for (Object* field : object->fields) {
            if (field != nullptr) pending.push_back(field);
        }
    }
    return watch.elapsed_ns() / static_cast<double>(objects.size());
}

void measure(std::size_t count) {
    std::vector<Object> memory(count);
    std::vector<Object*> objects;
    // In an order that is not that of the memory.
    for (std::size_t i = 0; i < count; ++i) objects.push_back(&memory[i * 7919 % count]);
    std::uint64_t sum = 0;
    double bare = 1e9;
    double counted = 1e9;
    for (int i = 0; i < 3; ++i) {
        bare = std::min(bare, copy_ns<false>(objects, sum));
        counted = std::min(counted, copy_ns<true>(objects, sum));
    }
    std::printf("%8zu things: a copy %.2f, with counts %.2f, marking one %.2f (%llu)\n", count,
                bare, counted, mark_ns(objects), static_cast<unsigned long long>(sum % 10));
}

}  // namespace
}  // namespace gyre::bench

int main() {
    gyre::bench::measure(101);
    gyre::bench::measure(10'007);
    gyre::bench::measure(1'000'003);
}
