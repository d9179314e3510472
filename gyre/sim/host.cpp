// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/host.hpp"

#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/sim/internal/host_node.hpp"
#include "gyre/sim/internal/host_thread.hpp"
#include "gyre/sim/internal/sim_host.hpp"
#include "gyre/sim/world.hpp"

namespace gyre::sim {
namespace {

Ipv4 ip_of(std::uint32_t number) noexcept {
    return {10, 0, static_cast<std::uint8_t>(number >> 8u), static_cast<std::uint8_t>(number)};
}

}  // namespace

constinit thread_local Host* Host::current_ = nullptr;

Host::Host(World& world, SharedSim& shared, std::uint32_t number, HostOptions options,
           HostProgram program)
    : world_(world),
      number_(number),
      options_(std::move(options)),
      program_(std::move(program)),
      machine_(std::make_unique<SimHost>(shared, options_.limits, &memory_)) {
    network().join_wire(world.wire(), mapped(ip_of(number)));
    network().set_up(false);
    world.wire().add_name(options_.name, ip_of(number));
    machine_->host_calls().join_wire(world.wire());
}

Host::~Host() {
    abandon();
}

Address Host::address(std::uint16_t port) const noexcept {
    return Address::ipv4(ip_of(number_), port);
}

Network& Host::network() noexcept {
    return machine_->network();
}

Loop& Host::loop(std::size_t index) noexcept {
    return *nodes_[index]->loop;
}

Machine& Host::app(std::size_t index) noexcept {
    return *nodes_[index]->app;
}

bool Host::is_running() const noexcept {
    return !nodes_.empty() || (thread_ != nullptr && !thread_->exit_code());
}

std::optional<int> Host::exit_code() const noexcept {
    return thread_ == nullptr ? std::nullopt : thread_->exit_code();
}

std::unique_ptr<SimPlatform> Host::make_platform() {
    GYRE_ASSERT(current_ == this && thread_ != nullptr,
                "host %s: a platform is made by its own `main`", name().c_str());
    return std::unique_ptr<SimPlatform>(new SimPlatform(*machine_, thread_));
}

VirtualClock& Host::clock() noexcept {
    return machine_->context().clock;
}

std::string Host::describe() const {
    return thread_ == nullptr ? std::string() : thread_->describe();
}

bool Host::is_server() const noexcept {
    return machine_->network().serves();
}

// ---- Life ----

void Host::start() {
    GYRE_ASSERT(!is_running(), "host %s runs already", name().c_str());
    GYRE_ASSERT(options_.loop_count > 0, "host %s has no loop", name().c_str());
    network().set_up(true);
    paused_until_ = {};
    ++start_count_;
    if (program_.main) {
        HostThread::end(thread_);
        thread_ = new HostThread(*this, machine_->context(), program_.main);
        return;
    }
    std::vector<Node*> made;
    {
        const HostMemory::Use inside(&memory_);
        peers_ = new Peers(options_.loop_count);
        for (std::uint32_t i = 0; i < options_.loop_count; ++i) {
            made.push_back(new Node(*this, program_.make_app(*this), *peers_, i + 1));
        }
    }
    nodes_.assign(made.begin(), made.end());
    {
        const HostMemory::Use inside(&memory_);
        made = {};
    }
    if (!program_.on_started) return;
    for (Node* const node : nodes_) {
        const Turn inside(*this, *node);
        program_.on_started(*this, *node->loop, *node->app);
    }
}

HostRemains Host::stop() {
    if (!is_running()) return {};
    if (thread_ != nullptr) {
        const HostRemains remains{.descriptor_count = descriptor_count()};
        kill();
        return remains;
    }
    world_.close(*this);
    for (Node* const node : nodes_) {
        const LoopLocals::Use locals(node->locals);
        node->loop.reset();
    }
    HostRemains remains{.descriptor_count = descriptor_count()};
    for (Node* const node : nodes_) {
        node->platform.abandon();
        LoopLocals last = node->locals;
        const LoopLocals::Use locals(last);
        delete node;
    }
    nodes_.clear();
    delete peers_;
    remains.allocation_count = memory_.allocation_count();
    memory_.drop();
    machine_->context().descriptors.close_all();
    return remains;
}

void Host::abandon() noexcept {
    HostThread::end(std::exchange(thread_, nullptr));
    for (Node* const node : nodes_) node->platform.abandon();
    nodes_.clear();
    memory_.drop();
}

void Host::kill() {
    if (!is_running()) return;
    abandon();
    machine_->context().descriptors.close_all();
}

void Host::crash_after_changes(std::uint64_t count) noexcept {
    GYRE_ASSERT(count > 0, "a crash after no change: use crash()");
    machine_->context().changes_left = count;
}

bool Host::has_lost_disk() const noexcept {
    return machine_->context().changes_left == 0u;
}

void Host::crash() {
    machine_->context().changes_left.reset();
    if (!is_running() && !network().is_up()) return;
    abandon();
    network().lose_sockets();
    network().set_up(false);
    machine_->files().crash();
}

// ---- Faults ----

DiskFaults& Host::disk() noexcept {
    return machine_->context().disk;
}

SystemFaults& Host::system() noexcept {
    return machine_->context().system;
}

std::int64_t unix_nanoseconds() noexcept {
    Host* const host = Host::current();
    return host == nullptr ? 0 : host->wall_clock().at(host->world().now());
}

UnixSeconds unix_seconds() noexcept {
    return unix_nanoseconds() / 1'000'000'000;
}

void Host::set_descriptor_count_max(int count_max) {
    machine_->context().descriptors.set_count_max(count_max);
}

bool Host::rot(std::string_view path) {
    return machine_->files().rot(path);
}

void Host::put_file(const std::string& path, std::string_view content) {
    machine_->files().put(path, content);
    machine_->files().sync_all();
}

std::optional<std::string> Host::file_content(std::string_view path) {
    return machine_->files().get(path);
}

int Host::descriptor_count() const noexcept {
    return machine_->context().descriptors.count();
}

}  // namespace gyre::sim
