// SPDX-License-Identifier: Apache-2.0
// Very many: states that wait, and trees of operations whose nodes count the answers of their
// children. On two threads each has a queue of its own and half of the root's children.
#include <atomic>
#include <thread>

#include "bench/affinity.hpp"
#include "bench/peers/callbacks/entries.hpp"
#include "bench/peers/callbacks/run_queue.hpp"
#include "bench/task_tree_cases.hpp"

namespace gyre::bench {
namespace {

// What waits for something: a step to queue when it comes, and whom to tell.
struct Idle : Step {
    Idle() : Step([](Step& step) { delete static_cast<Idle*>(&step); }) {}
    void (*done)(void* caller) = nullptr;
    void* caller = nullptr;
};

void measure_idle_tasks(Run& run) {
    const std::uint64_t count = idle_task_count(run);
    RunQueue queue;
    std::vector<Idle*> waiting;
    waiting.reserve(count);
    const HeapMeter heap;
    for (std::uint64_t i = 0; i < count; ++i) waiting.push_back(new Idle);
    run.report("idle_tasks", heap.bytes_per(count));
    for (Idle* idle : waiting) queue.push(*idle);
    queue.run();
}

struct SkynetNode : Step {
    SkynetNode(RunQueue& run_queue, SkynetNode* of, std::uint64_t from, std::uint64_t leaves)
        : Step(&SkynetNode::start), queue(run_queue), parent(of), first(from), leaf_count(leaves) {}

    [[gnu::noinline]] static void start(Step& step) {
        auto& self = static_cast<SkynetNode&>(step);
        if (self.leaf_count == 1) return self.finish(self.first);
        const std::uint64_t each = self.leaf_count / 10;
        self.unfinished_count = 10;
        for (std::uint64_t i = 0; i < 10; ++i) {
            self.queue.push(*new SkynetNode(self.queue, &self, self.first + i * each, each));
        }
    }
    // The root's sum stays in it: it is not on the heap.
    void finish(std::uint64_t value) {
        SkynetNode* const above = parent;
        delete this;
        above->add(value);
    }
    void add(std::uint64_t value) {
        sum += value;
        if (--unfinished_count == 0 && parent != nullptr) finish(sum);
    }

    RunQueue& queue;
    SkynetNode* parent;
    std::uint64_t first;
    std::uint64_t leaf_count;
    std::uint64_t sum = 0;
    std::uint32_t unfinished_count = 0;
};

// The children from `begin` to `end` of a root with ten of them.
std::uint64_t skynet_part(std::uint64_t leaf_count, std::uint64_t begin, std::uint64_t end) {
    RunQueue queue;
    SkynetNode root(queue, nullptr, 0, leaf_count);
    const std::uint64_t each = leaf_count / 10;
    root.unfinished_count = static_cast<std::uint32_t>(end - begin);
    for (std::uint64_t i = begin; i < end; ++i) {
        queue.push(*new SkynetNode(queue, &root, i * each, each));
    }
    queue.run();
    return root.sum;
}

void measure_skynet_1(Run& run) {
    const std::uint64_t leaf_count = skynet_leaf_count(run);
    const Stopwatch stopwatch;
    const std::uint64_t sum = skynet_part(leaf_count, 0, 10);
    run.report("skynet_1", stopwatch.elapsed_ns() / 1e6);
    check_sum(sum, skynet_sum(leaf_count));
}

void measure_skynet_2(Run& run) {
    const std::uint64_t leaf_count = skynet_leaf_count(run);
    const PinnedThread pinned{0};
    std::uint64_t upper_sum = 0;
    std::atomic<bool> is_open{false};
    std::thread other([&] {
        const PinnedThread pinned_other{1};
        while (!is_open.load()) continue;
        upper_sum = skynet_part(leaf_count, 5, 10);
    });
    const Stopwatch stopwatch;
    is_open.store(true);
    const std::uint64_t lower_sum = skynet_part(leaf_count, 0, 5);
    other.join();
    run.report("skynet_2", stopwatch.elapsed_ns() / 1e6);
    check_sum(lower_sum + upper_sum, skynet_sum(leaf_count));
}

// A stack, not a queue: in their order of arrival all of fib's calls would be there at once.
struct FibNode {
    FibNode* parent;
    FibNode* next;
    std::uint64_t n;
    std::uint64_t sum;
    std::uint32_t unfinished_count;
};

class FibStack {
public:
    [[gnu::noinline]] void push(FibNode* parent, std::uint64_t n) {
        top_ = new FibNode{parent, top_, n, 0, 0};
    }
    std::uint64_t run() {
        while (FibNode* node = top_) {
            top_ = node->next;
            start(*node);
        }
        return sum_;
    }

private:
    [[gnu::noinline]] void start(FibNode& node) {
        if (node.n < 2) return finish(&node, node.n);
        node.unfinished_count = 2;
        push(&node, node.n - 1);
        push(&node, node.n - 2);
    }
    void finish(FibNode* node, std::uint64_t value) {
        for (;;) {
            FibNode* const parent = node->parent;
            delete node;
            if (parent == nullptr) {
                sum_ = value;
                return;
            }
            parent->sum += value;
            if (--parent->unfinished_count > 0) return;
            value = parent->sum;
            node = parent;
        }
    }

    FibNode* top_ = nullptr;
    std::uint64_t sum_ = 0;
};

void measure_fib_1(Run& run) {
    const std::uint64_t n = fib_number(run);
    const Stopwatch stopwatch;
    FibStack stack;
    stack.push(nullptr, n);
    const std::uint64_t sum = stack.run();
    run.report("fib32_1", stopwatch.elapsed_ns() / 1e6);
    check_sum(sum, fib_of(n));
}

}  // namespace

std::vector<Entry> tree_entries() {
    return {
        {{"idle_tasks"}, measure_idle_tasks},
        {{"skynet_1"}, measure_skynet_1},
        {{"skynet_2"}, measure_skynet_2},
        {{"fib32_1"}, measure_fib_1},
    };
}

}  // namespace gyre::bench
