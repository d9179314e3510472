// SPDX-License-Identifier: Apache-2.0
// Cell: an actor as the rest sees it: its mailbox, its life and the room for its object. References
// share it; the object in it comes and goes. What is said below of "any thread" may be called from
// anywhere, the rest only on the thread of the actor's loop.
//
//   open ──stop──▶ draining ──mailbox empty, handlers and children ended──▶ ended
//    └──stop now, or a failure──▶ stopping ──handlers and children ended──▶ ended
//
// While `holds` is not 0 no handler starts: an exclusive one is under way, or the object is not
// there (not yet made, or being replaced after a failure).
//
// The mailbox holds `length` messages, and `arriving` more are on their way from other threads,
// each counted before it is posted: so the limit holds, whoever sends.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "gyre/actor/any_ref.hpp"
#include "gyre/actor/envelope.hpp"
#include "gyre/actor/options.hpp"
#include "gyre/actor/signal.hpp"
#include "gyre/base/atomic.hpp"
#include "gyre/base/intrusive.hpp"
#include "gyre/base/result.hpp"
#include "gyre/task/future.hpp"

namespace gyre {
class Scope;
}

namespace gyre::actor {

template <class T>
class Answer;
using Acknowledgement = Answer<void>;  // that a message was taken, or an actor has ended
class Host;
class Wire;
struct WorkLinks;
struct HostLinks;

enum class Life : std::uint8_t { open, draining, stopping, ended };

class Work : public Link<WorkLinks> {
public:
    [[nodiscard]] virtual Task& task() noexcept = 0;
    // Of a handler: the exclusive actor that waits for its end; none where there is none.
    [[nodiscard]] virtual AnyRef waiting_actor() const { return {}; }
    void unlink_work() noexcept { Link<WorkLinks>::unlink(); }
    std::uint64_t timer_id = 0;  // 0: a handler

protected:
    ~Work() = default;
};

// Whether a message was let in: taken, to be put in; dropped, which is as good for the sender.
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
        // Relaxed: whoever shares holds one already.
        shares_.fetch_add(1, std::memory_order_relaxed);
    }
    void drop() noexcept {
        // Acquire and release: the last one to let go sees what the others did.
        if (shares_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
    }
    [[nodiscard]] bool is_here() const noexcept { return thread_mark_ == FramePool::this_thread(); }
    // What it is reached through, where it is in another process; null otherwise.
    [[nodiscard]] Wire* wire() const noexcept { return wire_.get(); }
    [[nodiscard]] Host& host() const noexcept { return *host_; }
    [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
    [[nodiscard]] std::string name() const;
    [[nodiscard]] bool has_name() const noexcept { return name_ != nullptr; }
    [[nodiscard]] Life life() const noexcept { return life_.load(std::memory_order_acquire); }
    [[nodiscard]] std::uint32_t length() const noexcept {
        // Relaxed: a figure of a moment.
        return length_.load(std::memory_order_relaxed) + arriving_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] bool is_exclusive() const noexcept { return order_ == Order::exclusive; }
    [[nodiscard]] virtual const std::type_info& actor_type() const noexcept = 0;

    // A message from this thread: whether it is let in; then put it in.
    [[nodiscard]] GYRE_HOT Admission admit(const std::type_info& type) noexcept {
        // Relaxed: written by this thread; what arrives meanwhile was counted by its sender.
        if (life_.load(std::memory_order_relaxed) == Life::open &&
            length_.load(std::memory_order_relaxed) + arriving_.load(std::memory_order_relaxed) <
                capacity_) [[likely]] {
            return Admission::taken;
        }
        return admit_slowly(type);
    }
    GYRE_HOT void put(Envelope& envelope) noexcept {
        mail_.push(envelope);
        set_length(length_.load(std::memory_order_relaxed) + 1);
        if (holds_ == 0 && !is_scheduled_) schedule();
    }
    // A message from another thread: whether it may be sent; then post it.
    [[nodiscard]] Admission admit_from_elsewhere(const std::type_info& type) noexcept;
    void withdraw_arrival() noexcept { arriving_.fetch_sub(1, std::memory_order_acq_rel); }
    void arrive(Envelope& envelope) noexcept;
    // Waits for room, if there is none.
    void put_when_room(Envelope& envelope, Acknowledgement& told) noexcept;
    // A message of the machinery, before all others, and without a limit.
    void put_urgent(Envelope& envelope) noexcept {
        urgent_.push(envelope);
        schedule();
    }
    void lose(Envelope& envelope, Lost why) noexcept;
    // Any thread; takes the signal over.
    static void send(Signal* signal) noexcept;
    void take(Signal& signal) noexcept;
    // Any thread: to who watched an actor that has ended, or is linked with one.
    static void tell_watcher(const AnyRef& who, Signal::Tell tell, Terminated end) noexcept;
    static void tell_linked(const AnyRef& who, const AnyRef& of,
                            std::exception_ptr failure) noexcept;

    // For the host: handles up to so many, and gives how many. It may be gone then.
    std::uint32_t run(std::uint32_t count_max) noexcept;
    // Throws what the constructor does; then it has ended.
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
        if (order_ == Order::exclusive) holds_ |= busy;
    }
    void on_handler_ended(std::exception_ptr failure) noexcept;
    void on_timer_ended() noexcept;
    // Whether handlers end because they are cancelled.
    [[nodiscard]] bool is_ending_handlers() const noexcept;
    void fail(std::exception_ptr failure) noexcept;

    // For the actor itself.
    [[nodiscard]] std::uint64_t start_timer(Future<void> future);
    void cancel_timer(std::uint64_t id) noexcept;
    [[nodiscard]] Result<void> stash(Envelope& envelope) noexcept;
    void unstash_all() noexcept;
    void add_child(Cell& child);
    void forget_child(Cell& child) noexcept;
    void watch(Cell& other, Signal::Tell tell);
    void unwatch(Cell& other);
    void link_with(Cell& other);
    void unlink_from(Cell& other);
    void tell_end(Acknowledgement& waiter) noexcept;
    [[nodiscard]] Counts counts() const noexcept;
    void describe(std::string& into, unsigned depth) const;
    [[nodiscard]] Cell* parent() const noexcept { return parent_.cell(); }

protected:
    Cell(Host* host, const void* thread_mark, std::uint64_t id, ActorOptions& options,
         Cell* parent);
    Cell(std::unique_ptr<Wire> wire, std::string name);
    virtual ~Cell();

    // Makes the object, or destroys it.
    virtual void construct() = 0;
    virtual void destruct() noexcept = 0;
    virtual void destroy() noexcept = 0;

    void* object_ = nullptr;

private:
    friend class Host;
    friend class ReadyCells;

    static constexpr std::uint64_t back_off_timer = ~std::uint64_t{0};
    enum Hold : std::uint8_t { unmade = 1, busy = 2, restarting = 4 };
    struct Watcher {
        AnyRef who;
        Signal::Tell tell;
    };
    struct Poster {
        Envelope* envelope;
        Acknowledgement* told;
    };
    // What few actors have.
    struct Rare : Pooled {
        std::vector<AnyRef> children;
        std::vector<Watcher> watchers;
        std::vector<AnyRef> links;
        OpQueue end_waiters;          // Acknowledgements
        std::vector<Poster> posters;  // the oldest first
        Mail stashed;
        std::uint32_t stashed_count = 0;
        std::uint32_t stash_max = 1024;
        std::exception_ptr failure;  // that it ends with
        RestartOptions restart;
        Instant window_start;
        std::uint32_t window_count = 0;
        std::uint64_t restart_count = 0;
        std::uint64_t dropped_count = 0;
        Duration busy{0};
        bool is_children_told = false;
    };
    Rare& rare();

    void set_length(std::uint32_t length) noexcept {
        // Relaxed: this thread alone writes it; others read a figure.
        length_.store(length, std::memory_order_relaxed);
    }
    [[gnu::cold]] Admission admit_slowly(const std::type_info& type) noexcept;
    void schedule() noexcept;
    void handle_next() noexcept;
    void take_urgent() noexcept;
    void drop_oldest() noexcept;
    void let_posters_in() noexcept;
    void drop_posters() noexcept;
    void drop_mail() noexcept;
    void cancel_works(bool timers_only) noexcept;
    void stop_children(SignalKind how) noexcept;
    void child_ended(Signal& signal) noexcept;
    // What it ended with. From another thread only once it is unborn or its loop has gone: nobody
    // writes it then.
    [[nodiscard]] std::exception_ptr end_failure() const noexcept {
        return rare_ == nullptr ? nullptr : rare_->failure;
    }
    // What is to happen when what it waits for has ended. True: it has ended, and may be gone.
    bool advance() noexcept;
    void begin_restart(std::exception_ptr failure, const std::string& why) noexcept;
    [[nodiscard]] Duration back_off_delay() const noexcept;
    void replace_object() noexcept;
    void restart_now() noexcept;
    void end_with(std::exception_ptr failure) noexcept;
    static Future<void> back_off(Cell& cell, Duration delay);
    void end() noexcept;
    void end_unborn() noexcept;

    Atomic<std::uint32_t> shares_{1};
    Atomic<std::uint32_t> arriving_{0};
    Atomic<std::uint32_t> length_{0};
    const std::uint32_t capacity_;
    Host* const host_;
    const void* const thread_mark_;
    const std::unique_ptr<Wire> wire_;
    Atomic<Life> life_{Life::open};
    std::uint8_t holds_ = unmade;
    const Order order_;
    const WhenFull when_full_;
    const OnFailure on_failure_;
    bool is_scheduled_ = false;
    bool has_posters_ = false;
    bool is_escalating_ = false;
    Mail mail_;
    Mail urgent_;
    Cell* next_ready_ = nullptr;
    Queue<Work, WorkLinks> works_;
    std::uint64_t handled_count_ = 0;
    std::uint64_t failed_count_ = 0;
    const std::uint64_t id_;
    std::unique_ptr<const std::string> name_;
    Rare* rare_ = nullptr;
    const AnyRef parent_;
    std::uint32_t child_index_ = 0;  // the parent's to use
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

}  // namespace gyre::actor
