// SPDX-License-Identifier: Apache-2.0
// What the examples of gyre/testing take for granted.
#pragma once

#include "gyre/testing/checkers.hpp"
#include "gyre/testing/search.hpp"
#include "tests/head_examples/common.hpp"

namespace gyre::testing_examples {

namespace checkers_hpp {
using testing::ExactlyOnce;
}  // namespace checkers_hpp
namespace linearizable_hpp {
using testing::MapHistory;
extern Instant now;
extern Instant later;
extern MapHistory history;
}  // namespace linearizable_hpp
namespace search_hpp {
class Bank final : public testing::Trial {
public:
    void set_up(testing::Simulation& simulation) override;
    bool is_at_rest(testing::Simulation& simulation) override;
    std::string check(testing::Simulation& simulation) override;
};
}  // namespace search_hpp
namespace simulation_hpp {
Future<void> serve(sim::Host& host);
Future<void> ask(sim::Host& host);
}  // namespace simulation_hpp

}  // namespace gyre::testing_examples
