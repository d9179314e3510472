// SPDX-License-Identifier: Apache-2.0
#include "tests/platforms/world.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace gyre::test {
namespace {

using std::chrono::milliseconds;

// No op of these tests takes that long: one that does never completes.
constexpr Duration patience = std::chrono::seconds(30);

}  // namespace

std::unique_ptr<World> World::make(std::string_view name, const WorldOptions& options,
                                   std::string& refusal) {
    try {
        return std::make_unique<World>(name, options);
    } catch (const PlatformRefused& refused) {
        refusal = refused.what();
        return nullptr;
    }
}

World::World(std::string_view name, const WorldOptions& options)
    : TestWorld({.name = name,
                 .thread_count = 1,
                 .queued_count_max = options.queued_work_max,
                 .sim = {.work_count_max = options.queued_work_max}},
                options.loop) {}

World::~World() {
    loop().close();
    if (is_simulated()) return;
    for (const std::string& file : files_) std::remove(file.c_str());
}

void World::raise(int signal_number) {
    if (is_simulated()) {
        outside.sim->raise(signal_number);
    } else {
        EXPECT_EQ(std::raise(signal_number), 0);
    }
}

void World::turn() {
    const Instant limit = loop().now() + patience;
    loop().turn(limit);
    GYRE_ASSERT(loop().now() < limit, "nothing happens any more; in flight:\n%s",
                loop().describe_ops().c_str());
}

std::int32_t World::finish(Op& op) {
    while (op.is_in_flight()) turn();
    return op.result();
}

std::int32_t World::run(Op& op) {
    app.start(op);
    return finish(op);
}

std::int32_t World::cancel(Op& op) {
    app.stop(op);
    return finish(op);
}

// Three sleeps, each from the current time and not from the loop's last turn: on a busy machine a
// sleep may be over before the platform has polled the system, or the poll may be interrupted.
void World::settle() {
    for (int i = 0; i < 3; ++i) {
        TimerOp pause(platform().now() + milliseconds(1));
        app.start(pause);
        finish(pause);
        std::erase(app.done, &pause);
    }
}

void World::turn_until_rung(const Op& op, std::size_t times) {
    while (rings_of(op) < times) turn();
}

std::size_t World::rings_of(const Op& op) const {
    return static_cast<std::size_t>(std::count(app.rung.begin(), app.rung.end(), &op));
}

std::size_t World::completions_of(const Op& op) const {
    return static_cast<std::size_t>(std::count(app.done.begin(), app.done.end(), &op));
}

// Compares addresses only: other completed ops may have been destroyed.
std::vector<const Op*> World::order_of(const std::vector<const Op*>& ops) const {
    std::vector<const Op*> order;
    for (const Op* op : app.done) {
        if (std::find(ops.begin(), ops.end(), op) != ops.end()) order.push_back(op);
    }
    return order;
}

void World::close(Fd fd) {
    CloseOp op(fd);
    EXPECT_EQ(run(op), 0);
}

std::int32_t World::send(Fd fd, std::string_view text) {
    SendOp op(fd, bytes_of(text));
    return run(op);
}

std::string World::receive(Fd fd, std::size_t size_max) {
    std::string text(size_max, '\0');
    ReceiveOp op(fd, std::as_writable_bytes(std::span(text)));
    const std::int32_t size = run(op);
    EXPECT_GE(size, 0) << Error::of_result(size).message();
    text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return text;
}

Fd World::open(const std::string& path, OpenOptions options) {
    OpenOp op(path, options);
    const Fd fd = run(op);
    if (fd < 0) throw std::runtime_error("cannot open: " + Error::of_result(fd).message());
    return fd;
}

Fd World::listen(const Address& at, ListenOptions options) {
    return sockets().listen(at, options).value();
}

Fd World::stream(Address::Family family) {
    return sockets().stream(family).value();
}

Address World::address_of(Fd fd) {
    return sockets().local_address(fd).value();
}

std::array<Fd, 2> World::connected() {
    const Fd listener = listen();
    const Fd client = stream();
    AcceptOp accept(listener);
    ConnectOp connect(client, address_of(listener));
    app.start(accept);
    EXPECT_EQ(run(connect), 0);
    const Fd server = finish(accept);
    EXPECT_GE(server, 0);
    close(listener);
    return {client, server};
}

std::size_t World::fill(Fd fd, SendOp& op) {
    static const std::vector<std::byte> block(std::size_t{256} * 1024);
    std::size_t taken = 0;
    SendOp filler(fd, block);
    const auto count = [&taken](std::int32_t result) {
        if (result > 0) taken += static_cast<std::size_t>(result);
    };
    // A full socket may get room again when the system enlarges a buffer: then send once more.
    for (;;) {
        app.start(filler);
        settle();
        count(cancel(filler));
        if (!filler.is_cancelled()) continue;
        app.start(op);
        settle();
        if (op.is_in_flight()) return taken;
        count(op.result());
    }
}

std::string World::file_path(std::string_view name) {
    files_.push_back(testing::TempDir() + "gyre-platforms-" + std::to_string(::getpid()) + "-" +
                     std::string(name));
    return files_.back();
}

Address World::unix_address(std::string_view name) {
    const std::string path = std::string(1, '\0') + "gyre-platforms-" + std::to_string(::getpid()) +
                             "-" + std::string(name);
    return Address::unix_path(path).value();
}

Pair::Pair(World& in) : world(in) {
    const std::array<Fd, 2> made = world.sockets().connection_pair().value();
    near = made[0];
    far = made[1];
}

Pair::~Pair() {
    for (const Fd fd : {near, far}) {
        if (fd >= 0) world.sockets().close_now(fd);
    }
}

void Pair::close_near() {
    world.close(std::exchange(near, -1));
}

void Pair::close_far() {
    world.close(std::exchange(far, -1));
}

void Pair::write_far(std::string_view text) const {
    EXPECT_EQ(world.send(far, text), static_cast<std::int32_t>(text.size()));
}

void OnPlatform::make_world(const WorldOptions& options) {
    world.reset();
    std::string refusal;
    world = World::make(GetParam(), options, refusal);
    if (world != nullptr) return;
    GYRE_SKIP_REFUSED(GetParam(), refusal);
}

}  // namespace gyre::test
