// SPDX-License-Identifier: Apache-2.0
// Passive: the handle of gyre behind one of the interface that has no operation of its own there,
// only activity, references and a close. The loop's thread.
#pragma once

#include "gyre/handle/phased_loop.hpp"

namespace gyre::uv {

class Passive final : public handle::Handle {
public:
    Passive(handle::PhasedLoop& loop, const char* kind) noexcept
        : Handle(loop, std::source_location::current()), kind_(kind) {}
    ~Passive() = default;
    [[nodiscard]] const char* kind() const noexcept override { return kind_; }
    // The close waits for what was begun.
    void hold() noexcept { ++held_; }
    void let_go() noexcept { --held_; }
    void set_active(bool value) noexcept {
        if (value) {
            activate();
        } else {
            deactivate();
        }
    }

private:
    void on_close() noexcept override {}
    [[nodiscard]] bool may_finish() const noexcept override { return held_ == 0; }

    const char* kind_;
    int held_ = 0;
};

}  // namespace gyre::uv
