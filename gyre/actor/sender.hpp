// SPDX-License-Identifier: Apache-2.0
// Sender<T>: a receiver of values of type T: an actor that handles T, or a Promise<T>. So a message
// can carry the address to answer to.
//
//     Promise<Rows> promise;
//     Future<Rows> rows = promise.future();
//     Query query{"select 1", Sender<Rows>(std::move(promise))};
//     co_await database.post(query);
//     use(co_await std::move(rows));
//
// Thread: any. Make a Sender of a promise on a loop that the system has opened: the promise is
// settled there.
// Lifetime: a reference-counted value: it may outlive the actor and the promise's loop. When the
// last copy is dropped without a send, the promise is broken.
// Errors: a promise takes one value. A second send on the promise's loop fails with
// `already_connected`; from another loop it has no effect.
#pragma once

#include <memory>
#include <utility>

#include "gyre/actor/ref.hpp"
#include "gyre/task/core/promise.hpp"

namespace gyre::actor {

template <class T>
class Sender {
public:
    Sender() noexcept = default;
    template <class A>
        requires Handles<A, T>
    Sender(Ref<A> actor) noexcept  // NOLINT: a Ref is one
        : actor_(std::move(actor)), send_to_(&send_to<A>) {}
    explicit Sender(Promise<T> promise)
        : box_(new PromiseBox(std::move(promise)), &PromiseBox::destroy) {}

    [[nodiscard]] explicit operator bool() const noexcept { return actor_ || box_ != nullptr; }

    // The error `actor_ended` (also when it is empty) or `mailbox_full`.
    Sent send(T value) const {
        if (box_ != nullptr) return box_->send(box_, std::move(value));
        if (!actor_) return Result<void>(std::unexpected(Error(actor_ended)));
        return send_to_(*actor_.cell(), std::move(value));
    }

private:
    template <class A>
    static Result<void> send_to(Cell& cell, T value) {
        return Ref<A>(cell).send(std::move(value));
    }

    // Holds the promise, which only its own loop touches.
    class PromiseBox {
    public:
        explicit PromiseBox(Promise<T> promise)
            : promise_(std::move(promise)), home_(ActorHost::here()) {
            GYRE_ASSERT(home_ != nullptr,
                        "make the Sender of a promise on a loop that a system has opened");
            home_->share();
        }
        ~PromiseBox() { home_->drop(); }
        PromiseBox(const PromiseBox&) = delete;
        PromiseBox& operator=(const PromiseBox&) = delete;

        Result<void> send(const std::shared_ptr<PromiseBox>& self, T&& value) {
            if (home_->is_here()) return settle(std::move(value));
            auto delivery = std::make_unique<Delivery>(self, std::move(value));
            if (!home_->post(*delivery)) return std::unexpected(Error(actor_ended));
            static_cast<void>(delivery.release());
            return {};
        }
        static void destroy(PromiseBox* box) noexcept {
            if (!box->home_->is_here()) {
                auto release = std::make_unique<Release>(*box);
                if (box->home_->post(*release)) {
                    static_cast<void>(release.release());
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
        struct Delivery final : ExecutorMessage, Allotted<alignof(T)> {
            Delivery(std::shared_ptr<PromiseBox> given, T&& item)
                : ExecutorMessage(&on_arrival), box(std::move(given)), value(std::move(item)) {}
            static void on_arrival(ExecutorMessage& message, Executor& /*at*/) noexcept {
                const std::unique_ptr<Delivery> own(static_cast<Delivery*>(&message));
                own->box->home_->note_arrival();
                static_cast<void>(own->box->settle(std::move(own->value)));
            }
            std::shared_ptr<PromiseBox> box;
            T value;
        };
        struct Release final : ExecutorMessage, Pooled {
            explicit Release(PromiseBox& given) noexcept
                : ExecutorMessage(&on_arrival), box(given) {}
            static void on_arrival(ExecutorMessage& message, Executor& /*at*/) noexcept {
                const std::unique_ptr<Release> own(static_cast<Release*>(&message));
                own->box.home_->note_arrival();
                delete &own->box;
            }
            PromiseBox& box;
        };

        Promise<T> promise_;
        ActorHost* const home_;
    };

    AnyRef actor_;
    Result<void> (*send_to_)(Cell& cell, T value) = nullptr;
    std::shared_ptr<PromiseBox> box_;
};

}  // namespace gyre::actor
