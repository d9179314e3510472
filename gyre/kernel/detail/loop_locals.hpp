// SPDX-License-Identifier: Apache-2.0
// LoopLocals: what modules above the kernel keep for the loop that turns on this thread, as pointers.
// Where a thread has one loop, they are variables of the thread. A simulation that turns the loops of
// several hosts on one thread exchanges them around each turn. One thread.
#pragma once

#include <cstdint>
#include <utility>

namespace gyre {

struct LoopLocals {
    // The actors of this loop (ActorHost).
    void* actors = nullptr;

    // While one exists, these are the locals of the thread.
    class Use {
    public:
        explicit Use(LoopLocals& locals) noexcept : locals_(locals) { std::swap(locals_, current); }
        ~Use() { std::swap(locals_, current); }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

    private:
        LoopLocals& locals_;
    };

    static LoopLocals& here() noexcept { return current; }

private:
    static thread_local LoopLocals current;
};

inline constinit thread_local LoopLocals LoopLocals::current{};

}  // namespace gyre
