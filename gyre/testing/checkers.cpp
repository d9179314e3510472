// SPDX-License-Identifier: Apache-2.0
#include "gyre/testing/checkers.hpp"

namespace gyre::testing {

// ---- ExactlyOnce ----

ExactlyOnce::Counts& ExactlyOnce::counts_of(std::string_view operation) {
    return operations_.try_emplace(std::string(operation)).first->second;
}

void ExactlyOnce::asked(std::string_view operation) {
    const sim::OutsideHost outside;
    ++counts_of(operation).asked;
}

void ExactlyOnce::took_effect(std::string_view operation) {
    const sim::OutsideHost outside;
    ++counts_of(operation).effects;
}

void ExactlyOnce::answered(std::string_view operation) {
    const sim::OutsideHost outside;
    if (!std::exchange(counts_of(operation).is_answered, true)) ++answered_count_;
}

void ExactlyOnce::refused(std::string_view operation) {
    const sim::OutsideHost outside;
    counts_of(operation).is_refused = true;
}

std::string ExactlyOnce::check() const {
    for (const auto& [name, counts] : operations_) {
        const std::string subject = "'" + name + "' ";
        if (counts.effects > 0 && counts.asked == 0) {
            return subject + "took effect, and nobody asked for it";
        }
        if (counts.effects > 1) {
            return subject + "took effect " + std::to_string(counts.effects) + " times";
        }
        if (counts.is_answered && counts.effects == 0) {
            return subject + "was answered, and did not take effect";
        }
        if (counts.is_refused && counts.effects > 0) {
            return subject + "was refused, and took effect";
        }
    }
    return {};
}

// ---- Conservation ----

void Conservation::set(std::string_view holder, std::int64_t amount) {
    const sim::OutsideHost outside;
    if (amount != 0) {
        amounts_.insert_or_assign(std::string(holder), amount);
    } else if (const auto found = amounts_.find(holder); found != amounts_.end()) {
        amounts_.erase(found);
    }
}

void Conservation::add(std::string_view holder, std::int64_t amount) {
    const auto found = amounts_.find(holder);
    set(holder, amount + (found == amounts_.end() ? 0 : found->second));
}

std::string Conservation::check() const {
    std::int64_t sum = 0;
    std::string list;
    for (const auto& [holder, amount] : amounts_) {
        if (amount < 0) return holder + " has " + std::to_string(amount);
        sum += amount;
        list += (list.empty() ? "" : ", ") + holder + " " + std::to_string(amount);
    }
    if (sum == total_) return {};
    return "there are " + std::to_string(sum) + " of " + std::to_string(total_) + ": " + list;
}

// ---- Settling ----

std::uint64_t Settling::begin(sim::Host& host, std::string_view name) {
    const sim::OutsideHost outside;
    running_[++last_number_] = {&host, host.start_count(), std::string(name)};
    return last_number_;
}

void Settling::end(std::uint64_t number) noexcept {
    running_.erase(number);
}

std::string Settling::check() const {
    for (const auto& [number, begun] : running_) {
        const bool is_gone =
            !begun.host->is_running() || begun.host->start_count() != begun.start_count;
        if (!is_gone) return "'" + begun.name + "' of host " + begun.host->name() + " never ends";
    }
    return {};
}

// ---- Quiescence ----

bool Quiescence::is_quiet(Simulation& simulation) noexcept {
    const std::uint64_t turns = simulation.world().turn_count();
    if (turns != turn_count_) {
        turn_count_ = turns;
        since_ = simulation.elapsed();
    }
    return simulation.elapsed() - since_ >= quiet_for_;
}

// ---- Leaks ----

std::string what_leaks(sim::Host& host) {
    const sim::HostRemains remains = host.stop();
    std::string text;
    if (remains.descriptor_count > 0) {
        text = std::to_string(remains.descriptor_count) + " descriptors";
    }
    if (remains.allocation_count > 0) {
        text += text.empty() ? "" : " and ";
        text += std::to_string(remains.allocation_count) + " allocations";
    }
    return text.empty() ? text : "host " + host.name() + " leaks " + text;
}

}  // namespace gyre::testing
