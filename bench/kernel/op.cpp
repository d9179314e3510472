// SPDX-License-Identifier: Apache-2.0
// An op's way from a machine to the platform and back, without a system call: of a kind that the
// platform does not know, so that it answers at once. With 1 or 64 in flight, submitted by the app
// itself or by a machine under one or two parents that forward. And what an op holds of memory.
#include <memory>
#include <span>

#include "bench/kernel/entries.hpp"
#include "bench/kernel/real_loop.hpp"
#include "bench/stopwatch.hpp"

namespace gyre::bench {
namespace {

struct UnknownOp : Op {
    UnknownOp() : Op(OpCode::first_custom) {}
};

// Submits each op again as soon as it is back, until enough have been.
class Submitter final : public Machine {
public:
    explicit Submitter(std::size_t in_flight_count) : Machine("submitter"), ops_(in_flight_count) {}

    void start(std::uint64_t round_count) {
        remaining_count_ = round_count;
        for (UnknownOp& op : ops_) {
            op.set_destination(platform_ref());
            submit(op);
        }
    }

protected:
    void tick(Instant) override {
        while (Op* op = next_completion()) {
            if (remaining_count_ == 0) continue;
            --remaining_count_;
            submit(*op);
        }
    }

private:
    std::vector<UnknownOp> ops_;
    std::uint64_t remaining_count_ = 0;
};

class ForwardingParent final : public Machine {
public:
    explicit ForwardingParent(std::unique_ptr<Machine> child)
        : Machine("parent"), child_(std::move(child)) {
        add_child(*child_);
    }

protected:
    void tick(Instant) override {}

private:
    std::unique_ptr<Machine> child_;
};

// A root that either is the submitter or forwards for it.
struct Tree {
    Tree(std::size_t in_flight_count, std::size_t parent_count) {
        auto made = std::make_unique<Submitter>(in_flight_count);
        submitter = made.get();
        root = std::move(made);
        for (std::size_t i = 0; i < parent_count; ++i) {
            root = std::make_unique<ForwardingParent>(std::move(root));
        }
    }

    std::unique_ptr<Machine> root;
    Submitter* submitter = nullptr;
};

template <std::size_t in_flight_count, std::size_t parent_count>
double op_ns(const Run& run) {
    constexpr std::uint64_t round_count = 10'000;
    Tree tree{in_flight_count, parent_count};
    platform::SystemClock clock;
    auto platform = platform::EpollPlatform::make(clock);
    if (!platform) std::abort();
    Loop loop{**platform, *tree.root};
    const double batch_ns = ns_per_operation(run.span_ns(), [&] {
        tree.submitter->start(round_count);
        (void)loop.run();  // Until nothing is in flight.
    });
    return batch_ns / static_cast<double>(round_count + in_flight_count);
}

// Serves its own ops, and keeps them until the loop closes.
class Keeper final : public Machine {
public:
    Keeper() : Machine("keeper") {}

    void submit_all(std::span<UnknownOp> ops) {
        ops_ = ops;
        for (UnknownOp& op : ops_) {
            op.set_destination(ref());
            submit(op);
        }
    }

protected:
    void tick(Instant) override {
        while (next_submission() != nullptr) continue;
        while (next_completion() != nullptr) continue;
    }
    void on_close() override {
        for (UnknownOp& op : ops_) complete(op, 0);
    }

private:
    std::span<UnknownOp> ops_;
};

// memory_op: what an op in flight holds, its own size included.
void measure_memory_op(Run& run) {
    constexpr std::size_t op_count = 65'536;
    std::vector<UnknownOp> ops;
    RealLoop<Keeper> real{LoopOptions{}};
    real.poll();
    const HeapMeter heap;
    ops = std::vector<UnknownOp>(op_count);
    real.app.submit_all(ops);
    real.poll();
    run.report("memory_op", heap.bytes_per(op_count));
}

template <std::size_t in_flight_count, std::size_t parent_count>
Entry op_entry(const char* name) {
    static std::string case_name;
    case_name = name;
    return {{name},
            [](Run& run) { run.report(case_name, op_ns<in_flight_count, parent_count>(run)); }};
}

}  // namespace

std::vector<Entry> op_entries() {
    return {
        op_entry<1, 0>("op_1"),
        op_entry<64, 0>("op_64"),
        op_entry<1, 1>("op_1_parent_1"),
        op_entry<64, 1>("op_64_parent_1"),
        op_entry<1, 2>("op_1_parent_2"),
        op_entry<64, 2>("op_64_parent_2"),
        {{"memory_op"}, measure_memory_op},
    };
}

}  // namespace gyre::bench
