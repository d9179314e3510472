// SPDX-License-Identifier: Apache-2.0
// NativeRoutine: a Routine written as a C++ coroutine, for async functions of the standard surface:
// `co_await &future` gives its outcome, `co_yield word` whether the generator goes on, and `co_return`
// ends it. Every word that it uses after an await must be kept: its arguments by `keeping`, before it
// starts, and others by what `co_await keep()` gives. One thread.
#pragma once

#include <coroutine>
#include <exception>
#include <initializer_list>
#include <memory>
#include <utility>

#include "lang/vela/run/internal/vm.hpp"

namespace gyre::vela::vm {

// The outcome of an awaited future.
struct Settled {
    bool is_error = false;
    Word value;

    // Gives the value or throws the error.
    [[nodiscard]] Word get() const {
        if (is_error) throw Thrown{value};
        return value;
    }
};

class Kept {
public:
    explicit Kept(std::vector<Word>& words) noexcept : words_(&words) {}
    Word add(Word word) {
        words_->push_back(word);
        return word;
    }
    void add(std::span<const Word> words) {
        words_->insert(words_->end(), words.begin(), words.end());
    }

private:
    std::vector<Word>* words_;
};
struct KeepRequest {};
inline KeepRequest keep() noexcept {
    return {};
}

class NativeRoutine {
public:
    struct promise_type;
    using Handle = std::coroutine_handle<promise_type>;

    struct Wait {
        promise_type* promise;
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        void await_suspend(Handle) const noexcept {}
        [[nodiscard]] Settled await_resume() const {
            return {promise->with.kind == ResumeKind::error, promise->with.value};
        }
    };
    struct Yielded {
        promise_type* promise;
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        void await_suspend(Handle) const noexcept {}
        // False if the stream is closed.
        [[nodiscard]] bool await_resume() const {
            if (promise->with.kind == ResumeKind::error) throw Thrown{promise->with.value};
            return promise->with.kind != ResumeKind::close;
        }
    };
    struct KeptAwait {
        promise_type* promise;
        [[nodiscard]] bool await_ready() const noexcept { return true; }
        void await_suspend(Handle) const noexcept {}
        [[nodiscard]] Kept await_resume() const noexcept { return Kept(promise->kept); }
    };

    struct promise_type {
        Resume with;
        Step step;
        std::vector<Word> kept;

        NativeRoutine get_return_object() { return NativeRoutine(Handle::from_promise(*this)); }
        std::suspend_always initial_suspend() const noexcept { return {}; }
        std::suspend_always final_suspend() const noexcept { return {}; }
        Wait await_transform(Deferred* future) {
            step = {StepKind::waits, future};
            return {this};
        }
        KeptAwait await_transform(KeepRequest /*request*/) noexcept { return {this}; }
        Yielded yield_value(Word value) {
            step = {StepKind::yields, value};
            return {this};
        }
        void return_value(Word value) { step = {StepKind::ends, value}; }
        void unhandled_exception() {
            try {
                throw;
            } catch (const Thrown& thrown) {
                step = {StepKind::fails, thrown.error};
            }
        }
    };

    NativeRoutine(NativeRoutine&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
    NativeRoutine& operator=(NativeRoutine&&) = delete;
    ~NativeRoutine() {
        if (handle_) handle_.destroy();
    }

    NativeRoutine keeping(std::span<const Word> words) && {
        std::vector<Word>& kept = handle_.promise().kept;
        kept.insert(kept.end(), words.begin(), words.end());
        return std::move(*this);
    }
    NativeRoutine keeping(std::initializer_list<Word> words) && {
        return std::move(*this).keeping(std::span(words.begin(), words.size()));
    }

    operator std::unique_ptr<Routine>() && {
        return std::make_unique<Adapter>(std::exchange(handle_, {}));
    }

private:
    class Adapter final : public Routine {
    public:
        explicit Adapter(Handle handle) noexcept : handle_(handle) {}
        ~Adapter() override { handle_.destroy(); }
        Adapter(const Adapter&) = delete;
        Adapter& operator=(const Adapter&) = delete;
        Step resume(Vm& /*vm*/, const Resume& with) override {
            promise_type& promise = handle_.promise();
            promise.with = with;
            handle_.resume();
            return promise.step;
        }
        void trace(Marker& marker) override {
            const promise_type& promise = handle_.promise();
            marker.mark(promise.kept);
            marker.mark(promise.step.value);
            marker.mark(promise.with.value);
        }

    private:
        Handle handle_;
    };

    explicit NativeRoutine(Handle handle) noexcept : handle_(handle) {}
    Handle handle_;
};

}  // namespace gyre::vela::vm
