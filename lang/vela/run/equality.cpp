// SPDX-License-Identifier: Apache-2.0
// When two values are equal.
#include <functional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "lang/vela/run/internal/code.hpp"
#include "lang/vela/run/internal/thing.hpp"

namespace gyre::vela::vm {
namespace {

bool is_numeric(Word word) {
    return is_number(word) || is_kind(word, Kind::boxed_real);
}

bool may_hold_real(Word word) {
    const Thing* thing = word.thing();
    if (thing == nullptr) return false;
    switch (thing->kind) {
        case Kind::boxed_real:
        case Kind::tuple:
        case Kind::list:
        case Kind::queue:
        case Kind::map:
            return true;
        case Kind::variant:
            return static_cast<const Variant*>(thing)->count > 0;
        case Kind::instance:
            return static_cast<const Instance*>(thing)->shape->is_struct;
        default:
            return false;
    }
}

// Compares two values part by part, without recursion: the pairs that are still to be compared are in
// a list. Values may share parts at many levels, so a long comparison remembers its pairs: each is
// compared once.
class Comparison {
public:
    bool run(Word a, Word b) {
        open_.push_back({a, b});
        for (std::size_t step = 0; !open_.empty(); ++step) {
            const auto [left, right] = open_.back();
            open_.pop_back();
            if (!compare(left, right, step)) return false;
        }
        return true;
    }

private:
    struct Pair {
        Word left;
        Word right;
    };
    struct PairHash {
        std::size_t operator()(const std::pair<const Thing*, const Thing*>& pair) const noexcept {
            return std::hash<const Thing*>()(pair.first) * 31 +
                   std::hash<const Thing*>()(pair.second);
        }
    };

    bool compare(Word a, Word b, std::size_t step) {
        constexpr std::size_t forgotten_max = 256;
        // A value that holds a NaN does not equal itself.
        if (a == b && !may_hold_real(a)) return true;
        if (is_numeric(a) && is_numeric(b)) {
            if (is_number(a) && is_number(b)) return number_of(a) == number_of(b);
            return real_of(a) == real_of(b);
        }
        Thing* left = a.thing();
        Thing* right = b.thing();
        if (left == nullptr || right == nullptr || left->kind != right->kind) return false;
        if (step > forgotten_max && !seen_.emplace(left, right).second) return true;
        return things(*left, *right);
    }

    bool parts(std::span<const Word> a, std::span<const Word> b) {
        if (a.size() != b.size()) return false;
        // In reverse, so that the first parts are compared first.
        for (std::size_t i = a.size(); i-- > 0;) open_.push_back({a[i], b[i]});
        return true;
    }

    bool tables(Table& a, Table& b) {
        if (a.size() != b.size()) return false;
        for (const Table::Entry& entry : a.entries) {
            if (entry.key.is_missing()) continue;
            const Table::Entry* other = b.find(entry.key);
            if (other == nullptr) return false;
            if (a.kind != Kind::set) open_.push_back({entry.value, other->value});
        }
        return true;
    }

    bool objects(Instance& a, Instance& b) {
        if (a.shape != b.shape || !a.shape->is_struct) return false;
        for (std::size_t i = 0; i < a.slot_count; ++i) {
            const Slot left = a.slots()[i];
            const Slot right = b.slots()[i];
            const Rep rep = a.shape->reps[i];
            if (rep == Rep::word) {
                open_.push_back({left.word(), right.word()});
            } else if (rep == Rep::real ? left.real != right.real : left.bits != right.bits) {
                return false;
            }
        }
        return true;
    }

    bool things(Thing& left, Thing& right);

    std::vector<Pair> open_;
    std::unordered_set<std::pair<const Thing*, const Thing*>, PairHash> seen_;
};

bool Comparison::things(Thing& left, Thing& right) {
    switch (left.kind) {
        case Kind::text:
        case Kind::bytes:
            return static_cast<Text&>(left).text == static_cast<Text&>(right).text;
        case Kind::tuple:
            return parts(static_cast<Tuple&>(left).items, static_cast<Tuple&>(right).items);
        case Kind::list:
        case Kind::queue:
            return parts(static_cast<List&>(left).all(), static_cast<List&>(right).all());
        case Kind::range: {
            const auto& one = static_cast<Range&>(left);
            const auto& other = static_cast<Range&>(right);
            return one.first == other.first && one.last == other.last &&
                   one.is_inclusive == other.is_inclusive;
        }
        case Kind::map:
        case Kind::set:
            return tables(static_cast<Table&>(left), static_cast<Table&>(right));
        case Kind::variant: {
            auto& one = static_cast<Variant&>(left);
            auto& other = static_cast<Variant&>(right);
            return one.info == other.info && parts(one.all(), other.all());
        }
        case Kind::instance:
            return objects(static_cast<Instance&>(left), static_cast<Instance&>(right));
        default:
            return false;
    }
}

}  // namespace

bool are_equal(Word a, Word b) {
    // Most comparisons are of numbers and texts.
    if (is_kind(a, Kind::text) && is_kind(b, Kind::text)) {
        return static_cast<Text*>(a.thing())->text == static_cast<Text*>(b.thing())->text;
    }
    if (is_number(a) && is_number(b)) return number_of(a) == number_of(b);
    return Comparison().run(a, b);
}

}  // namespace gyre::vela::vm
