// SPDX-License-Identifier: Apache-2.0
// What waits: how it is resumed, and what it holds, for the collector.
#include "lang/vela/run/internal/thing_async.hpp"

#include <algorithm>
#include <utility>

#include "gyre/base/assert.hpp"
#include "lang/vela/run/internal/vm.hpp"

namespace gyre::vela::vm {

void Chain::grow() {
    auto larger = std::make_unique_for_overwrite<Deferred*[]>(capacity_ * std::size_t{2});
    std::copy_n(data(), size_, larger.get());
    more_ = std::move(larger);
    capacity_ *= 2;
}

VelaTask::VelaTask() noexcept : Thing(Kind::task) {}
VelaTask::~VelaTask() = default;

Step Deferred::resume(Vm& /*vm*/, const Resume& /*with*/) {
    GYRE_ASSERT(false, "a future without a body is resumed");
    return {};
}
Step Frame::resume(Vm& vm, const Resume& with) {
    const Step step = vm.run(*this, with);
    // A plain function, as main may be one, leaves its value in a slot.
    if (step.kind == StepKind::ends && function->code->kind == CodeKind::plain) {
        return {StepKind::ends, Word::nothing()};
    }
    return step;
}
Step NativeFuture::resume(Vm& vm, const Resume& with) {
    return routine->resume(vm, with);
}

void Deferred::add_behind(Waiter waiter) {
    if (others_waiting == nullptr) others_waiting = std::make_unique<std::vector<Waiter>>();
    others_waiting->push_back(std::move(waiter));
}

void Deferred::trace(Marker& marker) {
    marker.mark(result);
    marker.mark(first_waiting);
    if (others_waiting == nullptr) return;
    for (const Waiter& waiter : *others_waiting) {
        marker.mark(waiter.task);
        if (waiter.callback != nullptr) waiter.callback->trace(marker);
    }
}
void Frame::trace(Marker& marker) {
    Deferred::trace(marker);
    if (is_settled()) return;
    for (std::size_t i = 0; i < function->register_count(); ++i) {
        if (function->reps[i] == Rep::word) marker.mark(registers()[i].word());
    }
}
void NativeFuture::trace(Marker& marker) {
    Deferred::trace(marker);
    routine->trace(marker);
}
void TaskHandle::trace(Marker& marker) {
    if (function != nullptr) {
        Frame::trace(marker);
    } else {
        Deferred::trace(marker);
    }
    marker.mark(body);
    marker.mark(task);
    marker.mark(group);
}
void Group::trace(Marker& marker) {
    for (TaskHandle* child : children) marker.mark(child);
    if (failure) marker.mark(*failure);
    marker.mark(task);
    marker.mark(body);
    if (interruption) marker.mark(*interruption);
}
void VelaTask::trace(Marker& marker) {
    for (Deferred* future : chain) marker.mark(future);
    marker.mark(waits_on);
    marker.mark(actor);
    marker.mark(effects);
    marker.mark(next_value);
    if (interrupted != nullptr) interrupted->trace(marker);
}
void Promise::trace(Marker& marker) {
    marker.mark(future);
}
void PromiseFuture::trace(Marker& marker) {
    Deferred::trace(marker);
    marker.mark(promise);
}
void Stream::trace(Marker& marker) {
    marker.mark(frame);
    if (routine != nullptr) routine->trace(marker);
}
void ActorRef::trace(Marker& marker) {
    marker.mark(actor);
    marker.mark(std::span(mailbox).subspan(next_message));
    marker.mark(busy);
    marker.mark(spare);
}

}  // namespace gyre::vela::vm
