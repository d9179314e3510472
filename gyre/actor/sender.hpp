// SPDX-License-Identifier: Apache-2.0
// Sender<T>: where a T can be sent, whoever is there: an actor that handles T, or a Promise<T> that
// somebody waits for. So a message can carry where to answer. Cheap to copy, free to go to any
// thread, and good for ever.
//
//     Promise<Rows> promise;  auto rows = promise.future();
//     database.send(Query{"...", Sender<Rows>(std::move(promise))});
//     use(co_await rows);
//
// A promise is settled on its own loop, once: a second send says already_connected where it knows,
// and does nothing otherwise. Where the last copy goes without a send, the promise is broken.
#pragma once

#include <memory>
#include <utility>

#include "gyre/actor/ref.hpp"
#include "gyre/task/promise.hpp"

namespace gyre::actor {

template <class T>
class Sender {
public:
    Sender() noexcept = default;
    template <class A>
        requires Handles<A, T>
    Sender(Ref<A> actor) noexcept  // NOLINT: a Ref is one
        : actor_(std::move(actor)), send_to_(&send_to<A>) {}
    // Of a task on a loop that a system has opened.
    explicit Sender(Promise<T> promise) : box_(new Box(std::move(promise)), &Box::let_go) {}

    [[nodiscard]] explicit operator bool() const noexcept { return actor_ || box_ != nullptr; }

    // Says no where nobody is there (actor_ended), or an actor's mailbox is full (mailbox_full).
    Result<void> send(T value) const {
        if (box_ != nullptr) return box_->send(box_, std::move(value));
        if (!actor_) return std::unexpected(Error(actor_ended));
        return send_to_(*actor_.cell(), std::move(value));
    }

private:
    template <class A>
    static Result<void> send_to(Cell& cell, T value) {
        return Ref<A>(cell).send(std::move(value));
    }

    // The promise, which only its own loop touches.
    class Box {
    public:
        explicit Box(Promise<T> promise) : promise_(std::move(promise)), home_(Host::here()) {
            GYRE_ASSERT(home_ != nullptr,
                        "the promise of a Sender is made on a loop that a system has opened");
            home_->share();
        }
        ~Box() { home_->drop(); }
        Box(const Box&) = delete;
        Box& operator=(const Box&) = delete;

        Result<void> send(const std::shared_ptr<Box>& self, T&& value) {
            if (home_->is_here()) return settle(std::move(value));
            auto delivery = std::make_unique<Delivery>(self, std::move(value));
            if (!home_->post(*delivery)) return std::unexpected(Error(actor_ended));
            static_cast<void>(delivery.release());
            return {};
        }
        static void let_go(Box* box) noexcept {
            if (!box->home_->is_here()) {
                auto goodbye = std::make_unique<Goodbye>(*box);
                if (box->home_->post(*goodbye)) {
                    static_cast<void>(goodbye.release());
                    return;
                }
            }
            delete box;
        }

    private:
        Result<void> settle(T&& value) {
            if (promise_.is_settled()) {
                return std::unexpected(Error(std::errc::already_connected));
            }
            promise_.resolve(std::move(value));
            return {};
        }
        struct Delivery final : Posted, Allotted<alignof(T)> {
            Delivery(std::shared_ptr<Box> given, T&& item)
                : Posted(&on_arrival), box(std::move(given)), value(std::move(item)) {}
            static void on_arrival(Posted& message, Executor& /*at*/) noexcept {
                const std::unique_ptr<Delivery> own(static_cast<Delivery*>(&message));
                own->box->home_->note_arrival();
                static_cast<void>(own->box->settle(std::move(own->value)));
            }
            std::shared_ptr<Box> box;
            T value;
        };
        struct Goodbye final : Posted, Pooled {
            explicit Goodbye(Box& given) noexcept : Posted(&on_arrival), box(given) {}
            static void on_arrival(Posted& message, Executor& /*at*/) noexcept {
                const std::unique_ptr<Goodbye> own(static_cast<Goodbye*>(&message));
                own->box.home_->note_arrival();
                delete &own->box;
            }
            Box& box;
        };

        Promise<T> promise_;
        Host* const home_;
    };

    AnyRef actor_;
    Result<void> (*send_to_)(Cell& cell, T value) = nullptr;
    std::shared_ptr<Box> box_;
};

}  // namespace gyre::actor
