// SPDX-License-Identifier: Apache-2.0
// ActiveRun: a run that a worker has in memory, as the journal of its scheduler: replays the answers that
// the store has, records new ones, and keeps what the ops of a durable run wait for. The loop's thread; it
// outlives the scheduler's run.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gyre/durable/internal/recorder.hpp"
#include "gyre/durable/store.hpp"
#include "gyre/effect/scheduler.hpp"

namespace gyre::durable {

// One request of a run: the task, and how many answers the task has had before.
struct Request {
    std::uint32_t task;
    std::int64_t number;
    friend auto operator<=>(const Request&, const Request&) = default;
};

// A request that was noted before its answer.
struct Begun {
    std::string op;
    std::int64_t until;  // 0: it may run only once
};

// What the store holds of a run.
struct StoredRun {
    struct Signal {
        std::int64_t number;
        std::string name;
        effect::Value value;
    };

    std::int64_t id = 0;
    std::string key;
    std::string entry;
    std::string parent;
    effect::Arguments arguments;
    std::int64_t fence = 0;
    std::int64_t news = 0;
    std::int64_t step_count = 0;  // there were so many at least
    std::optional<std::string> cancel_reason;
    std::vector<effect::JournalEntry> entries;
    std::map<Request, Begun> begun;
    std::vector<Signal> signals;
    std::string damage;  // what is wrong with it; empty: nothing
};

// Why a run leaves the memory of its worker.
enum class LeaveKind : std::uint8_t { ended, put_aside, given_back, taken_over };

// Shared with the handlers of its ops, which may end after it.
class ActiveRun final : public effect::Journal, public std::enable_shared_from_this<ActiveRun> {
public:
    ActiveRun(Store& store, Recorder& recorder, Event& wait_begun, StoredRun stored);
    [[nodiscard]] const effect::JournalEntry* next() override;
    void advance() override;
    void record(effect::JournalEntry entry) override;
    [[nodiscard]] bool is_slow() const noexcept override { return true; }
    void record_later(effect::JournalEntry entry, effect::Reply kept) override;

    // The run of a handler. Throws a Failure where the run has no store.
    [[nodiscard]] static std::shared_ptr<ActiveRun> of(effect::Context& context);
    // Null there.
    [[nodiscard]] static std::shared_ptr<ActiveRun> find(effect::Context& context) noexcept;

    [[nodiscard]] Request request_of(const effect::Context& context) const noexcept;
    // Until when; none if the request was not noted. Throws a ProtocolError if another op was.
    [[nodiscard]] std::optional<std::int64_t> begun(const Request& request,
                                                    const effect::OpInfo& op) const;
    // Notes it. A crash after this shows that the request was made.
    [[nodiscard]] Future<void> begin(Request request, const effect::OpInfo& op, std::int64_t until);

    // Waits until then, at most, or for news of the run: it may be put aside meanwhile.
    [[nodiscard]] Future<void> wait_until(std::int64_t when) { return wait_until(when, wakes_); }
    // Not if there was news since `wakes` had this value: for those that await before they wait.
    [[nodiscard]] Future<void> wait_until(std::int64_t when, std::uint64_t wakes);
    [[nodiscard]] std::uint64_t wakes() const noexcept { return wakes_; }
    void take_signal(StoredRun::Signal signal);
    [[nodiscard]] std::int64_t last_signal() const noexcept { return last_signal_; }
    [[nodiscard]] std::optional<effect::Value> next_signal(const std::string& name);
    void note_child() noexcept { has_children_ = true; }

    // Whether all that it waits for is for later than then.
    [[nodiscard]] bool waits_until(std::int64_t when) const noexcept;
    // When it has to be looked at again.
    [[nodiscard]] std::int64_t wakes_at() const noexcept;
    // The answers that were recorded, all of them.
    [[nodiscard]] std::int64_t step_count() const noexcept { return next_number_; }
    [[nodiscard]] RunPlace place() const noexcept { return {stored_.id, stored_.fence}; }
    [[nodiscard]] StoredRun& stored() noexcept { return stored_; }
    [[nodiscard]] const std::string& key() const noexcept { return stored_.key; }
    [[nodiscard]] bool has_children() const noexcept { return has_children_; }
    [[nodiscard]] Store& store() noexcept { return store_; }
    // What waits looks again. It is not put aside before it has.
    void wake() noexcept {
        is_woken_ = true;
        ++wakes_;
        news_.set();
        news_.reset();
    }
    [[nodiscard]] bool take_woken() noexcept { return std::exchange(is_woken_, false); }
    // It has left its worker: what still runs of it asks for nothing more.
    void close() noexcept { is_closed_ = true; }

    LeaveKind leave = LeaveKind::ended;
    bool is_looking = false;  // at its news
    bool has_more_news = false;
    bool is_claimed_again = false;  // by this worker, before it has left
    std::optional<effect::RunHandle<effect::Value>> run;

private:
    Store& store_;
    Recorder& recorder_;
    Event& wait_begun_;
    StoredRun stored_;
    std::size_t at_ = 0;
    std::int64_t next_number_;
    std::unordered_map<std::uint32_t, std::int64_t> answer_counts_;
    std::unordered_map<std::string, std::deque<effect::Value>> signals_;
    std::unordered_map<std::string, std::size_t> taken_signals_;  // by answers of the journal
    std::int64_t last_signal_ = 0;                                // its number
    std::multiset<std::int64_t> waits_;
    Event news_;
    bool has_children_ = false;
    std::uint64_t wakes_ = 0;
    bool is_woken_ = false;
    bool is_closed_ = false;
};

}  // namespace gyre::durable
