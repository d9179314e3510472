// SPDX-License-Identifier: Apache-2.0
// The functions of the checker that scenarios and atomics call, on top of the current Engine.
#include "model.hpp"

#include <utility>

#include "engine.hpp"
#include "fiber.hpp"

namespace model {

Outcome explore(const Options& options, const std::function<void(Run&)>& scenario) {
    const LeaksOverlooked overlooked;
    return Engine(options, scenario).explore();
}

void Run::thread(std::string_view name, std::function<void()> body) {
    engine_.add_thread(name, std::move(body));
}

void Run::start_and_join() {
    engine_.start_and_join();
}

void Run::name_bytes(const void* object, std::size_t size_bytes, std::string_view text) {
    engine_.trace().set_name(object, size_bytes, text);
}

void require(bool holds, std::string_view what) {
    if (!holds) Engine::current()->fail("does not hold: " + std::string(what));
}

void wait_until(const std::function<bool()>& is_true) {
    Engine::current()->wait_until("goes on", nullptr, is_true);
}

void yield() noexcept {
    if (Engine* engine = Engine::current()) engine->yield();
}

void Parker::park() {
    Engine& engine = *Engine::current();
    engine.wait_until("park", this, [this] { return is_token_there_; });
    is_token_there_ = false;
    engine.memory().known_to(engine.running()).join(message_);
}

void Parker::unpark() {
    Engine& engine = *Engine::current();
    engine.signal("unpark", this);
    is_token_there_ = true;
    engine.memory().release(engine.running(), message_);
}

void AccessLog::read() const {
    Engine* engine = Engine::current();
    if (engine == nullptr) return;
    const std::size_t reader = engine->running();
    const Knowledge& known = engine->memory().known_to(reader);
    engine->trace().add(
        {.thread = reader, .operation = "read", .shape = Step::Shape::on_object, .object = this});
    if (written_at_ > known.clock[writer_]) {
        engine->fail("data race on " + engine->trace().name_of_address(this) + ": " +
                     engine->trace().thread_name(reader) + " reads what " +
                     engine->trace().thread_name(writer_) + " writes");
    }
    read_at_[reader] = known.clock[reader];
}

void AccessLog::write(const char* operation) {
    Engine* engine = Engine::current();
    if (engine == nullptr) return;
    const std::size_t writer = engine->running();
    const Knowledge& known = engine->memory().known_to(writer);
    engine->trace().add({.thread = writer,
                         .operation = operation,
                         .shape = Step::Shape::on_object,
                         .object = this});
    for (std::size_t other = 0; other < threads_max; ++other) {
        const bool is_unordered_write = other == writer_ && written_at_ > known.clock[other];
        const bool is_unordered_read = read_at_[other] > known.clock[other];
        if (is_unordered_write || is_unordered_read) {
            engine->fail("data race on " + engine->trace().name_of_address(this) + ": " +
                         engine->trace().thread_name(writer) + " writes what " +
                         engine->trace().thread_name(other) +
                         (is_unordered_write ? " writes" : " reads"));
        }
    }
    writer_ = writer;
    written_at_ = known.clock[writer];
}

namespace detail {

std::uint64_t load(Cell& cell, std::memory_order order) noexcept {
    Engine* engine = Engine::current();
    return engine == nullptr ? cell.newest : engine->load(cell, order);
}

void store(Cell& cell, std::memory_order order, std::uint64_t value) noexcept {
    Engine* engine = Engine::current();
    if (engine != nullptr) return engine->store(cell, order, value);
    cell.newest = value;
}

std::uint64_t update(const char* operation, Cell& cell, std::memory_order order, Update compute,
                     std::uint64_t argument) noexcept {
    Engine* engine = Engine::current();
    if (engine != nullptr) return engine->update(operation, cell, order, compute, argument);
    return std::exchange(cell.newest, compute(cell.newest, argument));
}

bool compare_exchange(Cell& cell, std::uint64_t& expected, const Exchange& exchange) noexcept {
    Engine* engine = Engine::current();
    if (engine != nullptr) return engine->compare_exchange(cell, expected, exchange);
    const bool matches = cell.newest == expected;
    expected = cell.newest;
    if (matches) cell.newest = exchange.desired;
    return matches;
}

}  // namespace detail
}  // namespace model
