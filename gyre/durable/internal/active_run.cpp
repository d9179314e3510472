// SPDX-License-Identifier: Apache-2.0
#include "gyre/durable/internal/active_run.hpp"

#include <algorithm>
#include <chrono>

#include "gyre/base/detail/scope_exit.hpp"
#include "gyre/durable/internal/entry_bytes.hpp"
#include "gyre/durable/internal/payload.hpp"
#include "gyre/durable/internal/times.hpp"
#include "gyre/durable/ops.hpp"

namespace gyre::durable {

using effect::JournalEntry;

namespace {

bool is_op(const JournalEntry& entry, const effect::OpInfo& op) noexcept {
    return entry.effect == op.effect && entry.op == op.op;
}

}  // namespace

ActiveRun::ActiveRun(Store& store, Recorder& recorder, Event& wait_begun, StoredRun stored)
    : store_(store),
      recorder_(recorder),
      wait_begun_(wait_begun),
      stored_(std::move(stored)),
      next_number_(static_cast<std::int64_t>(stored_.entries.size())) {
    for (const JournalEntry& entry : stored_.entries) {
        if (is_op(entry, Durable::start.info)) has_children_ = true;
        const bool is_signal = is_op(entry, Durable::signal.info) && !entry.is_failure &&
                               entry.arguments.size() == 1 &&
                               entry.arguments[0].is(effect::Value::Kind::text);
        if (is_signal) ++taken_signals_[entry.arguments[0].text()];
    }
    for (StoredRun::Signal& signal : stored_.signals) take_signal(std::move(signal));
    stored_.signals = {};
}

const JournalEntry* ActiveRun::next() {
    return at_ < stored_.entries.size() ? &stored_.entries[at_] : nullptr;
}

void ActiveRun::advance() {
    ++answer_counts_[stored_.entries[at_].task];
    if (++at_ < stored_.entries.size()) return;
    stored_.entries = {};
    at_ = 0;
}

void ActiveRun::record(JournalEntry /*entry*/) {
    throw Failure("a slow journal records later");
}

void ActiveRun::record_later(JournalEntry entry, effect::Reply kept) {
    const std::int64_t number = next_number_;
    db::Blob body = bytes_of(entry, stored_.id, number);
    check_payload(store_.options(), body.size(), "the answer of " + entry.effect + "::" + entry.op);
    ++next_number_;
    ++answer_counts_[entry.task];
    recorder_.add_step(place(), number, entry.is_failure, std::move(body), std::move(kept));
}

std::shared_ptr<ActiveRun> ActiveRun::find(effect::Context& context) noexcept {
    auto* run = dynamic_cast<ActiveRun*>(context.journal());
    return run == nullptr ? nullptr : run->shared_from_this();
}

std::shared_ptr<ActiveRun> ActiveRun::of(effect::Context& context) {
    std::shared_ptr<ActiveRun> run = find(context);
    if (run == nullptr) throw Failure("this op is for durable runs: start it in a durable::Store");
    return run;
}

Request ActiveRun::request_of(const effect::Context& context) const noexcept {
    const auto found = answer_counts_.find(context.task_id());
    return {context.task_id(), found == answer_counts_.end() ? 0 : found->second};
}

std::optional<std::int64_t> ActiveRun::begun(const Request& request,
                                             const effect::OpInfo& op) const {
    const auto found = stored_.begun.find(request);
    if (found == stored_.begun.end()) return std::nullopt;
    if (found->second.op == op.name()) return found->second.until;
    throw effect::ProtocolError(
        effect::ErrorKind::journal_mismatch,
        "the run had begun " + found->second.op + ", and asks for " + op.name());
}

Future<void> ActiveRun::begin(Request request, const effect::OpInfo& op, std::int64_t until) {
    if (is_closed_) throw Failure("the run has left its worker");
    std::string name = op.name();
    co_await recorder_.begin(place(), request.task, request.number, name, until);
    stored_.begun.emplace(request, Begun{std::move(name), until});
}

Future<void> ActiveRun::wait_until(std::int64_t when, std::uint64_t wakes) {
    if (is_closed_) throw Failure("the run has left its worker");
    if (wakes != wakes_) co_return;
    const auto wait = waits_.insert(when);
    const ScopeExit forget([this, wait] { waits_.erase(wait); });
    wait_begun_.set();
    // A clock on the wall may be set: looked at now and then.
    constexpr std::int64_t look_every = std::int64_t{3600} * 1'000'000;
    const std::int64_t left = when == never ? never : when - store_.now().micros;
    if (when != never && left <= 0) co_return;
    if (when == never) {
        co_await news_.wait();
    } else {
        co_await wait_at_most(news_, std::chrono::microseconds(std::min(left, look_every)));
    }
}

void ActiveRun::take_signal(StoredRun::Signal signal) {
    if (signal.number <= last_signal_) return;
    last_signal_ = signal.number;
    const auto taken = taken_signals_.find(signal.name);
    if (taken != taken_signals_.end() && taken->second > 0) {
        --taken->second;  // It was answered with in an earlier process.
        return;
    }
    signals_[std::move(signal.name)].push_back(std::move(signal.value));
}

std::optional<effect::Value> ActiveRun::next_signal(const std::string& name) {
    const auto found = signals_.find(name);
    if (found == signals_.end() || found->second.empty()) return std::nullopt;
    effect::Value value = std::move(found->second.front());
    found->second.pop_front();
    return value;
}

bool ActiveRun::waits_until(std::int64_t when) const noexcept {
    if (waits_.empty() || *waits_.begin() <= when) return false;
    return run && run->state() == effect::RunState::waiting &&
           run->request_count() == waits_.size();
}

std::int64_t ActiveRun::wakes_at() const noexcept {
    return waits_.empty() ? never : *waits_.begin();
}

}  // namespace gyre::durable
