// SPDX-License-Identifier: Apache-2.0
// SignalWatch: the signals that a script listens to, as standing ops of a machine beside the pump.
// A signal becomes a callback of the poll phase. A watch does not keep the loop alive. The loop's
// thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "gyre/io/io_ops.hpp"
#include "gyre/kernel/machine.hpp"

namespace gyre::script {

class SignalWatch final : public Machine {
public:
    explicit SignalWatch(std::function<void(int)> on_signal)
        : Machine("script signals"), on_signal_(std::move(on_signal)) {}

    // When it is attached.
    void start(int number) {
        Watch& watch = watches_[number];
        watch.is_wanted = true;
        if (watch.op != nullptr && watch.op->is_in_flight()) return;
        watch.op = std::make_unique<SignalOp>(number);
        watch.op->set_background(true);
        watch.op->set_destination(platform_ref());
        submit(*watch.op);
    }
    void stop(int number) {
        const auto found = watches_.find(number);
        if (found == watches_.end()) return;
        found->second.is_wanted = false;
        cancel(*found->second.op);
    }
    [[nodiscard]] bool is_watched(int number) const {
        const auto found = watches_.find(number);
        return found != watches_.end() && found->second.is_wanted;
    }

private:
    struct Watch {
        std::unique_ptr<SignalOp> op;
        bool is_wanted = false;
    };

    void tick(Instant /*now*/) override {
        // An op that was cancelled and is wanted again is submitted when it is back.
        while (Op* op = next_completion()) {
            Watch& watch = watches_[static_cast<SignalOp*>(op)->signal_number];
            if (!watch.is_wanted || !op->is_cancelled()) continue;
            watch.op->count = 0;
            submit(*watch.op);
        }
        while (StandingOp* op = next_notification()) {
            auto* signal = static_cast<SignalOp*>(op);
            for (std::uint32_t left = signal->take_count(); left > 0; --left) {
                if (watches_[signal->signal_number].is_wanted) on_signal_(signal->signal_number);
            }
        }
    }
    void on_close() override {
        for (auto& [number, watch] : watches_) {
            watch.is_wanted = false;
            cancel(*watch.op);
        }
    }

    std::function<void(int)> on_signal_;
    std::map<int, Watch> watches_;
};

}  // namespace gyre::script
