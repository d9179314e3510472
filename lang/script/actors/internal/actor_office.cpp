// SPDX-License-Identifier: Apache-2.0
#include "lang/script/actors/internal/actor_office.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <utility>

#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/cancel.hpp"
#include "lang/script/script.hpp"

namespace gyre::script {
namespace {

// An actor that the office does not know any more.
class HasEnded : public actor::ActorError {
public:
    HasEnded() : ActorError(actor::actor_ended, "the actor has ended") {}
};

std::string number_text(double number) {
    return std::to_string(static_cast<long long>(number));
}

std::string error_text(std::string_view code, std::string_view name, std::string_view message) {
    std::string text(code);
    text.append(1, '\0').append(name).append(1, '\0').append(message);
    return text;
}

// The error that an answer is, as the script is told of it.
std::string error_text(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const ScriptActorFailed& error) {
        return error_text("ERR_ACTOR_FAILED", error.name(), error.what());
    } catch (const HasEnded& error) {
        return error_text("ERR_ACTOR_ENDED", "Error", error.what());
    } catch (const actor::ActorEnded& error) {
        return error_text("ERR_ACTOR_ENDED", "Error", error.what());
    } catch (const actor::MailboxFull& error) {
        return error_text("ERR_MAILBOX_FULL", "Error", error.what());
    } catch (const actor::CallCycle& error) {
        return error_text("ERR_ACTOR_CYCLE", "Error", error.what());
    } catch (const TimeoutError&) {
        return error_text("ERR_ACTOR_TIMEOUT", "Error", "the actor did not answer in time");
    } catch (const std::exception& error) {
        return error_text("ERR_ACTOR_FAILED", "Error", error.what());
    }
}

}  // namespace

// What a call is told, also when its task was cancelled before it began.
class ActorOffice::Told {
public:
    Told(Script& script, double done) noexcept : script_(script), done_(done) {}
    ~Told() { script_.post_event(done_, number, std::move(text)); }
    Told(const Told&) = delete;
    Told& operator=(const Told&) = delete;

    double number = 1;
    std::string text = error_text("ERR_ACTOR_CANCELLED", "Error", "the call was cancelled");

private:
    Script& script_;
    const double done_;
};

