// SPDX-License-Identifier: Apache-2.0
#include "gyre/conform/internal/gyre_adapters.hpp"

#include <map>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "gyre/kernel/loop.hpp"
#include "gyre/sim/world.hpp"

namespace gyre::conform {
namespace {

constexpr std::int32_t cancelled = failure(std::errc::operation_canceled);

class NamedOp final : public gyre::Request {
public:
    NamedOp() noexcept : Request(OpCode::first_custom) {}
};
class NamedStandingOp final : public StandingOp {
public:
    NamedStandingOp() noexcept : StandingOp(OpCode::first_custom_standing) {}
    int written = 0;  // the shared memory: the server adds items, the initiator takes them
};

// Shared by all machines of a scenario.
struct Cast {
    [[nodiscard]] const std::string& name_of(const Op& op) const { return names.at(&op); }

    KernelObserver* observer = nullptr;
    std::map<const Op*, std::string> names;
    std::uint64_t in_flight = 0;
    std::uint64_t held = 0;
};

// Completes each op with the number of ops so far. It may run on another thread, so it uses only
// its own members.
class Echo final : public Machine {
public:
    Echo() : Machine("echo") {}

private:
    void tick(Instant /*now*/) override {
        while (Op* op = next_submission()) complete(*op, ++count_);
    }
    std::int32_t count_ = 0;
};

// A machine of the script: reports to the observer, and acts as the script says.
class Role final : public Machine {
public:
    Role(Cast& cast, const std::string& name) : Machine(name.c_str()), cast_(cast), name_(name) {}

    void start(Op& op) {
        ++cast_.in_flight;
        own_.insert(&op);
        submit(op);
    }
    void answer_with(Op& op, std::int32_t result) {
        --cast_.held;
        served_.erase(&op);
        complete(op, result);
    }
    using Machine::cancel;
    using Machine::loop;
    using Machine::notify;

private:
    void tick(Instant /*now*/) override {
        while (Op* op = next_submission()) {
            ++cast_.held;
            served_.insert(op);
            cast_.observer->gets(name_, cast_.name_of(*op));
        }
        while (Op* op = next_cancellation()) {
            cast_.observer->is_asked_to_cancel(name_, cast_.name_of(*op));
        }
        while (StandingOp* op = next_notification()) {
            read_shared(*op);
        }
        while (Op* op = next_completion()) {
            --cast_.in_flight;
            own_.erase(op);
            // The completion replaces a notification in flight, so new items are read here too.
            if (op->is_standing()) read_shared(*op);
            const bool is_back_early = op->is_cancelled();
            cast_.observer->has(name_, cast_.name_of(*op),
                                is_back_early ? std::nullopt : std::optional(op->result()));
        }
    }
    void read_shared(Op& op) {
        const int items = std::exchange(static_cast<NamedStandingOp&>(op).written, 0);
        if (items > 0) cast_.observer->hears(name_, cast_.name_of(op), items);
    }
    void on_child_output(Machine& child, Op& op, Lane lane) override {
        if (parent() != nullptr && lane == Lane::submissions) {
            cast_.observer->passes(name_, cast_.name_of(op));
        }
        Machine::on_child_output(child, op, lane);
    }
    void on_close() override {
        cast_.observer->closes(name_);
        for (Op* op : own_) cancel(*op);
        for (Op* op : std::set(served_)) answer_with(*op, cancelled);
    }

