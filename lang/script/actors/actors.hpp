// SPDX-License-Identifier: Apache-2.0
// ScriptActors: gives a script the module gyre:actors. An object of a script is an actor of gyre/actor; C++
// and scripts send each other Letters: the name of a method, and its arguments as a JSON array.
//
//     script::World world(program, executor);
//     script::ScriptActors actors(program, world);
//     actors.give("bank", bank);                       // find('bank').ask('balance', [42])
//
//     auto counter = actors.find("counter");           // spawn(Counter, { name: 'counter' })
//     const script::Letter letter{"add", "[3]"};
//     const std::string total = co_await counter->ask(letter);
//
// A C++ actor that is given to scripts has a handler of Letter that returns void, or the answer as JSON in
// a std::string, or a Future of either.
//
// Thread: the script's.
// Lifetime: made after the World and before the loop; destroyed after the loop and before the World.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "gyre/actor/actor.hpp"

namespace gyre::script {

class Script;
class World;

// A message of a script, or to one.
struct Letter {
    std::string method;
    std::string arguments = "[]";  // JSON
    // What the waiting letters of a script are counted by; null for a letter of C++.
    std::shared_ptr<void> weight = nullptr;
};

// What a method of a script threw.
class ScriptActorFailed : public std::runtime_error {
public:
    ScriptActorFailed(std::string name, const std::string& message)
        : std::runtime_error(message), name_(std::move(name)) {}
    [[nodiscard]] const std::string& name() const noexcept { return name_; }  // "TypeError"

private:
    std::string name_;
};

class ActorOffice;

// The actor of an object of a script. An ask fails with ScriptActorFailed when the method throws.
class ScriptActor : public actor::Actor<ScriptActor> {
public:
    ScriptActor(ActorOffice* office, double number);
    [[nodiscard]] Future<std::string> handle(Letter letter);

private:
    ActorOffice* office_;
    double number_;
};

// An actor of any class that handles letters, as scripts see it.
class LetterBox {
public:
    virtual ~LetterBox() = default;
    [[nodiscard]] virtual actor::Sent send(Letter letter) = 0;
    [[nodiscard]] virtual Future<void> post(Letter letter) = 0;
    [[nodiscard]] virtual Future<std::string> ask(Letter letter) = 0;
    [[nodiscard]] virtual Future<void> ended() = 0;
    [[nodiscard]] virtual const actor::AnyRef& reference() const noexcept = 0;
};

template <class A>
class LetterBoxOf final : public LetterBox {
public:
    explicit LetterBoxOf(actor::Ref<A> to) : to_(std::move(to)) {}
    actor::Sent send(Letter letter) override { return to_.send(std::move(letter)); }
    Future<void> post(Letter letter) override { co_await to_.post(letter); }
    Future<std::string> ask(Letter letter) override {
        if constexpr (std::is_void_v<actor::AnswerOf<A, Letter>>) {
            co_await to_.ask(letter);
            co_return std::string("null");
        } else {
            co_return co_await to_.ask(letter);
        }
    }
    Future<void> ended() override { co_await to_.ended(); }
    const actor::AnyRef& reference() const noexcept override { return to_; }

private:
    const actor::Ref<A> to_;
};

class ScriptActors {
public:
    ScriptActors(Script& script, World& world);
    ~ScriptActors();
    ScriptActors(const ScriptActors&) = delete;
    ScriptActors& operator=(const ScriptActors&) = delete;

    // Scripts find the actor by this name; it lives on the script's loop, or on one of a system that is
    // open there.
    template <class A>
        requires actor::Handles<A, Letter>
    void give(std::string name, actor::Ref<A> to) {
        give_box(std::move(name), std::make_shared<LetterBoxOf<A>>(std::move(to)));
    }
    // The actor that the script has spawned with this name.
    [[nodiscard]] std::optional<actor::Ref<ScriptActor>> find(const std::string& name) const;
    // Of the script's actors. Opened on the script's loop by the first actor, or by `open`.
    [[nodiscard]] actor::System& system() noexcept;
    // While the loop turns: for a host that spawns actors before the script does.
    void open();

private:
    void give_box(std::string name, std::shared_ptr<LetterBox> box);
    struct Parts;
    const std::unique_ptr<Parts> parts_;
};

}  // namespace gyre::script
