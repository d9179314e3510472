// SPDX-License-Identifier: Apache-2.0
// What the example of lang/script/actors takes for granted.
#pragma once

#include <string>

#include "gyre/actor/actor.hpp"
#include "gyre/actor/ref.hpp"
#include "gyre/task/core/executor.hpp"
#include "lang/script/actors/actors.hpp"
#include "lang/script/script.hpp"
#include "lang/script/world/world.hpp"

namespace gyre::script_actors_examples {

class Bank : public actor::Actor<Bank> {
public:
    std::string handle(script::Letter letter);
};
extern script::Script& program;
extern Executor& executor;
extern actor::Ref<Bank> bank;

}  // namespace gyre::script_actors_examples
