// SPDX-License-Identifier: Apache-2.0
#include "gyre/actor/detail/cell.hpp"

#include <utility>

#include "gyre/actor/detail/actor_host.hpp"
#include "gyre/actor/detail/reply.hpp"
#include "gyre/actor/detail/wire.hpp"
#include "gyre/actor/internal/cell_extras.hpp"
#include "gyre/actor/internal/system_state.hpp"
#include "gyre/actor/internal/timer_task.hpp"
#include "gyre/base/failure.hpp"

namespace gyre::actor {

constinit thread_local Cell* ActorInConstruction::now_ = nullptr;

Cell::Cell(ActorHost* host, const void* thread_mark, std::uint64_t id, ActorOptions& options,
           Cell* parent)
    : capacity_(options.mailbox.capacity),
      host_(host),
      thread_mark_(thread_mark),
      is_exclusive_(options.order == Order::exclusive),
      when_full_(options.mailbox.when_full),
      on_failure_(options.on_failure),
      extra_steps_(host->measures() ? measure_step : 0),
      id_(id),
      parent_(parent == nullptr ? AnyRef() : AnyRef(*parent)) {
    host_->share();
    if (!options.name.empty()) {
        name_ = std::make_unique<const std::string>(std::move(options.name));
    }
    if (options.on_failure == OnFailure::restart) extras().restart = options.restart;
    if (options.stash_max != ActorOptions().stash_max) extras().stash_max = options.stash_max;
    if (options.mailbox.poster_count_max != MailboxOptions().poster_count_max) {
        extras().poster_count_max = options.mailbox.poster_count_max;
    }
    if (is_exclusive_) host_->system().note_exclusive();
}

Cell::Cell(std::unique_ptr<Wire> wire, std::string name)
    : capacity_(0),
      host_(nullptr),
      thread_mark_(nullptr),
      wire_(std::move(wire)),
      is_exclusive_(false),
      when_full_(WhenFull::reject),
      on_failure_(OnFailure::stop),
      extra_steps_(0),
      id_(0),
      name_(std::make_unique<const std::string>(std::move(name))) {}

Cell::~Cell() {
    delete extras_;
    if (host_ != nullptr) host_->drop();
}

Cell::Extras& Cell::extras() {
    if (extras_ == nullptr) extras_ = new Extras;
    return *extras_;
}

std::string Cell::name() const {
    return name_ != nullptr ? *name_ : "actor " + std::to_string(id_ & 0xFF'FFFF'FFFFu);
}

Scope& Cell::scope() noexcept {
    return host_->scope();
}

// ---- messages

Admission Cell::admit_slowly(const std::type_info& type) noexcept {
    if (life_.load(std::memory_order_relaxed) != Life::open) {
        host_->system().count_dead_letter(*this, type);
        return Admission::ended;
    }
    if (when_full_ == WhenFull::reject) return Admission::full;
    ++extras().dropped_count;
    if (when_full_ == WhenFull::drop_newest || mail_.empty()) return Admission::dropped;
    drop_oldest();
    return Admission::taken;
}

void Cell::drop_oldest() noexcept {
    GYRE_ASSERT(!mail_.empty(), "drop the oldest message only from a mailbox that has one");
    set_length(length_.load(std::memory_order_relaxed) - 1);
    mail_.pop().drop(*this, Lost::full);
}

Admission Cell::admit_from_elsewhere(const std::type_info& type) noexcept {
    if (life() != Life::open) {
        host_->system().count_dead_letter(*this, type);
        return Admission::ended;
    }
    // Acquire: messages that arrived before are counted in length_ by now.
    const std::uint32_t before = arriving_.fetch_add(1, std::memory_order_acq_rel);
    // With the drop policies, `arrive` drops and counts.
    if (when_full_ != WhenFull::reject) return Admission::taken;
    if (before + length_.load(std::memory_order_relaxed) < capacity_) return Admission::taken;
    withdraw_arrival();
    return Admission::full;
}

void Cell::arrive(Envelope& envelope) noexcept {
    if (life() != Life::open) {
        withdraw_arrival();
        lose(envelope, Lost::ended);
        return;
    }
    const std::uint32_t length = length_.load(std::memory_order_relaxed);
    if (when_full_ != WhenFull::reject && length >= capacity_) {
        ++extras().dropped_count;
        if (when_full_ == WhenFull::drop_newest) {
            withdraw_arrival();
            envelope.drop(*this, Lost::full);
            return;
        }
        drop_oldest();
    }
    put(envelope);
    withdraw_arrival();  // After `put` has counted it: no sender may see free room in between.
}

void Cell::put_when_room(Envelope& envelope, Acknowledgement& acknowledgement) noexcept {
    if (life() != Life::open) {
        acknowledgement.reject(std::make_exception_ptr(ActorEnded(name())));
        lose(envelope, Lost::ended);
        return;
    }
    if ((extra_steps_ & poster_step) == 0 && length() < capacity_) {
        put(envelope);
        acknowledgement.resolve();
        return;
    }
    Extras& mine = extras();
    if (mine.posters.size() >= mine.poster_count_max) drop_abandoned_posters();
    if (mine.posters.size() >= mine.poster_count_max) {
        acknowledgement.reject(std::make_exception_ptr(
            LimitError("post to '" + name() + "'", "poster_count_max", mine.poster_count_max)));
        envelope.drop(*this, Lost::full);
        return;
    }
    mine.posters.push_back({&envelope, &acknowledgement});
    set_posters_wait(true);
}

// Posters that were cancelled while they waited stay in the queue until their turn, or a full queue.
void Cell::drop_abandoned_posters() noexcept {
    std::erase_if(extras_->posters, [this](const Extras::Poster& poster) {
        if (!poster.acknowledgement->is_abandoned()) return false;
        poster.envelope->drop(*this, Lost::full);
        poster.acknowledgement->resolve();
        return true;
    });
    set_posters_wait(!extras_->posters.empty());
}

// The longest waiting poster first. The message of a poster known to be cancelled is dropped.
void Cell::let_posters_in() noexcept {
    auto& posters = extras_->posters;
    std::size_t count = 0;
    for (; count < posters.size() && length() < capacity_; ++count) {
        const Extras::Poster poster = posters[count];
        if (poster.acknowledgement->is_abandoned()) {
            poster.envelope->drop(*this, Lost::full);
        } else {
            put(*poster.envelope);
        }
        poster.acknowledgement->resolve();
    }
    posters.erase(posters.begin(), posters.begin() + static_cast<std::ptrdiff_t>(count));
    set_posters_wait(!posters.empty());
}

void Cell::drop_posters() noexcept {
    if ((extra_steps_ & poster_step) == 0) return;
    set_posters_wait(false);
    for (const Extras::Poster& poster : std::exchange(extras_->posters, {})) {
        const bool is_abandoned = poster.acknowledgement->is_abandoned();
        poster.acknowledgement->reject(std::make_exception_ptr(ActorEnded(name())));
        is_abandoned ? poster.envelope->drop(*this, Lost::full)
                     : lose(*poster.envelope, Lost::ended);
    }
}

void Cell::lose(Envelope& envelope, Lost why) noexcept {
    if (why == Lost::ended) host_->system().count_dead_letter(*this, envelope.type());
    envelope.drop(*this, why);
}

Result<void> Cell::stash(Envelope& envelope) noexcept {
    Extras& mine = extras();
    if (mine.stashed_count == mine.stash_max) {
        envelope.drop(*this, Lost::full);
        return std::unexpected(Error(mailbox_full));
    }
    ++mine.stashed_count;
    mine.stashed.push(envelope);
    return {};
}

void Cell::unstash_all() noexcept {
    if (extras_ == nullptr || extras_->stashed_count == 0) return;
    set_length(length_.load(std::memory_order_relaxed) + std::exchange(extras_->stashed_count, 0));
    mail_.push_all_front(extras_->stashed);
    schedule();
}

// ---- running

bool Cell::may_restart() const noexcept {
    return on_failure_ == OnFailure::restart;
}

std::exception_ptr Cell::end_failure() const noexcept {
    return extras_ == nullptr ? nullptr : extras_->failure;
}

void Cell::make_ready() noexcept {
    is_scheduled_ = true;
    host_->make_ready(*this);
}

void Cell::put_urgent(Envelope& envelope) noexcept {
    urgent_.push(envelope);
    schedule();
}

GYRE_ALWAYS_INLINE void Cell::handle_next() noexcept {
    Envelope& envelope = mail_.pop();
    set_length(length_.load(std::memory_order_relaxed) - 1);
    ++handled_count_;
    host_->set_trace(envelope.trace_id());
    if (extra_steps_ == 0) [[likely]] {
        envelope.handle(*this);
        return;
    }
    handle_with_extra_steps(envelope);
}

void Cell::handle_with_extra_steps(Envelope& envelope) noexcept {
    if ((extra_steps_ & poster_step) != 0) let_posters_in();
    if ((extra_steps_ & measure_step) == 0) {
        envelope.handle(*this);
        return;
    }
    Platform& platform = host_->executor().loop().platform();
    const Instant begun = platform.now();
    envelope.handle(*this);
    extras().busy += platform.now() - begun;
}

bool Cell::handle_urgent() noexcept {
    if (life() == Life::stopping) return false;
    urgent_.pop().handle(*this);
    return true;
}

std::uint32_t Cell::run(std::uint32_t count_max) noexcept {
    std::uint32_t count = 0;
    for (; count < count_max && holds_ == 0; ++count) {
        if (!urgent_.empty()) [[unlikely]] {
            if (!handle_urgent()) break;
        } else if (!mail_.empty()) {
            handle_next();
        } else {
            if (life_.load(std::memory_order_relaxed) != Life::open) break;
            is_scheduled_ = false;
            return count;
        }
    }
    const bool is_changing =
        life_.load(std::memory_order_relaxed) != Life::open || (holds_ & restarting) != 0;
    if (is_changing && advance()) [[unlikely]]
        return count;
    is_scheduled_ = holds_ == 0 && (!mail_.empty() || !urgent_.empty());
    if (is_scheduled_) host_->make_ready(*this);
    return count;
}

void Cell::on_handler_ended(std::exception_ptr failure) noexcept {
    holds_ &= static_cast<std::uint8_t>(~busy);
    if (failure != nullptr) fail(std::move(failure));
    const bool is_changing = life() != Life::open || (holds_ & restarting) != 0;
    if (is_changing || !mail_.empty() || !urgent_.empty()) schedule();
}

void Cell::on_timer_ended() noexcept {
    if (life() != Life::open || (holds_ & restarting) != 0) schedule();
}

bool Cell::is_ending_handlers() const noexcept {
    return life() == Life::stopping || (holds_ & restarting) != 0;
}

std::uint64_t Cell::start_timer(Future<void> future) {
    const std::uint64_t id = ++last_timer_id_;
    scope().begin_now(*new TimerTask(*this, id, std::move(future)));
    return id;
}

void Cell::cancel_timer(std::uint64_t id) noexcept {
    works_.for_each([id](Work& work) {
        if (work.timer_id == id) work.task().cancel("the timer was cancelled");
    });
}

void Cell::cancel_works(bool timers_only) noexcept {
    works_.for_each([timers_only](Work& work) {
        const bool is_timer = work.timer_id != 0 && work.timer_id != back_off_timer;
        if (!timers_only || is_timer) work.task().cancel("its actor ends");
    });
}

Counts Cell::counts() const noexcept {
    Counts counts{.handled = handled_count_, .failed = failed_count_};
    if (extras_ == nullptr) return counts;
    counts.dropped = extras_->dropped_count;
    counts.restarts = extras_->restart_count;
    counts.busy = extras_->busy;
    return counts;
}

void Cell::describe(std::string& into, unsigned depth) const {
    static constexpr const char* lives[] = {"open", "draining", "stopping", "ended"};
    const Counts so_far = counts();
    into += std::string(2 * std::size_t{depth}, ' ') + "'" + name() + "' " +
            lives[static_cast<std::size_t>(life())] + (holds_ & restarting ? ", restarting" : "") +
            ": " + std::to_string(length()) + " waiting, " + std::to_string(works_.count()) +
            " under way, " + std::to_string(so_far.handled) + " handled, " +
            std::to_string(so_far.failed) + " failed, " + std::to_string(so_far.dropped) +
            " dropped, " + std::to_string(so_far.restarts) + " restarts";
    if (host_->measures()) into += ", busy " + std::to_string(so_far.busy.count()) + " ns";
    into += "\n";
    if (extras_ == nullptr) return;
    for (const AnyRef& child : extras_->children) {
        if (child.cell()->is_here()) child.cell()->describe(into, depth + 1);
    }
}

}  // namespace gyre::actor
