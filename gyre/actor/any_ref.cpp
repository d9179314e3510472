// SPDX-License-Identifier: Apache-2.0
#include "gyre/actor/any_ref.hpp"

#include "gyre/actor/detail/cell.hpp"
#include "gyre/actor/internal/signal.hpp"
#include "gyre/base/assert.hpp"

namespace gyre::actor {

std::uint64_t AnyRef::id() const noexcept {
    GYRE_ASSERT(cell_ != nullptr, "an empty AnyRef has no id: check it with operator bool first");
    return cell_->id();
}
std::string AnyRef::name() const {
    return cell_ == nullptr ? "nobody" : cell_->name();
}
bool AnyRef::is_ended() const noexcept {
    GYRE_ASSERT(cell_ != nullptr, "an empty AnyRef leads to no actor: check it first");
    return cell_->life() == Life::ended;
}
std::uint32_t AnyRef::mailbox_length() const noexcept {
    GYRE_ASSERT(cell_ != nullptr, "an empty AnyRef has no mailbox: check it first");
    return cell_->length();
}
Counts AnyRef::counts() const noexcept {
    GYRE_ASSERT(cell_ != nullptr, "an empty AnyRef has no counts: check it first");
    GYRE_ASSERT(cell_->is_here(), "read an actor's counts on the thread of its own loop");
    return cell_->counts();
}
void AnyRef::stop() const {
    GYRE_ASSERT(cell_ != nullptr, "an empty AnyRef cannot stop an actor: check it first");
    Cell::send(new Signal(SignalKind::stop, *cell_));
}
void AnyRef::stop_now() const {
    GYRE_ASSERT(cell_ != nullptr, "an empty AnyRef cannot stop an actor: check it first");
    Cell::send(new Signal(SignalKind::stop_now, *cell_));
}

}  // namespace gyre::actor