// A letter that the script has and has not answered.
class ActorOffice::Waiting {
public:
    explicit Waiting(ActorOffice& of) : of_(of), number(++of.last_letter_) {}
    ~Waiting() { of_.answers_.erase(number); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

private:
    ActorOffice& of_;

public:
    const double number;
};

void ActorOffice::open() {
    if (std::exchange(is_open_, true)) return;
    system_.open(executor_.root());
}

void ActorOffice::give(std::string name, std::shared_ptr<LetterBox> box) {
    const double number = --last_given_;
    boxes_.insert_or_assign(number, std::move(box));
    given_.insert_or_assign(std::move(name), number);
}

void ActorOffice::listen(NativeCall& call) {
    listener_ = call.number(0);
}

ActorOffice::Box ActorOffice::box_of(NativeCall& call, std::size_t index) {
    const auto found = boxes_.find(call.number(index));
    return found == boxes_.end() ? nullptr : found->second;
}

// Nothing: too much waits.
std::optional<Letter> ActorOffice::letter_of(NativeCall& call, std::size_t method) {
    Letter letter{.method = call.text(method), .arguments = call.text(method + 1)};
    const std::size_t size = letter_bytes + letter.method.size() + letter.arguments.size();
    if (*waiting_bytes_ + size > waiting_bytes_max) {
        call.fail("RangeError", "Too many letters of actors wait to be handled (limit: 256 MiB)");
        return std::nullopt;
    }
    *waiting_bytes_ += size;
    // Also letters that outlive the office are counted.
    letter.weight =
        std::shared_ptr<void>(nullptr, [bytes = waiting_bytes_, size](void*) { *bytes -= size; });
    return letter;
}

// ---- Actors of the script ----

void ActorOffice::spawn(NativeCall& call) {
    if (has_object_.size() >= actor_count_max)
        return call.fail("RangeError", "Too many actors live at a time (limit: 100000)");
    open();
    const double number = call.number(0);
    actor::ActorOptions options;
    options.name = call.text(1);
    options.mailbox.capacity = static_cast<std::uint32_t>(call.number(2));
    const std::string when_full = call.text(3);
    options.mailbox.when_full = when_full == "drop-oldest"   ? actor::WhenFull::drop_oldest
                                : when_full == "drop-newest" ? actor::WhenFull::drop_newest
                                                             : actor::WhenFull::reject;
    if (call.text(4) == "exclusive") options.order = actor::Order::exclusive;
    const std::string on_failure = call.text(5);
    options.on_failure = on_failure == "resume"    ? actor::OnFailure::resume
                         : on_failure == "restart" ? actor::OnFailure::restart
                                                   : actor::OnFailure::stop;
    options.restart.count_max = static_cast<std::uint32_t>(call.number(6));
    options.restart.within = std::chrono::milliseconds(static_cast<std::int64_t>(call.number(7)));
    try {
        if (given_.contains(options.name)) throw actor::NameTaken(options.name);
        auto made = std::make_shared<LetterBoxOf<ScriptActor>>(
            system_.spawn_with<ScriptActor>(options, this, number));
        boxes_.emplace(number, made);
        static_cast<void>(executor_.root().spawn(tell_end(number, std::move(made))));
    } catch (const actor::NameTaken& error) {
        has_object_.erase(number);
        call.fail("Error", error.what());
    }
}

Future<void> ActorOffice::tell_end(double number, Box box) {
    co_await box->ended();
    boxes_.erase(number);
    has_object_.erase(number);
    script_.post_event(listener_, 0, "end\n" + number_text(number));
}

void ActorOffice::note_object(double number) {
    if (has_object_.emplace(number, true).second) return;
    script_.post_event(listener_, 0, "restart\n" + number_text(number));
}

Future<std::string> ActorOffice::deliver(double number, Letter letter) {
    const Waiting waiting(*this);
    Promise<std::string> promise;
    Future<std::string> answer = promise.future();
    answers_.emplace(waiting.number, std::move(promise));
    std::string text = number_text(number);
    text.append("\n").append(letter.method).append("\n").append(letter.arguments);
    script_.post_event(listener_, waiting.number, std::move(text));
    co_return co_await std::move(answer);
}

void ActorOffice::answer(NativeCall& call) {
    const auto found = answers_.find(call.number(0));
    if (found == answers_.end()) return;  // Its actor has ended, or was restarted.
    Promise<std::string> promise = std::move(found->second);
    answers_.erase(found);
    if (call.truth(1)) {
        promise.resolve(call.text(2));
    } else {
        promise.reject(std::make_exception_ptr(ScriptActorFailed(call.text(2), call.text(3))));
    }
}

// ---- Messages ----

void ActorOffice::find(NativeCall& call) {
    const std::string name = call.text(0);
    if (const auto found = given_.find(name); found != given_.end())
        return call.give_number(found->second);
    const std::optional<actor::Ref<ScriptActor>> actor = system_.find<ScriptActor>(name);
    if (!actor) return;
    for (const auto& [number, box] : boxes_) {
        if (box->reference() == *actor) return call.give_number(number);
    }
}

void ActorOffice::send(NativeCall& call) {
    const Box box = box_of(call, 0);
    if (box == nullptr) return call.give_number(2);
    std::optional<Letter> letter = letter_of(call, 1);
    if (!letter) return;
    const actor::Sent sent = box->send(std::move(*letter));
    call.give_number(sent ? 0 : sent.error() == Error(actor::mailbox_full) ? 1 : 2);
}

void ActorOffice::post(NativeCall& call) {
    const Box box = box_of(call, 1);
    std::optional<Letter> letter = letter_of(call, 2);
    if (!letter) return;
    const auto work = [](Box to, Letter given) -> Future<std::string> {
        if (to == nullptr) throw HasEnded();
        co_await to->post(std::move(given));
        co_return std::string("null");
    };
    start(call.number(0), work(box, std::move(*letter)));
}

void ActorOffice::ask(NativeCall& call) {
    const Box box = box_of(call, 1);
    std::optional<Letter> letter = letter_of(call, 2);
    if (!letter) return;
    const auto work = [](Box to, Letter given, Duration within) -> Future<std::string> {
        if (to == nullptr) throw HasEnded();
        Future<std::string> asked = to->ask(std::move(given));
        if (within == Duration(0)) co_return co_await std::move(asked);
        co_return co_await timeout(std::move(asked), within);
    };
    const double ms = call.number(4);
    const auto within = std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(ms)));
    start(call.number(0), work(box, std::move(*letter), within));
}

// Only here do handles go, because none must go inside of its own task.
void ActorOffice::start(double done, Future<std::string> work) {
    if (running_.size() >= running_kept_) {
        std::erase_if(running_, [](const auto& one) { return one.second.is_completed(); });
        running_kept_ = 2 * running_.size() + 16;
    }
    running_.insert_or_assign(done, executor_.root().spawn(run_later(
                                        std::make_unique<Told>(script_, done), std::move(work))));
}

Future<void> ActorOffice::run_later(std::unique_ptr<Told> told, Future<std::string> work) {
    try {
        told->text = co_await std::move(work);
        told->number = 0;
    } catch (const Cancelled&) {
        co_return;  // It says so already.
    } catch (...) {
        told->text = error_text(std::current_exception());
    }
}

void ActorOffice::cancel(NativeCall& call) {
    const auto found = running_.find(call.number(0));
    if (found != running_.end()) found->second.cancel("the script has no interest in it any more");
}

void ActorOffice::stop(NativeCall& call) {
    const Box box = box_of(call, 0);
    if (box == nullptr) return;
    call.truth(1) ? box->reference().stop_now() : box->reference().stop();
}

void ActorOffice::is_ended(NativeCall& call) {
    const Box box = box_of(call, 0);
    call.give_truth(box == nullptr || box->reference().is_ended());
}

void ActorOffice::dump(NativeCall& call) {
    call.give_text(is_open_ ? system_.dump_actors() : std::string());
}

}  // namespace gyre::script
