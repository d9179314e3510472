// SPDX-License-Identifier: Apache-2.0
#include "gyre/actor/internal/signal.hpp"

#include <memory>
#include <utility>

#include "gyre/actor/detail/actor_host.hpp"

namespace gyre::actor {

Signal::Signal(SignalKind what, Cell& receiver, AnyRef about) noexcept
    : ExecutorMessage(&on_arrival), kind(what), to(receiver), who(std::move(about)) {}

void Signal::on_arrival(ExecutorMessage& message, Executor& /*at*/) noexcept {
    const std::unique_ptr<Signal> signal(static_cast<Signal*>(&message));
    signal->to.cell()->host().note_arrival();
    signal->to.cell()->take(*signal);
}

}  // namespace gyre::actor
