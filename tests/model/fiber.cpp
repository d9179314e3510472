// SPDX-License-Identifier: Apache-2.0
// Fibers on ucontext. The address sanitizer keeps books on each stack and is told of every switch,
// so that the sources under test can be explored with it on.
#include "fiber.hpp"

#include <cstdint>
#include <cstdlib>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#    define MODEL_ADDRESS_SANITIZER
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer)
#        define MODEL_ADDRESS_SANITIZER
#    endif
#endif

#ifdef MODEL_ADDRESS_SANITIZER
#    include <sanitizer/common_interface_defs.h>
#    include <sanitizer/lsan_interface.h>
#endif

namespace model {
namespace {

constexpr std::size_t stack_size_bytes = 256 * 1024;

}  // namespace

Fiber::Fiber(std::function<void()> entry)
    : entry_(std::move(entry)),
      stack_(std::make_unique_for_overwrite<std::byte[]>(stack_size_bytes)),
      stack_bottom_(stack_.get()),
      stack_size_bytes_(stack_size_bytes) {
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack_.get();
    context_.uc_stack.ss_size = stack_size_bytes;
    context_.uc_link = nullptr;
    // makecontext passes ints only: a pointer travels in two halves.
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&context_, reinterpret_cast<void (*)()>(&Fiber::run_entry), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
}

void Fiber::switch_to(Fiber& next) {
    next.came_from_ = this;
#ifdef MODEL_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(&fake_stack_, next.stack_bottom_, next.stack_size_bytes_);
#endif
    swapcontext(&context_, &next.context_);
    arrived();
}

void Fiber::arrived() {
#ifdef MODEL_ADDRESS_SANITIZER
    // The first switch reports the stack of the system thread: there is no other way to learn it.
    __sanitizer_finish_switch_fiber(fake_stack_, &came_from_->stack_bottom_,
                                    &came_from_->stack_size_bytes_);
#endif
}

void Fiber::run_entry(unsigned high, unsigned low) {
    const auto address = (static_cast<std::uintptr_t>(high) << 32) | low;
    auto* self = reinterpret_cast<Fiber*>(address);
    self->arrived();
    self->entry_();
    std::abort();
}

LeaksOverlooked::LeaksOverlooked() {
#ifdef MODEL_ADDRESS_SANITIZER
    __lsan_disable();
#endif
}

LeaksOverlooked::~LeaksOverlooked() {
#ifdef MODEL_ADDRESS_SANITIZER
    __lsan_enable();
#endif
}

}  // namespace model
