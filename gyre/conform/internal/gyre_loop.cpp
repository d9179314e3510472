// SPDX-License-Identifier: Apache-2.0
#include "gyre/conform/internal/gyre_adapters.hpp"

#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "gyre/handle/async.hpp"
#include "gyre/handle/hook.hpp"
#include "gyre/handle/phased_loop.hpp"
#include "gyre/handle/request.hpp"
#include "gyre/handle/timer.hpp"

namespace gyre::conform {
namespace {

// Holds each op until the script finishes or cancels it.
class Keeper final : public Machine {
public:
    Keeper() : Machine("keeper") {}
    using Machine::complete;

private:
    void tick(Instant /*now*/) override {
        while (next_submission() != nullptr) {
        }
        while (Op* op = next_cancellation()) complete(*op, failure(std::errc::operation_canceled));
    }
};

class KeptOp final : public gyre::Request {
public:
    KeptOp() noexcept : Request(OpCode::first_custom) {}
};

struct Request {
    KeptOp op;
    handle::OpRequest request;
};

// Handles of all types by name.
struct AnyHandle {
    std::shared_ptr<void> memory;
    handle::Handle* handle;
    std::function<void()> stop;
};

class GyreLoop final : public LoopAdapter {
public:
    explicit GyreLoop(std::unique_ptr<PlatformSetup> setup) : setup_(std::move(setup)) {
        loop_.add_server(keeper_);
    }
    GyreLoop(const GyreLoop&) = delete;
    GyreLoop& operator=(const GyreLoop&) = delete;
    ~GyreLoop() override {
        for (std::thread& thread : threads_) thread.join();
        for (auto& [name, request] : requests_) {
            if (request->request.is_active()) static_cast<void>(request->request.cancel());
        }
        loop_.walk([](handle::Handle& handle) {
            if (!handle.is_closing()) handle.close();
        });
        while (loop_.run()) {
        }
        loop_.remove_server(keeper_);
    }

    [[nodiscard]] bool has_simulated_time() const override { return setup_->is_simulated(); }

    void start_timer(const Name& name, double delay_ms, double repeat_ms, Callback call) override {
        make<handle::Timer>(name).start([call = std::move(call)](handle::Timer&) { call(); },
                                        from_ms(delay_ms), from_ms(repeat_ms));
    }
    void start_idle(const Name& name, Callback call) override {
        make<handle::Idle>(name).start([call = std::move(call)](handle::Idle&) { call(); });
    }
    void start_prepare(const Name& name, Callback call) override {
        make<handle::Prepare>(name).start([call = std::move(call)](handle::Prepare&) { call(); });
    }
    void start_check(const Name& name, Callback call) override {
        make<handle::Check>(name).start([call = std::move(call)](handle::Check&) { call(); });
    }
    void start_wake(const Name& name, Callback call) override {
        handle::Async& wake = make<handle::Async>(name);
        wake.start([call = std::move(call)](handle::Async&) { call(); });
        wakes_[name] = &wake;
    }
    void send(const Name& wake) override { wakes_.at(wake)->send(); }
    void send_from_thread(const Name& wake) override {
        threads_.emplace_back([sent = wakes_.at(wake)] { sent->send(); });
        // Simulated time cannot wait for a real thread.
        if (!setup_->is_simulated()) return;
        threads_.back().join();
        threads_.pop_back();
    }

    void stop(const Name& handle) override { handles_.at(handle).stop(); }
    void set_ref(const Name& handle, bool has_ref) override {
        handle::Handle& known = *handles_.at(handle).handle;
        has_ref ? known.ref() : known.unref();
    }
    void close(const Name& handle, Callback on_closed) override {
        handles_.at(handle).handle->close(
            [on_closed = std::move(on_closed)](handle::Handle&) { on_closed(); });
    }

    void defer(Callback call) override {
        deferred_.push_back(std::make_unique<handle::Deferred>());
        deferred_.back()->start(loop_, [call = std::move(call)](handle::Deferred&) { call(); });
    }
    void start_request(const Name& name, bool may_wait, OnDone done) override {
        Request& made = *(requests_[name] = std::make_unique<Request>());
        made.op.set_destination(keeper_.ref());
        made.request.set_do_not_wait(!may_wait);
        static_cast<void>(made.request.start(
            loop_, made.op, [done = std::move(done)](handle::OpRequest&, std::int32_t result) {
                done(result < 0 ? std::nullopt : std::optional<int>(result));
            }));
    }
    void finish(const Name& request, int status) override {
        keeper_.complete(requests_.at(request)->op, status);
    }
    void cancel(const Name& request) override {
        static_cast<void>(requests_.at(request)->request.cancel());
    }

    void run(Mode mode) override {
        loop_.run(mode == Mode::once      ? handle::RunMode::once
                  : mode == Mode::no_wait ? handle::RunMode::no_wait
                                          : handle::RunMode::until_done);
    }
    void stop_loop() override { loop_.stop(); }
    [[nodiscard]] bool is_alive() override { return loop_.is_alive(); }
    [[nodiscard]] std::optional<double> timeout_ms() override {
        const std::optional<Duration> timeout = loop_.next_timeout();
        if (!timeout) return std::nullopt;
        return to_ms(*timeout);
    }

    [[nodiscard]] double now_ms() override { return to_ms(loop_.now() - begin_); }
    void update_now() override { loop_.update_now(); }
    void block(double ms) override { setup_->block(ms); }

private:
    template <class Kind>
    Kind& make(const Name& name) {
        auto made = std::make_shared<Kind>(loop_);
        Kind& handle = *made;
        std::function<void()> stop;  // Empty for a wake handle: it can only be closed.
        if constexpr (requires { handle.stop(); }) stop = [&handle] { handle.stop(); };
        handles_[name] = {std::move(made), &handle, std::move(stop)};
        return handle;
    }

    std::unique_ptr<PlatformSetup> setup_;
    Keeper keeper_;
    handle::PhasedLoop loop_{setup_->platform()};
    const Instant begin_ = loop_.now();
    std::map<Name, AnyHandle> handles_;
    std::map<Name, handle::Async*> wakes_;
    std::map<Name, std::unique_ptr<Request>> requests_;
    std::vector<std::unique_ptr<handle::Deferred>> deferred_;
    std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<LoopAdapter> make_gyre_loop(std::unique_ptr<PlatformSetup> setup) {
    return std::make_unique<GyreLoop>(std::move(setup));
}

}  // namespace gyre::conform
