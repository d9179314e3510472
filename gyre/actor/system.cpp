// SPDX-License-Identifier: Apache-2.0
#include "gyre/actor/system.hpp"

#include <utility>

#include "gyre/actor/internal/signal.hpp"
#include "gyre/actor/internal/system_state.hpp"
#include "gyre/task/thread/on.hpp"

namespace gyre::actor {

System::System(SystemOptions options) : state_(std::make_shared<SystemState>(std::move(options))) {}

System::~System() {
    state_->for_each_host([](ActorHost& host) {
        GYRE_ASSERT(host.is_here(), "stop the system first: loop '%s' still has actors of it",
                    host.name().c_str());
        host.abandon();
    });
}

AnyRef System::find_any(const std::string& name) const {
    return state_->find(name);
}

std::uint64_t System::dead_letter_count() const noexcept {
    return state_->dead_letter_count();
}

void System::stop() noexcept {
    state_->for_each_host([](ActorHost& host) { host.stop(Life::draining); });
}

void System::stop_now() noexcept {
    state_->for_each_host([](ActorHost& host) { host.stop(Life::stopping); });
}

std::string System::dump_actors() const {
    std::string text;
    state_->for_each_host([&text](ActorHost& host) {
        if (host.is_here()) text += host.dump();
    });
    return text;
}

namespace {

Future<std::string> dump_there(ActorHost* host) {
    co_return host->is_closed() ? std::string() : host->dump();
}
Future<std::string> dump_elsewhere(ActorHost* host) {
    co_return co_await on(host->app_ref(), dump_there, host);
}

}  // namespace

Future<std::string> System::dump_all_actors() const {
    std::vector<ActorHost*> hosts;
    state_->for_each_host([&hosts](ActorHost& host) {
        host.share();
        hosts.push_back(&host);
    });
    std::string text;
    for (ActorHost* host : hosts) {
        if (host->is_here()) {
            text += host->dump();
        } else {
            const auto dumped = co_await try_(dump_elsewhere(host));
            if (dumped) text += *dumped;
        }
        host->drop();
    }
    co_return text;
}

ActorHost* System::host_elsewhere(SystemState& state, const Place& place) {
    GYRE_ASSERT(ActorHost::here() != nullptr,
                "spawn actors on a loop that the system has opened (System::open)");
    if (place.kind == Place::Kind::here) return nullptr;
    ActorHost* const host =
        place.kind == Place::Kind::spread ? state.next_host() : state.host_named(place.loop);
    if (host == nullptr) {
        throw ActorError(std::errc::no_such_device_or_address,
                         "no loop of the system is named '" + place.loop + "'");
    }
    return host;
}

void System::launch(Cell& cell, Cell* parent) {
    ActorHost& host = cell.host();
    const bool has_name = cell.has_name();
    if (has_name && !host.system().add_name(cell.name(), cell)) throw NameTaken(cell.name());
    if (parent != nullptr) parent->add_child(cell);
    if (!cell.is_here()) {
        Cell::send(new Signal(SignalKind::start, cell));
        return;
    }
    try {
        cell.start_here();
    } catch (...) {
        if (parent != nullptr) parent->forget_child(cell);
        if (has_name) host.system().remove_name(cell.name());
        throw;
    }
}

}  // namespace gyre::actor
