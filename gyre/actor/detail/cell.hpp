// SPDX-License-Identifier: Apache-2.0
// Cell: an actor's control block: its mailbox, its life cycle and the storage of its object.
// References share it; a restart replaces the object in it. Members marked "any thread" may be
// called from any thread, the others only on the thread of the actor's loop.
//
//   open ──stop──▶ draining ──mailbox empty, handlers and children ended──▶ ended
//    └──stop now, or a failure──▶ stopping ──handlers and children ended──▶ ended
//
// While `holds_` is not 0 no handler starts: an exclusive handler is running, or there is no object
// (not yet made, or being replaced after a failure).
//
// The mailbox holds `length_` messages, and `arriving_` more are on their way from other threads.
// Each is counted before it is posted, so the capacity holds for senders on all threads.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <typeinfo>

#include "gyre/actor/any_ref.hpp"
#include "gyre/actor/detail/envelope.hpp"
#include "gyre/base/detail/atomic.hpp"
#include "gyre/base/detail/intrusive.hpp"
#include "gyre/base/result.hpp"
#include "gyre/task/core/future.hpp"

namespace gyre {
class Scope;
}

namespace gyre::actor {

template <class T>
class Reply;
using Acknowledgement = Reply<void>;  // a message was accepted, or an actor has ended
class ActorHost;
class Signal;
class Wire;
struct ActorOptions;
enum class OnFailure : std::uint8_t;
enum class SignalKind : std::uint8_t;
enum class WhenFull : std::uint8_t;
struct WorkLinks;
struct HostLinks;

enum class Life : std::uint8_t { open, draining, stopping, ended };

// Makes the message that tells a watching actor of the end of another.
using MakeTerminated = Envelope* (*)(Terminated end);

// A task that an actor has started: a suspended handler, or a timer. The actor can cancel it, and
// ends only when it has none.
class Work : public Link<WorkLinks> {
public:
    [[nodiscard]] virtual Task& task() noexcept = 0;
    // Of a handler: the exclusive actor that waits for its answer; empty when none does.
    [[nodiscard]] virtual AnyRef waiting_actor() const { return {}; }
    void unlink_work() noexcept { Link<WorkLinks>::unlink(); }
    std::uint64_t timer_id = 0;  // 0: a handler

protected:
    ~Work() = default;
};

// Whether the mailbox accepts a message. `dropped` counts as accepted for the sender.
enum class Admission : std::uint8_t { taken, dropped, full, ended };
[[nodiscard]] constexpr Result<void> result_of(Admission admission) noexcept {
    if (admission == Admission::full) return std::unexpected(Error(std::errc::no_buffer_space));
    if (admission == Admission::ended) return std::unexpected(Error(std::errc::owner_dead));
    return {};
}

class Cell : public Link<HostLinks> {
public:
    Cell(const Cell&) = delete;
    Cell& operator=(const Cell&) = delete;

