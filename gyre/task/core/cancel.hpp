// SPDX-License-Identifier: Apache-2.0
// Cancelled, CancelReason: a cancel is a request to a task. It is delivered as the exception
// Cancelled, in the await that the task is in or at its next one.
//
//     std::exception_ptr cancelled;
//     try {
//         co_await sleep(1h);
//     } catch (const Cancelled&) {
//         cancelled = std::current_exception();  // C++ allows no co_await in a handler
//     }
//     if (cancelled) {
//         co_await save();                       // may await as usual
//         std::rethrow_exception(cancelled);
//     }
//
// Thread: values.
// Lifetime: the text of a reason is in the value. One of usual length needs no memory, so a cancel
// needs none but that of the exception, which the C++ runtime keeps some of in reserve.
//
// Each request is delivered once: code that runs after it in the same task, such as clean-up, may
// await as usual, and a later request is delivered again. Inside `shield` a request waits for the
// end.
#pragma once

#include <array>
#include <cstddef>
#include <exception>
#include <new>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "gyre/base/assert.hpp"

namespace gyre {

// A text that is in the value up to its capacity, so that it needs no memory; a longer one is on the
// heap, or is cut where there is no memory.
template <std::size_t capacity>
class CancelText {
public:
    // Ends a text that was cut.
    static constexpr std::string_view cut_mark = "...";

    CancelText() noexcept = default;
    CancelText(std::string_view text) noexcept { append(text); }
    CancelText(const char* text) noexcept : CancelText(checked(text)) {}
    CancelText(const std::string& text) noexcept : CancelText(std::string_view(text)) {}
    CancelText(const CancelText& other) noexcept : CancelText(other.view()) {}
    CancelText(CancelText&& other) noexcept { swap(other); }
    CancelText& operator=(CancelText other) noexcept {
        swap(other);
        return *this;
    }
    ~CancelText() { delete[] long_; }

    CancelText& append(std::string_view text) noexcept {
        const std::size_t room = (long_ == nullptr ? capacity : long_capacity_) - size_;
        if (text.size() > room && !grow(size_ + text.size())) return cut(text, room);
        text.copy(data() + size_, text.size());
        size_ += text.size();
        data()[size_] = '\0';
        return *this;
    }
    void clear() noexcept { *this = CancelText(); }

    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] const char* c_str() const noexcept {
        return long_ == nullptr ? short_.data() : long_;
    }
    [[nodiscard]] std::string_view view() const noexcept { return {c_str(), size_}; }
    operator std::string_view() const noexcept { return view(); }
    [[nodiscard]] std::string str() const { return std::string(view()); }
    operator std::string() const { return str(); }

    template <class Other>
        requires std::is_convertible_v<const Other&, std::string_view>
    friend bool operator==(const CancelText& one, const Other& other) noexcept {
        return one.view() == std::string_view(other);
    }
    friend std::string operator+(std::string text, const CancelText& more) {
        return std::move(text.append(more.view()));
    }

private:
    static_assert(capacity >= cut_mark.size());

    static std::string_view checked(const char* text) noexcept {
        GYRE_ASSERT(text != nullptr, "a CancelReason got no text: leave it out for the default");
        return text;
    }
    [[nodiscard]] char* data() noexcept { return long_ == nullptr ? short_.data() : long_; }
    [[nodiscard]] bool grow(std::size_t size) noexcept {
        char* const larger = new (std::nothrow) char[size + 1];
        if (larger == nullptr) return false;
        view().copy(larger, size_);
        delete[] std::exchange(long_, larger);
        long_capacity_ = size;
        return true;
    }
    CancelText& cut(std::string_view text, std::size_t room) noexcept {
        text.copy(data() + size_, room);
        size_ += room;
        data()[size_] = '\0';
        cut_mark.copy(data() + size_ - cut_mark.size(), cut_mark.size());
        return *this;
    }
    void swap(CancelText& other) noexcept {
        std::swap(size_, other.size_);
        std::swap(short_, other.short_);
        std::swap(long_, other.long_);
        std::swap(long_capacity_, other.long_capacity_);
    }

    std::size_t size_ = 0;
    std::array<char, capacity + 1> short_{};
    char* long_ = nullptr;
    std::size_t long_capacity_ = 0;
};

// Why, by whom and where a cancel was requested.
struct CancelReason {
    // Longer texts are on the heap; without memory they are cut.
    static constexpr std::size_t text_size_max = 55;
    using Text = CancelText<text_size_max>;

    Text why = "cancelled";
    Text who;  // the asking task or part of the runtime; empty: outside of tasks
    std::source_location where = std::source_location::current();

    CancelReason() = default;
    // Implicit, so that a call reads `cancel("no longer wanted")`.
    CancelReason(const char* text,
                 std::source_location at = std::source_location::current()) noexcept
        : why(text), where(at) {}
    CancelReason(const std::string& text,
                 std::source_location at = std::source_location::current()) noexcept
        : why(text), where(at) {}
};

// Thrown by a cancelled await. Do not swallow it: the task would go on as if it had not been
// cancelled.
class Cancelled : public std::exception {
public:
    explicit Cancelled(CancelReason reason) noexcept;
    [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }
    [[nodiscard]] const CancelReason& reason() const noexcept { return reason_; }

private:
    static constexpr std::size_t text_size_max = 231;

    CancelReason reason_;
    CancelText<text_size_max> text_;
};

// Without memory for one, that of bare_cancelled().
[[nodiscard]] std::exception_ptr make_cancelled(CancelReason reason) noexcept;
// One for all that could not be made. The first call makes it.
[[nodiscard]] const std::exception_ptr& bare_cancelled() noexcept;

// Whether the exception is a Cancelled; false for null.
[[nodiscard]] bool is_cancelled(const std::exception_ptr& failure) noexcept;

}  // namespace gyre
