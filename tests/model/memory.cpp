// SPDX-License-Identifier: Apache-2.0
// The rules of the memory; the model itself is told in memory.hpp.
#include "memory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace model {
namespace {

bool is_acquire(std::memory_order order) noexcept {
    return order != std::memory_order_relaxed && order != std::memory_order_release;
}

bool is_release(std::memory_order order) noexcept {
    return order == std::memory_order_release || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst;
}

bool is_total(std::memory_order order) noexcept {
    return order == std::memory_order_seq_cst;
}

}  // namespace

void Knowledge::join(const Knowledge& other) noexcept {
    for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other.clock[i]);
    for (std::size_t i = 0; i < view.size(); ++i) view[i] = std::max(view[i], other.view[i]);
}

void Memory::begin_run(std::uint32_t run) noexcept {
    run_ = run;
    atomic_count_ = 0;
    surprises_ = 0;
    known_.fill({});
    // From 1 on, so that nobody knows of any work of a thread that never told of it.
    for (std::size_t thread = 0; thread < threads_max; ++thread) known_[thread].clock[thread] = 1;
    total_order_view_.fill(0);
}

Memory::History& Memory::history_of(Cell& cell) {
    if (cell.run != run_) {
        if (atomic_count_ == atomics_max) {
            std::fputs("model: too many atomics in one run; raise atomics_max\n", stderr);
            std::abort();
        }
        cell.run = run_;
        cell.index = atomic_count_++;
        histories_[cell.index].stores.clear();
        histories_[cell.index].stores.push_back({.value = cell.newest, .message = {}});
    }
    return histories_[cell.index];
}

std::size_t Memory::oldest_readable(const Cell& cell, std::size_t thread,
                                    std::memory_order order) const noexcept {
    const std::size_t seen = known_[thread].view[cell.index];
    if (!is_total(order)) return seen;
    return std::max<std::size_t>(seen, total_order_view_[cell.index]);
}

std::uint64_t Memory::read(Cell& cell, std::size_t thread, std::memory_order order,
                           std::size_t index) {
    const History& history = histories_[cell.index];
    const Store& store = history.stores[index];
    auto& view = known_[thread].view[cell.index];
    view = std::max(view, static_cast<std::uint16_t>(index));
    if (is_acquire(order)) known_[thread].join(store.message);
    if (is_total(order)) {
        auto& total = total_order_view_[cell.index];
        total = std::max(total, static_cast<std::uint16_t>(index));
    }
    age_of_last_read_ = history.stores.size() - 1 - index;
    return store.value;
}

void Memory::append(Cell& cell, std::size_t thread, std::memory_order order, std::uint64_t value,
                    const Knowledge& carried_on) {
    History& history = histories_[cell.index];
    const auto index = static_cast<std::uint16_t>(history.stores.size());
    known_[thread].view[cell.index] = index;
    if (is_total(order)) total_order_view_[cell.index] = index;
    Store store{.value = value, .message = carried_on};
    if (is_release(order)) release(thread, store.message);
    history.stores.push_back(store);
    cell.newest = value;
}

void Memory::release(std::size_t thread, Knowledge& message) noexcept {
    message.join(known_[thread]);
    // What the thread does from here on is not part of the message.
    ++known_[thread].clock[thread];
}

std::uint64_t Memory::load(Cell& cell, std::size_t thread, std::memory_order order) {
    const std::size_t newest = history_of(cell).stores.size() - 1;
    const std::size_t older =
        may_surprise() ? newest - oldest_readable(cell, thread, order) : std::size_t{0};
    const std::size_t age = choices_.choose(static_cast<std::uint32_t>(older + 1));
    if (age > 0) ++surprises_;
    return read(cell, thread, order, newest - age);
}

void Memory::store(Cell& cell, std::size_t thread, std::memory_order order, std::uint64_t value) {
    history_of(cell);
    append(cell, thread, order, value, {});
}

std::uint64_t Memory::update(Cell& cell, std::size_t thread, std::memory_order order,
                             Update compute, std::uint64_t argument) {
    const History& history = history_of(cell);
    const std::size_t newest = history.stores.size() - 1;
    const Knowledge carried_on = history.stores[newest].message;
    const std::uint64_t before = read(cell, thread, order, newest);
    append(cell, thread, order, compute(before, argument), carried_on);
    return before;
}

bool Memory::compare_exchange(Cell& cell, std::size_t thread, std::uint64_t& expected,
                              const Exchange& exchange) {
    const History& history = history_of(cell);
    const std::size_t newest = history.stores.size() - 1;
    const bool matches = history.stores[newest].value == expected;

    // Besides the newest store: a failure is a load, so it may read an old store that differs.
    failing_reads_.clear();
    if (may_surprise()) {
        if (matches && exchange.may_fail_spuriously) failing_reads_.push_back(newest);
        const std::size_t oldest = oldest_readable(cell, thread, exchange.failure);
        for (std::size_t index = newest; index-- > oldest;) {
            const bool differs = history.stores[index].value != expected;
            if (differs) failing_reads_.push_back(index);
        }
    }
    const std::size_t chosen =
        choices_.choose(static_cast<std::uint32_t>(failing_reads_.size() + 1));
    if (chosen > 0) {
        ++surprises_;
        expected = read(cell, thread, exchange.failure, failing_reads_[chosen - 1]);
        return false;
    }
    if (!matches) {
        expected = read(cell, thread, exchange.failure, newest);
        return false;
    }
    const auto to_desired = [](std::uint64_t, std::uint64_t desired) { return desired; };
    expected = update(cell, thread, exchange.success, to_desired, exchange.desired);
    return true;
}

}  // namespace model
