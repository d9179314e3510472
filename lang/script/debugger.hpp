// SPDX-License-Identifier: Apache-2.0
// Debugger: an engine's end of the Chrome DevTools protocol, and DebugLink: the host's end, which carries its
// messages. One client at a time.
//
//     auto debugger = program.engine().open_debugger(link);      // null: the engine has none
//     if (is_asked_to_wait) debugger->wait_for_client();
//
// Thread: the script's, except where said.
// Lifetime: the link outlives the debugger; the debugger is made before the script starts, and destroyed
// before the script, when no other thread rings any more.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gyre::script {

class DebugLink {
public:
    // What comes from the client. `none`: nothing waits; `ended`: nothing will come any more.
    enum class Kind : std::uint8_t { none, opened, message, closed, ended };
    struct Event {
        Kind kind = Kind::none;
        std::string text = {};  // of a message: JSON
    };
    virtual ~DebugLink() = default;
    // To the client; dropped where there is none.
    virtual void send(std::string message) = 0;
    [[nodiscard]] virtual Event take() = 0;
    // The same, but waits: the script is paused meanwhile.
    [[nodiscard]] virtual Event wait() = 0;
    // Any thread: `wait` gives `ended` from now on.
    virtual void end_waits() noexcept = 0;
};

class Debugger {
public:
    virtual ~Debugger() = default;
    // Any thread: the link has something. The script takes it soon, also in the middle of a job.
    virtual void ring() noexcept = 0;
    // Before the script starts: it waits until a client lets it run (Runtime.runIfWaitingForDebugger), and
    // pauses before its first line.
    virtual void wait_for_client() = 0;
    // The script has ended: tells the client.
    virtual void tell_end() = 0;
};

}  // namespace gyre::script
