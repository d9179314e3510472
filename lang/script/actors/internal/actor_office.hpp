// SPDX-License-Identifier: Apache-2.0
// ActorOffice: the natives behind gyre:actors. An actor is a number: those that the script spawns are
// numbered by it, from 1; those of the host by the office, below 0. The listener of the script is told
// onDone(listener, letter, "actor\nmethod\narguments") for a message, which it answers by its number, and
// onDone(listener, 0, "restart\nactor") and (listener, 0, "end\nactor"). A call that is answered by onDone
// gets 0 and the answer, or 1 and the error as "code\0name\0message". The script's thread.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/scope.hpp"
#include "lang/script/actors/actors.hpp"
#include "lang/script/engine.hpp"

namespace gyre::script {

class ActorOffice {
public:
    // Of a script that have not ended: actorSpawn fails beyond.
    static constexpr std::size_t actor_count_max = 100'000;
    // Of the letters of a script that have not been handled: sends fail beyond.
    static constexpr std::size_t waiting_bytes_max = std::size_t{256} << 20u;
    // What a letter counts for besides its text: its handler's frame.
    static constexpr std::size_t letter_bytes = 1024;

    ActorOffice(Script& script, Executor& executor) : script_(script), executor_(executor) {}

    // actorsListen(listener)
    void listen(NativeCall& call);
    // actorSpawn(actor, name, capacity, when full, order, on failure, restarts, within in ms)
    void spawn(NativeCall& call);
    // actorFind(name): the number of the actor; undefined: there is none.
    void find(NativeCall& call);
    // actorSend(actor, method, arguments): 0 taken, 1 the mailbox is full, 2 the actor has ended
    void send(NativeCall& call);
    // actorPost(done, actor, method, arguments), actorAsk(done, actor, method, arguments, timeout in ms or 0)
    void post(NativeCall& call);
    void ask(NativeCall& call);
    // actorCancel(done)
    void cancel(NativeCall& call);
    // actorAnswer(letter, whether it is fine, JSON; or, of an error, its name and message)
    void answer(NativeCall& call);
    // actorStop(actor, whether at once)
    void stop(NativeCall& call);
    // actorIsEnded(actor)
    void is_ended(NativeCall& call);
    // actorDump(): the actors as a tree, with their counters.
    void dump(NativeCall& call);

    // For ScriptActor: an object of it was made, and it has a letter.
    void note_object(double number);
    [[nodiscard]] Future<std::string> deliver(double number, Letter letter);

    void open();
    void give(std::string name, std::shared_ptr<LetterBox> box);
    [[nodiscard]] actor::System& system() noexcept { return system_; }

private:
    using Box = std::shared_ptr<LetterBox>;
    class Told;
    class Waiting;

    [[nodiscard]] Box box_of(NativeCall& call, std::size_t index);
    [[nodiscard]] std::optional<Letter> letter_of(NativeCall& call, std::size_t method);
    [[nodiscard]] Future<void> tell_end(double number, Box box);
    [[nodiscard]] Future<void> run_later(std::unique_ptr<Told> told, Future<std::string> work);
    void start(double done, Future<std::string> work);

    Script& script_;
    Executor& executor_;
    double listener_ = 0;
    std::shared_ptr<std::size_t> waiting_bytes_ = std::make_shared<std::size_t>(0);
    double last_letter_ = 0;
    double last_given_ = 0;
    std::map<double, Promise<std::string>> answers_;  // by letter
    std::map<double, Box> boxes_;
    std::map<double, bool> has_object_;  // of the script's actors: one more object is a restart
    std::map<std::string, double, std::less<>> given_;
    std::map<double, TaskHandle<void>> running_;  // by the call that is answered
    std::size_t running_kept_ = 16;  // so many handles are kept before the ended ones go
    bool is_open_ = false;
    actor::System system_;
};

}  // namespace gyre::script
