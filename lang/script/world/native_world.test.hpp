// SPDX-License-Identifier: Apache-2.0
// Fixture for tests of natives without a script: an engine that runs no JavaScript and keeps what the
// host tells its library. Virtual time, one thread.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/task/core/executor.hpp"
#include "lang/script/made_call.test.hpp"
#include "lang/script/script.hpp"
#include "tests/support/test_world.hpp"

namespace gyre::script::test {

// What the library's onDone was called with.
struct Told {
    double id = 0;
    double number = 0;
    std::string text;
};

class SilentEngine final : public Engine, private job::JobSource {
public:
    // Of the engine that is made last.
    static inline std::vector<Told>* told = nullptr;
    static std::unique_ptr<Engine> make(const EngineOptions& /*options*/) {
        return std::make_unique<SilentEngine>();
    }

    Outcome start(std::span<const LibraryFile> /*library*/, std::span<const Native> /*natives*/,
                  void* /*host*/, std::string_view /*config*/) override {
        return Outcome::done;
    }
    Outcome call(Hook hook, std::span<const Argument> arguments) override {
        if (hook == Hook::on_done) {
            told->push_back(
                {arguments[0].number, arguments[1].number, std::string(arguments[2].text)});
        }
        return Outcome::done;
    }
    double result() const noexcept override { return 0; }
    Outcome call_with_thrown(Hook /*hook*/) override { return Outcome::done; }
    std::string thrown_text() override { return {}; }
    job::JobSource& microtasks() noexcept override { return *this; }
    std::span<std::int32_t> shared_words() noexcept override { return words_; }
    void terminate() noexcept override {}
    bool is_stopped() const noexcept override { return false; }
    void interrupt() noexcept override {}
    bool withdraw_interrupt() noexcept override { return true; }
    bool is_out_of_memory() const noexcept override { return false; }
    MemoryUse memory() noexcept override { return {}; }
    void collect_garbage() override {}
    void set_task_bell(std::function<void()> /*bell*/) override {}
    void run_tasks() override {}
    bool drain_tasks() override { return false; }
    std::string version() const override { return "none"; }

private:
    std::size_t pending() const noexcept override { return 0; }
    job::JobsRun run_some(std::size_t /*max*/) noexcept override { return {}; }
    void queue(Callback<> /*job*/) override {}

    std::array<std::int32_t, SharedWords::count> words_{};
};

class PermittedSystem final : public System {
public:
    [[nodiscard]] const Permissions* permissions() override {
        return allowed ? &*allowed : nullptr;
    }
    std::optional<Permissions> allowed;
};

// A script that never begins, so that a test calls its natives itself.
struct NativeWorld : gyre::test::TestWorld<Executor> {
    std::vector<Told> told;
    PermittedSystem system;
    Script script{outside.clock, system, engine_of(*this)};

    NativeWorld() {
        app.add_child(script.pump());
        script.start_text("");
    }
    ~NativeWorld() { loop.close(); }

    // Turns until nothing is left to do without a script.
    void settle() { static_cast<void>(loop.run()); }
    // The first event of a number that has not been asked for yet.
    std::optional<Told> take(double id) {
        for (auto one = told.begin(); one != told.end(); ++one) {
            if (one->id != id) continue;
            Told found = std::move(*one);
            told.erase(one);
            return found;
        }
        return std::nullopt;
    }

private:
    static ScriptOptions engine_of(NativeWorld& world) {
        SilentEngine::told = &world.told;
        return {.engine = SilentEngine::make};
    }
};

}  // namespace gyre::script::test
