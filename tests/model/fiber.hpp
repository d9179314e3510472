// SPDX-License-Identifier: Apache-2.0
// Fiber: a stack that runs until it switches to another fiber. All fibers of an exploration run on
// one system thread, so nothing here is concurrent. The entry function of a fiber never returns: a
// fiber that is done switches away, again each time it is switched to.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace model {

class Fiber {
public:
    Fiber() = default;  // The stack that the caller runs on already.
    explicit Fiber(std::function<void()> entry);
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    // Called on this fiber; returns when some other fiber switches back.
    void switch_to(Fiber& next);

private:
    static void run_entry(unsigned high, unsigned low);
    void arrived();

    ucontext_t context_{};
    std::function<void()> entry_;
    std::unique_ptr<std::byte[]> stack_;

    // What the address sanitizer must be told of a switch; unused without it.
    [[maybe_unused]] Fiber* came_from_ = nullptr;
    [[maybe_unused]] void* fake_stack_ = nullptr;
    [[maybe_unused]] const void* stack_bottom_ = nullptr;
    [[maybe_unused]] std::size_t stack_size_bytes_ = 0;
};

// While it lives, the leak checker overlooks what is allocated: stacks that are left as they are
// take their objects with them.
class LeaksOverlooked {
public:
    LeaksOverlooked();
    ~LeaksOverlooked();
    LeaksOverlooked(const LeaksOverlooked&) = delete;
    LeaksOverlooked& operator=(const LeaksOverlooked&) = delete;
};

}  // namespace model
