// SPDX-License-Identifier: Apache-2.0
// Station: one end of a connection: the actors that can be reached from the other end, the
// questions of this end that wait for an answer, and the ties between actors of both ends. Any
// thread may use it. It belongs to who connects (a transport that reads, say), and closes when it
// goes: references over it do not hold it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "gyre/actor/any_ref.hpp"
#include "gyre/actor/frame.hpp"
#include "gyre/actor/ties.hpp"

namespace gyre::actor {

class Station : public std::enable_shared_from_this<Station> {
public:
    explicit Station(std::unique_ptr<Transport> out) : out_(std::move(out)), ties_(*this) {}
    ~Station() { close(); }
    Station(const Station&) = delete;
    Station& operator=(const Station&) = delete;

    // not_connected once it is closed.
    [[nodiscard]] Result<void> send(Frame frame);
    // What came from the other end. An error: there is no such actor, or it has no such message.
    Result<void> receive(Frame frame);
    // The connection is lost, or given up, for good: who waits for an answer gets a NodeLost, who
    // watches a Terminated with one, and who is linked fails with one. The other end does the same.
    void close() noexcept;

    using Settle = std::function<void(const Frame* answer)>;  // null: there will be none
    [[nodiscard]] std::uint64_t add_call(Settle settle);
    void drop_call(std::uint64_t call);

    using Take = std::function<Result<void>(const Frame& frame)>;
    // An actor that can be reached under a name: to end it, to watch it, to link with it.
    void add_actor(const std::string& name, AnyRef actor);
    // A message type of it.
    void add_export(const std::string& actor, const std::string& type, Take take);

    [[nodiscard]] Ties& ties() noexcept { return ties_; }

private:
    Result<void> take_message(const Frame& frame);
    Result<void> take_answer(const Frame& frame);
    [[nodiscard]] AnyRef actor_named(const std::string& name);
    [[nodiscard]] Settle take_call(std::uint64_t call);

    const std::unique_ptr<Transport> out_;
    std::mutex mutex_;  // guards what follows, up to the ties
    bool is_closed_ = false;
    std::map<std::string, AnyRef> actors_;
    std::map<std::pair<std::string, std::string>, Take> exports_;
    std::map<std::uint64_t, Settle> calls_;
    std::uint64_t last_call_ = 0;
    Ties ties_;
};

}  // namespace gyre::actor
