// SPDX-License-Identifier: Apache-2.0
#include "gyre/actor/system.hpp"

#include <utility>

#include "gyre/actor/errors.hpp"
#include "gyre/task/on.hpp"

namespace gyre::actor {

constinit thread_local Cell* Making::now_ = nullptr;

// ---- what is shared

void SystemState::count_dead_letter(const Cell& cell, const std::type_info& message) noexcept {
    dead_letters_.fetch_add(1, std::memory_order_relaxed);
    if (options.on_dead_letter) options.on_dead_letter(DeadLetter{cell.name(), message});
}

bool SystemState::add_name(const std::string& name, Cell& cell) {
    const std::lock_guard lock(mutex_);
    return names_.try_emplace(name, AnyRef(cell)).second;
}

void SystemState::remove_name(const std::string& name) noexcept {
    AnyRef last;  // goes outside of the lock
    const std::lock_guard lock(mutex_);
    const auto found = names_.find(name);
    if (found == names_.end()) return;
    last = std::move(found->second);
    names_.erase(found);
}

AnyRef SystemState::find(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = names_.find(name);
    return found == names_.end() ? AnyRef() : found->second;
}

void SystemState::add_host(Host& host) {
    const std::lock_guard lock(mutex_);
    hosts_.push_back(&host);
}

void SystemState::remove_host(Host& host) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase(hosts_, &host);
}

Host* SystemState::host_named(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    for (Host* host : hosts_) {
        if (host->name() != name) continue;
        host->share();
        return host;
    }
    return nullptr;
}

Host* SystemState::next_host() noexcept {
    const std::lock_guard lock(mutex_);
    if (hosts_.empty()) return nullptr;
    Host* host = hosts_[next_host_++ % hosts_.size()];
    host->share();
    return host;
}

void SystemState::for_each_host(const std::function<void(Host&)>& visit) const {
    std::vector<Host*> hosts;
    {
        const std::lock_guard lock(mutex_);
        hosts = hosts_;
        for (Host* host : hosts) host->share();
    }
    for (Host* host : hosts) {
        visit(*host);
        host->drop();
    }
}

// ---- the system

System::~System() {
    state_->for_each_host([](Host& host) {
        GYRE_ASSERT(host.is_here(), "a system goes while loop '%s' still has its actors: stop it",
                    host.name().c_str());
        host.abandon();
    });
}

void System::stop() noexcept {
    state_->for_each_host([](Host& host) { host.stop(Life::draining); });
}

void System::stop_now() noexcept {
    state_->for_each_host([](Host& host) { host.stop(Life::stopping); });
}

std::string System::dump_actors() const {
    std::string text;
    state_->for_each_host([&text](Host& host) {
        if (host.is_here()) text += host.dump();
    });
    return text;
}

namespace {

Future<std::string> dump_there(Host* host) {
    co_return host->is_closed() ? std::string() : host->dump();
}
Future<std::string> dump_elsewhere(Host* host) {
    co_return co_await on(host->app_ref(), dump_there, host);
}

}  // namespace

Future<std::string> System::dump_all_actors() const {
    std::vector<Host*> hosts;
    state_->for_each_host([&hosts](Host& host) {
        host.share();
        hosts.push_back(&host);
    });
    std::string text;
    for (Host* host : hosts) {
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

Host* System::host_elsewhere(SystemState& state, const Place& place) {
    GYRE_ASSERT(Host::here() != nullptr, "actors are spawned on a loop that the system has opened");
    if (place.kind == Place::Kind::here) return nullptr;
    Host* const host =
        place.kind == Place::Kind::spread ? state.next_host() : state.host_named(place.loop);
    if (host == nullptr) {
        throw ActorError(std::errc::no_such_device_or_address,
                         "no loop of the system is named '" + place.loop + "'");
    }
    return host;
}

void System::launch(Cell& cell, Cell* parent) {
    Host& host = cell.host();
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

// ---- references

std::uint64_t AnyRef::id() const noexcept {
    return cell_->id();
}
std::string AnyRef::name() const {
    return cell_ == nullptr ? "nobody" : cell_->name();
}
bool AnyRef::is_ended() const noexcept {
    return cell_->life() == Life::ended;
}
std::uint32_t AnyRef::mailbox_length() const noexcept {
    return cell_->length();
}
Counts AnyRef::counts() const noexcept {
    GYRE_ASSERT(cell_->is_here(), "what an actor did is asked on its own loop");
    return cell_->counts();
}
void AnyRef::stop() const {
    Cell::send(new Signal(SignalKind::stop, *cell_));
}
void AnyRef::stop_now() const {
    Cell::send(new Signal(SignalKind::stop_now, *cell_));
}

}  // namespace gyre::actor