    // Any thread.
    void share() noexcept {
        // Relaxed: the caller holds a share already.
        shares_.fetch_add(1, std::memory_order_relaxed);
    }
    void drop() noexcept {
        // Acquire and release: the thread that drops the last share sees all writes before.
        if (shares_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
    }
    [[nodiscard]] bool is_here() const noexcept { return thread_mark_ == FramePool::this_thread(); }
    // The address of an actor in another process; null for a local actor.
    [[nodiscard]] Wire* wire() const noexcept { return wire_.get(); }
    [[nodiscard]] ActorHost& host() const noexcept { return *host_; }
    [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
    [[nodiscard]] std::string name() const;
    [[nodiscard]] bool has_name() const noexcept { return name_ != nullptr; }
    [[nodiscard]] Life life() const noexcept { return life_.load(std::memory_order_acquire); }
    [[nodiscard]] std::uint32_t length() const noexcept {
        // Relaxed: a snapshot.
        return length_.load(std::memory_order_relaxed) + arriving_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] bool is_exclusive() const noexcept { return is_exclusive_; }
    [[nodiscard]] virtual const std::type_info& actor_type() const noexcept = 0;

    // Whether the actor is open and its mailbox has room, seen from its own thread.
    [[nodiscard]] GYRE_ALWAYS_INLINE bool has_room() const noexcept {
        // Relaxed: this thread writes them; senders count arriving messages before they post.
        return life_.load(std::memory_order_relaxed) == Life::open &&
               length_.load(std::memory_order_relaxed) + arriving_.load(std::memory_order_relaxed) <
                   capacity_;
    }
    // For a message from this thread: call `put` when it is taken.
    [[nodiscard]] Admission admit(const std::type_info& type) noexcept {
        return has_room() ? Admission::taken : admit_slowly(type);
    }
    GYRE_ALWAYS_INLINE void put(Envelope& envelope) noexcept {
        mail_.push(envelope);
        set_length(length_.load(std::memory_order_relaxed) + 1);
        if (holds_ == 0 && !is_scheduled_) make_ready();
    }
    // For a message from another thread: post it when it is taken. Any thread.
    [[nodiscard]] Admission admit_from_elsewhere(const std::type_info& type) noexcept;
    void withdraw_arrival() noexcept { arriving_.fetch_sub(1, std::memory_order_acq_rel); }
    void arrive(Envelope& envelope) noexcept;
    // Puts the message in now, or when the mailbox has room.
    void put_when_room(Envelope& envelope, Acknowledgement& acknowledgement) noexcept;
    // For a Terminated: handled before all other messages, and not limited by the capacity.
    void put_urgent(Envelope& envelope) noexcept;
    void lose(Envelope& envelope, Lost why) noexcept;
    // Any thread; takes ownership of the signal.
    static void send(Signal* signal) noexcept;
    void take(Signal& signal) noexcept;
    // Any thread: tells the actor `who` that an actor which it watched or was linked with ended.
    static void tell_watcher(const AnyRef& who, MakeTerminated tell, Terminated end) noexcept;
    static void tell_linked(const AnyRef& who, const AnyRef& of,
                            std::exception_ptr failure) noexcept;

    // For the host: handles up to count_max messages and returns how many. The cell may be
    // destroyed then.
    std::uint32_t run(std::uint32_t count_max) noexcept;
    // Rethrows what the constructor of the actor throws; the actor has ended then.
    void start_here();
    void start() noexcept;
    void begin_stop(Life how) noexcept;
    void abandon() noexcept;

    // For handlers.
    void note_withdrawn() noexcept { --handled_count_; }
    [[nodiscard]] Scope& scope() noexcept;
    [[nodiscard]] void* object() const noexcept { return object_; }
    void add_work(Work& work) noexcept { works_.push_back(work); }
    void hold_for_handler() noexcept {
        if (is_exclusive_) holds_ |= busy;
    }
    // The failure of the actor; null when the handler ended well or by a cancel of its own task.
    void on_handler_ended(std::exception_ptr failure) noexcept;
    void on_timer_ended() noexcept;
    // Whether running handlers are being cancelled.
    [[nodiscard]] bool is_ending_handlers() const noexcept;
    void fail(std::exception_ptr failure) noexcept;

    // For the actor itself.
    [[nodiscard]] std::uint64_t start_timer(Future<void> future);
    void cancel_timer(std::uint64_t id) noexcept;
    [[nodiscard]] Result<void> stash(Envelope& envelope) noexcept;
    void unstash_all() noexcept;
    void add_child(Cell& child);
    void forget_child(Cell& child) noexcept;
    void watch(Cell& other, MakeTerminated tell);
    void unwatch(Cell& other);
    void link_with(Cell& other);
    void unlink_from(Cell& other);
    void tell_end(Acknowledgement& waiter) noexcept;
    [[nodiscard]] Counts counts() const noexcept;
    void describe(std::string& into, unsigned depth) const;
    [[nodiscard]] Cell* parent() const noexcept { return parent_.cell(); }

protected:
    Cell(ActorHost* host, const void* thread_mark, std::uint64_t id, ActorOptions& options,
         Cell* parent);
    Cell(std::unique_ptr<Wire> wire, std::string name);
    virtual ~Cell();

    // Make and destroy the actor object.
    virtual void construct() = 0;
    virtual void destruct() noexcept = 0;
    virtual void destroy() noexcept = 0;
    [[nodiscard]] bool may_restart() const noexcept;

    void* object_ = nullptr;

private:
    friend class ActorHost;
    friend struct ReadyCellLinks;

    static constexpr std::uint64_t back_off_timer = ~std::uint64_t{0};
    enum Hold : std::uint8_t { unmade = 1, busy = 2, restarting = 4 };
    enum ExtraStep : std::uint8_t { poster_step = 1, measure_step = 2 };
    struct Extras;  // internal/cell_extras.hpp
    Extras& extras();

    void set_length(std::uint32_t length) noexcept {
        // Relaxed: only this thread writes it; others read a snapshot.
        length_.store(length, std::memory_order_relaxed);
    }
    [[gnu::cold]] Admission admit_slowly(const std::type_info& type) noexcept;
    // Puts it into the host's ready queue. Only when it is not in there (is_scheduled_).
    void make_ready() noexcept;
    void schedule() noexcept {
        if (!is_scheduled_) make_ready();
    }
    void handle_next() noexcept;
    // False: the actor stops, and handles no more messages.
    [[gnu::cold]] bool handle_urgent() noexcept;
    [[gnu::cold]] void handle_with_extra_steps(Envelope& envelope) noexcept;
    void set_posters_wait(bool do_wait) noexcept {
        extra_steps_ =
            static_cast<std::uint8_t>((extra_steps_ & ~poster_step) | (do_wait ? poster_step : 0));
    }
    void drop_oldest() noexcept;
    void let_posters_in() noexcept;
    void drop_abandoned_posters() noexcept;
    void drop_posters() noexcept;
    void drop_mail() noexcept;
    void cancel_works(bool timers_only) noexcept;
    void stop_children(SignalKind how) noexcept;
    void child_ended(Signal& signal) noexcept;
    // The failure that it ended with. From another thread only when the actor never started or its
    // loop is closed: nobody writes the failure then.
    [[nodiscard]] std::exception_ptr end_failure() const noexcept;
    // Takes the next step of a stop or restart, when its handlers and children have ended. True:
    // the actor has ended, and the cell may be destroyed.
    bool advance() noexcept;
    void begin_restart(std::exception_ptr failure, const std::string& why) noexcept;
    [[nodiscard]] Duration back_off_delay() const noexcept;
    void replace_object() noexcept;
    void restart_now() noexcept;
    void end_with(std::exception_ptr failure) noexcept;
    static Future<void> back_off(Cell& cell, Duration delay);
    void end() noexcept;
    void end_unstarted() noexcept;

    Atomic<std::uint32_t> shares_{1};
    Atomic<std::uint32_t> arriving_{0};
    Atomic<std::uint32_t> length_{0};
    const std::uint32_t capacity_;
    ActorHost* const host_;
    const void* const thread_mark_;
    const std::unique_ptr<Wire> wire_;
    Atomic<Life> life_{Life::open};
    std::uint8_t holds_ = unmade;
    const bool is_exclusive_;
    const WhenFull when_full_;
    const OnFailure on_failure_;
    bool is_scheduled_ = false;
    std::uint8_t extra_steps_;  // what a message needs besides its handler: bits of ExtraStep
    bool is_escalating_ = false;
    Mail mail_;
    Mail urgent_;
    Cell* next_ready_ = nullptr;
    std::uint64_t handled_count_ = 0;  // The last of the fields that every message touches.
    Queue<Work, WorkLinks> works_;
    std::uint64_t failed_count_ = 0;
    const std::uint64_t id_;
    std::unique_ptr<const std::string> name_;
    Extras* extras_ = nullptr;
    const AnyRef parent_;
    std::uint32_t child_index_ = 0;  // position in the parent's list of children
    std::uint64_t last_timer_id_ = 0;
};

inline AnyRef::AnyRef(Cell& cell) noexcept : cell_(&cell) {
    cell.share();
}
inline AnyRef::AnyRef(const AnyRef& other) noexcept : cell_(other.cell_) {
    if (cell_ != nullptr) cell_->share();
}
inline AnyRef::~AnyRef() {
    if (cell_ != nullptr) cell_->drop();
}

// How cells are queued on their host (ReadyCells in actor_host.hpp).
struct ReadyCellLinks {
    static Cell*& next(Cell& cell) noexcept { return cell.next_ready_; }
};

}  // namespace gyre::actor