    Cast& cast_;
    const std::string name_;
    std::set<Op*> own_;
    std::set<Op*> served_;
};

// The loops: one for the scenario, and one for a machine on another thread.
class Stage {
public:
    virtual ~Stage() = default;
    [[nodiscard]] virtual Loop& loop() = 0;
    virtual void open_far(Machine& far) = 0;
    virtual void settle() = 0;
    virtual void close() = 0;
};

class SimulatedStage final : public Stage {
public:
    SimulatedStage(PlatformSetup& setup, Machine& app)
        : world_(setup.virtual_clock()), loop_(world_.add_loop(app)) {}
    [[nodiscard]] Loop& loop() override { return loop_; }
    void open_far(Machine& far) override { world_.add_loop(far); }
    void settle() override { static_cast<void>(world_.run()); }
    void close() override { world_.close(); }

private:
    sim::World world_;
    Loop& loop_;
};

class RealStage final : public Stage {
public:
    RealStage(PlatformSetup& setup, Machine& app, const Cast& cast)
        : setup_(setup), cast_(cast), loop_(setup.platform(), app, {.peers = &peers_}) {}
    ~RealStage() override {
        if (far_loop_ == nullptr) return;
        far_loop_->stop();
        far_thread_.join();
    }
    [[nodiscard]] Loop& loop() override { return loop_; }
    void open_far(Machine& far) override {
        far_ground_ = std::move(PlatformSetup::make(setup_.name()).value());
        far_loop_ = std::make_unique<Loop>(far_ground_->platform(), far,
                                           LoopOptions{.thread_id = 2, .peers = &peers_});
        far_thread_ = std::thread([this] {
            static_cast<void>(far_loop_->run_until_stopped());
            far_loop_->close();
        });
    }
    // Ops in flight that no machine of the script holds complete by themselves.
    void settle() override {
        while (loop_.has_ready_work() || loop_.has_posts() || cast_.in_flight > cast_.held) {
            loop_.turn();
        }
    }
    void close() override { loop_.close(); }

private:
    PlatformSetup& setup_;
    const Cast& cast_;
    Peers peers_{2};
    Loop loop_;
    std::unique_ptr<PlatformSetup> far_ground_;
    std::unique_ptr<Loop> far_loop_;
    std::thread far_thread_;
};

class GyreKernel final : public KernelAdapter {
public:
    explicit GyreKernel(std::unique_ptr<PlatformSetup> setup) : setup_(std::move(setup)) {
        if (setup_->is_simulated()) {
            stage_ = std::make_unique<SimulatedStage>(*setup_, app_);
        } else {
            stage_ = std::make_unique<RealStage>(*setup_, app_, cast_);
        }
    }
    GyreKernel(const GyreKernel&) = delete;
    GyreKernel& operator=(const GyreKernel&) = delete;
    ~GyreKernel() override {
        close();
        stage_.reset();
        while (!made_.empty()) made_.pop_back();  // Children were made after their parents.
    }

    [[nodiscard]] bool has_simulated_time() const override { return setup_->is_simulated(); }

    void start(KernelObserver& observer) override { cast_.observer = &observer; }
    void add_machine(const Name& name, const Name& parent) override {
        auto made = std::make_unique<Role>(cast_, name);
        role(parent).add_child(*made);
        roles_[name] = made.get();
        made_.push_back(std::move(made));
    }
    void add_echo(const Name& name) override { app_.add_child(make_echo(name)); }
    void add_far_echo(const Name& name) override { stage_->open_far(make_echo(name)); }

    void submit(const Name& machine, const Name& op, const Name& server) override {
        send(machine, op_of<NamedOp>(op), server);
    }
    void stand(const Name& machine, const Name& op, const Name& server) override {
        send(machine, op_of<NamedStandingOp>(op), server);
    }
    void start_timer(const Name& machine, const Name& op, double ms) override {
        auto& timer = op_of<TimerOp>(op);
        timer.deadline = stage_->loop().now() + from_ms(ms);
        role(machine).start(timer);
    }
    void cancel(const Name& machine, const Name& op) override {
        role(machine).cancel(*ops_.at(op));
    }
    void complete(const Name& server, const Name& op, std::optional<int> result) override {
        role(server).answer_with(*ops_.at(op), result.value_or(cancelled));
    }
    void ring(const Name& server, const Name& op) override {
        auto& standing = static_cast<NamedStandingOp&>(*ops_.at(op));
        ++standing.written;
        role(server).notify(standing);
    }
    void settle() override { stage_->settle(); }
    void close() override {
        if (!std::exchange(is_closed_, true)) stage_->close();
    }

private:
    [[nodiscard]] Echo& make_echo(const Name& name) {
        auto made = std::make_unique<Echo>();
        Echo& echo = *(echoes_[name] = made.get());
        made_.push_back(std::move(made));
        return echo;
    }
    [[nodiscard]] Role& role(const Name& name) { return *roles_.at(name); }
    [[nodiscard]] MachineRef ref_of(const Name& name) {
        const auto echo = echoes_.find(name);
        return echo != echoes_.end() ? echo->second->ref() : role(name).ref();
    }
    template <class Kind>
    [[nodiscard]] Kind& op_of(const Name& name) {
        std::shared_ptr<Op>& op = ops_[name];
        if (op == nullptr) {
            op = std::make_shared<Kind>();
            cast_.names[op.get()] = name;
        }
        return static_cast<Kind&>(*op);
    }
    void send(const Name& machine, Op& op, const Name& server) {
        op.set_destination(ref_of(server));
        role(machine).start(op);
    }

    std::unique_ptr<PlatformSetup> setup_;
    Cast cast_;
    std::map<Name, std::shared_ptr<Op>> ops_;
    Role app_{cast_, "app"};
    std::vector<std::unique_ptr<Machine>> made_;
    std::map<Name, Role*> roles_{{"app", &app_}};
    std::map<Name, Echo*> echoes_;
    std::unique_ptr<Stage> stage_;
    bool is_closed_ = false;
};

}  // namespace

std::unique_ptr<KernelAdapter> make_gyre_kernel(std::unique_ptr<PlatformSetup> setup) {
    return std::make_unique<GyreKernel>(std::move(setup));
}

}  // namespace gyre::conform
