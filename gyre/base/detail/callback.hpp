// SPDX-License-Identifier: Apache-2.0
// Callback: a stored callable that can be called many times. Three words: a trivially copyable
// callable of up to two words is stored inline, a larger one is allocated when the callback is
// constructed; a call allocates nothing. A callback may be replaced while it runs, also by itself.
// One thread at a time. Whether it may throw is decided by the code that calls it.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace gyre {

// A callback with its argument types erased, so that one slot can hold any signature.
class AnyCallback {
public:
    AnyCallback() noexcept = default;
    AnyCallback(AnyCallback&& other) noexcept
        : table_(std::exchange(other.table_, nullptr)), storage_(other.storage_) {}
    AnyCallback& operator=(AnyCallback&& other) noexcept {
        if (this == &other) return *this;
        reset();
        table_ = std::exchange(other.table_, nullptr);
        storage_ = other.storage_;
        return *this;
    }
    ~AnyCallback() { reset(); }

    [[nodiscard]] explicit operator bool() const noexcept { return table_ != nullptr; }

    void reset() noexcept {
        const Table* table = std::exchange(table_, nullptr);
        if (table != nullptr && table->destroy != nullptr) table->destroy(&storage_);
    }

    // The argument types must be those it was made with. An empty callback does nothing. Keeps the
    // callback, unless the call has replaced it.
    template <class... Args>
    void call(Args... args) {
        if (table_ == nullptr || table_ == &running_mark) return;
        if (table_->destroy == nullptr) {
            Storage running = storage_;
            invoke<Args...>(*table_, running, args...);
            return;
        }
        AnyCallback running = std::move(*this);
        table_ = &running_mark;
        struct PutBack {  // also when the call throws
            ~PutBack() {
                if (place.table_ == &running_mark) place = std::move(running);
            }
            AnyCallback& place;
            AnyCallback& running;
        } put_back{*this, running};
        invoke<Args...>(*running.table_, running.storage_, args...);
    }

    // For a callback that no other code can reach while it runs: it is called in place.
    template <class... Args>
    void call_unshared(Args... args) {
        if (table_ != nullptr) invoke<Args...>(*table_, storage_, args...);
    }

    // The last call: the object that holds the callback may be destroyed when it returns.
    template <class... Args>
    void call_last(Args... args) {
        AnyCallback running = std::move(*this);
        if (running.table_ != nullptr) invoke<Args...>(*running.table_, running.storage_, args...);
    }

protected:
    struct alignas(void*) Storage {
        std::array<std::byte, 16> bytes;
    };
    struct Table {
        void (*invoke)();  // as void (*)(Storage&, Args...)
        void (*destroy)(Storage*) noexcept;
    };

    template <class Callable>
    static constexpr bool fits =
        std::is_trivially_copyable_v<Callable> && sizeof(Callable) <= sizeof(Storage::bytes) &&
        alignof(Callable) <= alignof(Storage);

    // Stored in place of a callback that runs: if the call replaces it, even by an empty callback,
    // the replacement stays.
    static constexpr Table running_mark = {nullptr, nullptr};

    const Table* table_ = nullptr;
    Storage storage_{};

private:
    template <class... Args>
    static void invoke(const Table& table, Storage& storage, Args... args) {
        reinterpret_cast<void (*)(Storage&, Args...)>(table.invoke)(storage, args...);
    }
};

template <class... Args>
class Callback : public AnyCallback {
public:
    Callback() noexcept = default;

    template <class Callable>
        requires(!std::is_same_v<std::decay_t<Callable>, Callback> &&
                 std::is_invocable_v<std::decay_t<Callable>&, Args...>)
    Callback(Callable&& callable) {  // implicit, so that a lambda can be passed
        using Stored = std::decay_t<Callable>;
        if constexpr (fits<Stored>) {
            std::construct_at(reinterpret_cast<Stored*>(&storage_),
                              std::forward<Callable>(callable));
        } else {
            auto* stored = new Stored(std::forward<Callable>(callable));
            std::memcpy(&storage_, &stored, sizeof stored);
        }
        table_ = &table_of<Stored>;
    }

    void operator()(Args... args) { call<Args...>(args...); }

private:
    template <class Stored>
    static Stored& stored_in(Storage& storage) noexcept {
        if constexpr (fits<Stored>) {
            return *std::launder(reinterpret_cast<Stored*>(&storage));
        } else {
            Stored* stored;
            std::memcpy(&stored, &storage, sizeof stored);
            return *stored;
        }
    }
    template <class Stored>
    static void run(Storage& storage, Args... args) {
        stored_in<Stored>(storage)(args...);
    }
    template <class Stored>
    static void destroy(Storage* storage) noexcept {
        delete &stored_in<Stored>(*storage);
    }
    template <class Stored>
    static inline const Table table_of = {reinterpret_cast<void (*)()>(&run<Stored>),
                                          fits<Stored> ? nullptr : &destroy<Stored>};
};

}  // namespace gyre
