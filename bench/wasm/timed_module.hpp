// SPDX-License-Identifier: Apache-2.0
// TimedModule: a module whose instances measure the time spent in the engine: the rest of a step is the host's. One
// thread; outlives its instances.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bench/stopwatch.hpp"
#include "lang/wasm/engine.hpp"

namespace gyre::bench {

struct EngineTime {
    double inside_ns = 0;           // of all calls
    std::uint64_t whole_calls = 0;  // on a stack of their own, stoppable
    std::uint64_t brief_calls = 0;
};

class TimedInstance final : public wasm::Instance {
public:
    TimedInstance(std::unique_ptr<wasm::Instance> inner, EngineTime& time)
        : inner_(std::move(inner)), time_(time) {}

    wasm::Progress begin() override { return inner_->begin(); }
    wasm::Progress begin_call(Function function, std::span<const wasm::Cell> arguments) override {
        ++time_.whole_calls;
        const Stopwatch watch;
        const wasm::Progress progress = inner_->begin_call(function, arguments);
        time_.inside_ns += watch.elapsed_ns();
        return progress;
    }
    wasm::Progress go_on() override {
        const Stopwatch watch;
        const wasm::Progress progress = inner_->go_on();
        time_.inside_ns += watch.elapsed_ns();
        return progress;
    }
    wasm::Cell call(Function function, std::span<const wasm::Cell> arguments) override {
        ++time_.brief_calls;
        const Stopwatch watch;
        const wasm::Cell result = inner_->call(function, arguments);
        time_.inside_ns += watch.elapsed_ns();
        return result;
    }
    std::size_t result_count() const noexcept override { return inner_->result_count(); }
    wasm::Cell result(std::size_t at) const override { return inner_->result(at); }
    void abandon() noexcept override { inner_->abandon(); }
    std::optional<Function> find(std::string_view name) override { return inner_->find(name); }
    bool use_memory(std::string_view name) override { return inner_->use_memory(name); }
    std::span<std::byte> memory() override { return inner_->memory(); }
    bool grow_memory(std::size_t size_bytes) override { return inner_->grow_memory(size_bytes); }
    std::optional<std::int32_t> global(std::string_view name) override {
        return inner_->global(name);
    }
    void set_global(std::string_view name, std::int32_t value) override {
        inner_->set_global(name, value);
    }
    wasm::Ref clone(wasm::Ref reference) override { return inner_->clone(reference); }
    void release(wasm::Ref reference) noexcept override { inner_->release(reference); }
    std::size_t ref_count() const noexcept override { return inner_->ref_count(); }

private:
    std::unique_ptr<wasm::Instance> inner_;
    EngineTime& time_;
};

class TimedModule final : public wasm::Module {
public:
    explicit TimedModule(std::shared_ptr<wasm::Module> inner) : inner_(std::move(inner)) {}

    const std::vector<wasm::Item>& imports() const noexcept override { return inner_->imports(); }
    const std::vector<wasm::Item>& exports() const noexcept override { return inner_->exports(); }
    std::string_view bytes() const noexcept override { return inner_->bytes(); }
    std::unique_ptr<wasm::Instance> make_instance(const wasm::InstanceLimits& limits,
                                                  std::vector<wasm::HostImport> given) override {
        return std::make_unique<TimedInstance>(inner_->make_instance(limits, std::move(given)),
                                               time);
    }

    EngineTime time;

private:
    std::shared_ptr<wasm::Module> inner_;
};

}  // namespace gyre::bench
