// SPDX-License-Identifier: Apache-2.0
#include "tests/job_order/program.hpp"

#include <array>

#include "gyre/base/random.hpp"

namespace gyre::job_order {
namespace {

constexpr int body_count_max = 40;

class Generator {
public:
    Generator(JobProgram& program, std::uint64_t seed, Work work)
        : program_(program), work_(work), random_(seed) {}

    void run() {
        throws_ = random_.one_in(3);
        grow(Kind::main);
        // Bodies are made breadth first, so that a program is wide as well as deep.
        for (std::size_t i = 0; i < program_.bodies.size(); ++i) fill(i);
        if (random_.one_in(4)) {
            program_.before_exit = grow(Kind::main);
            fill(static_cast<std::size_t>(program_.before_exit));
        }
    }

private:
    int grow(Kind kind) {
        program_.bodies.push_back({.kind = kind, .actions = {}});
        return static_cast<int>(program_.bodies.size()) - 1;
    }
    int below(int bound) { return static_cast<int>(random_.below(static_cast<unsigned>(bound))); }

    bool may_block(Kind kind) const {
        return work_ == Work::everywhere || kind == Kind::main || kind == Kind::immediate;
    }

    void fill(std::size_t index) {
        const int count = index == 0 ? 3 + below(6) : below(5);
        for (int i = 0; i < count; ++i) {
            Action action = draw(index);
            if (action.kind == Kind::block && !may_block(program_.bodies[index].kind)) {
                action.number = 0;
            }
            program_.bodies[index].actions.push_back(action);
        }
        const Kind kind = program_.bodies[index].kind;
        // A throw in a reaction is a rejection, which has an action of its own.
        const bool may_throw = kind != Kind::then && kind != Kind::adopt;
        if (throws_ && may_throw && static_cast<int>(index) != program_.before_exit &&
            random_.one_in(5)) {
            program_.bodies[index].actions.push_back({.kind = Kind::fail});
        }
    }

    // What runs again and again starts no interval: nobody would be left to clear the first one.
    Action draw(std::size_t index) {
        const bool repeats = program_.bodies[index].repeats;
        static constexpr std::array starting = {
            Kind::tick,    Kind::tick,      Kind::microtask, Kind::microtask, Kind::then,
            Kind::adopt,   Kind::immediate, Kind::immediate, Kind::timeout,   Kind::timeout,
            Kind::timeout, Kind::timeout,   Kind::interval};
        const int bodies = static_cast<int>(program_.bodies.size());
        if (bodies < body_count_max && !random_.one_in(3)) {
            Kind kind = starting[random_.below(starting.size())];
            if (kind == Kind::interval && repeats) kind = Kind::timeout;
            const int number = kind == Kind::then ? 1 + below(4) : below(6);
            const int body = grow(kind);
            program_.bodies.back().repeats = repeats || kind == Kind::interval;
            return {.kind = kind, .body = body, .number = number};
        }
        switch (random_.below(9)) {
            case 0:
            case 1:
            case 2:
                return {.kind = Kind::clear, .body = below(bodies)};
            case 3:
                return {.kind = Kind::unref, .body = below(bodies)};
            case 4:
                return {.kind = Kind::reject, .number = program_.promise_count++};
            case 5:
                if (program_.promise_count > 0) {
                    return {.kind = Kind::handle, .number = below(program_.promise_count)};
                }
                return {.kind = Kind::block, .number = below(5)};
            case 6:
                return refresh(index, below(bodies));
            default:
                return {.kind = Kind::block, .number = below(5)};
        }
    }

    // It runs again then: one that is filled already, and may start an interval, must not.
    Action refresh(std::size_t index, int body) {
        Body& target = program_.bodies[static_cast<std::size_t>(body)];
        if (static_cast<std::size_t>(body) > index) target.repeats = true;
        if (!target.repeats) return {.kind = Kind::block, .number = below(5)};
        return {.kind = Kind::refresh, .body = body};
    }

    JobProgram& program_;
    const Work work_;
    Random random_;
    bool throws_ = false;
};

}  // namespace

JobProgram::JobProgram(std::uint64_t seed, Work work) {
    Generator(*this, seed, work).run();
}

}  // namespace gyre::job_order
