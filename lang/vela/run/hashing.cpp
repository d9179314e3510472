// SPDX-License-Identifier: Apache-2.0
// The hashes of values: those of equal values are equal.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "lang/vela/run/internal/code.hpp"
#include "lang/vela/run/internal/thing.hpp"

namespace gyre::vela::vm {
namespace {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    std::uint64_t value = (a ^ (b + 0x9e3779b97f4a7c15ULL)) * 0xff51afd7ed558ccdULL;
    return value ^ value >> 32U;
}

std::uint64_t hash_of_number(std::int64_t number) {
    return mixed(7, static_cast<std::uint64_t>(number));
}

// A Float with the value of a Number has its hash, since the two are equal.
std::uint64_t hash_of_real(double real) {
    if (real >= -9e15 && real <= 9e15 && real == std::floor(real)) {
        return hash_of_number(static_cast<std::int64_t>(real));
    }
    return mixed(11, std::bit_cast<std::uint64_t>(real));
}

// Below the first levels only a few parts count, so that a hash takes bounded time.
std::uint64_t hash_of_all(std::uint64_t seed, std::span<const Word> words, int depth) {
    constexpr std::size_t deep_count_max = 3;
    const std::size_t count =
        depth < 3 ? words.size() : std::min<std::size_t>(words.size(), deep_count_max);
    for (const Word word : words.first(count)) seed = mixed(seed, hash_of(word, depth));
    return mixed(seed, words.size());
}

std::uint64_t hash_of_object(Instance& object, int depth) {
    if (!object.shape->is_struct) return mixed(17, reinterpret_cast<std::uintptr_t>(&object));
    std::uint64_t hash = 19;
    for (std::size_t i = 0; i < object.slot_count; ++i) {
        const Slot slot = object.slots()[i];
        const Rep rep = object.shape->reps[i];
        hash = mixed(hash, rep == Rep::word   ? hash_of(slot.word(), depth)
                           : rep == Rep::real ? hash_of_real(slot.real)
                                              : hash_of_number(slot.number));
    }
    return hash;
}

}  // namespace

std::uint64_t hash_of(Word word, int depth) {
    Thing* thing = word.thing();
    if (word.is_small()) return hash_of_number(word.small_number());
    // Equal values have equal hashes: what is deeper counts for nothing.
    constexpr int hashed_depth_max = 8;
    if (thing == nullptr) return mixed(3, word.bits());
    if (depth > hashed_depth_max) return 37;
    switch (thing->kind) {
        case Kind::boxed_number:
            return hash_of_number(number_of(word));
        case Kind::boxed_real:
            return hash_of_real(real_of(word));
        case Kind::text:
        case Kind::bytes:
            return std::hash<std::string>()(static_cast<Text*>(thing)->text);
        case Kind::tuple:
            return hash_of_all(23, static_cast<Tuple*>(thing)->items, depth + 1);
        case Kind::list:
        case Kind::queue:
            return hash_of_all(29, static_cast<List*>(thing)->all(), depth + 1);
        case Kind::variant: {
            auto& variant = *static_cast<Variant*>(thing);
            return hash_of_all(reinterpret_cast<std::uintptr_t>(variant.info), variant.all(),
                               depth + 1);
        }
        case Kind::instance:
            return hash_of_object(*static_cast<Instance*>(thing), depth + 1);
        case Kind::map:
        case Kind::set:
        case Kind::range:
            return 31;
        default:
            return mixed(5, word.bits());
    }
}

}  // namespace gyre::vela::vm
