// SPDX-License-Identifier: Apache-2.0
// What must hold of a scenario, as values that a Trial keeps. ExactlyOnce: each operation that was
// answered took effect once. Conservation: nothing is made and nothing is lost. Settling: every future
// ends. Quiescence: nothing happens any more. what_leaks: a program that is stopped gives everything back.
//
//     ExactlyOnce transfers;
//     transfers.asked("t1");                   // the client
//     transfers.took_effect("t1");             // the server
//     transfers.answered("t1");                // the client
//     const std::string wrong = transfers.check();  // empty: nothing
//
// Thread: that of the world; the code of hosts may call them.
// Lifetime: values, in the memory of the test: not of a host.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "gyre/task/core/future.hpp"
#include "gyre/testing/simulation.hpp"

namespace gyre::testing {

// An operation that was not answered may have taken effect once or never.
class ExactlyOnce {
public:
    void asked(std::string_view operation);
    void took_effect(std::string_view operation);
    // The client was told that it was done, or that it was not and never will be.
    void answered(std::string_view operation);
    void refused(std::string_view operation);

    // What is wrong; empty: nothing. May be called at any time.
    [[nodiscard]] std::string check() const;
    [[nodiscard]] std::uint64_t answered_count() const noexcept { return answered_count_; }

private:
    struct Counts {
        std::uint64_t asked = 0;
        std::uint64_t effects = 0;
        bool is_answered = false;
        bool is_refused = false;
    };
    Counts& counts_of(std::string_view operation);

    std::map<std::string, Counts, std::less<>> operations_;
    std::uint64_t answered_count_ = 0;
};

// Amounts of something, by who has them: accounts, and what is on its way. Nobody may have less than
// nothing, and the sum is always the same.
class Conservation {
public:
    explicit Conservation(std::int64_t total) noexcept : total_(total) {}

    // 0 forgets the holder.
    void set(std::string_view holder, std::int64_t amount);
    void add(std::string_view holder, std::int64_t amount);

    [[nodiscard]] std::string check() const;

private:
    const std::int64_t total_;
    std::map<std::string, std::int64_t, std::less<>> amounts_;
};

// Futures that must have ended when everything is at rest. Those of a host that was killed or has
// crashed went with it.
class Settling {
public:
    // Gives the future back. It is followed from now on, whether it is awaited or not.
    template <class T>
    [[nodiscard]] Future<T> follow(sim::Host& host, std::string_view name, Future<T> future) {
        return until_it_ends(Followed(*this, begin(host, name)), std::move(future));
    }

    // Names one that has not ended.
    [[nodiscard]] std::string check() const;

private:
    struct Begun {
        const sim::Host* host;
        std::uint32_t start_count;
        std::string name;
    };
    class Followed {
    public:
        Followed(Settling& of, std::uint64_t number) noexcept : of_(&of), number_(number) {}
        Followed(Followed&& other) noexcept
            : of_(std::exchange(other.of_, nullptr)), number_(other.number_) {}
        Followed& operator=(Followed&&) = delete;
        ~Followed() {
            if (of_ != nullptr) of_->end(number_);
        }

    private:
        Settling* of_;
        std::uint64_t number_;
    };

    template <class T>
    static Future<T> until_it_ends(Followed /*followed*/, Future<T> future) {
        co_return co_await std::move(future);
    }
    [[nodiscard]] std::uint64_t begin(sim::Host& host, std::string_view name);
    void end(std::uint64_t number) noexcept;

    std::map<std::uint64_t, Begun> running_;
    std::uint64_t last_number_ = 0;
};

// Whether the loops of the world have stood still for some simulated time. For Trial::is_at_rest of a
// scenario whose programs end, or only wait for each other.
class Quiescence {
public:
    explicit Quiescence(Duration quiet_for = std::chrono::seconds(1)) noexcept
        : quiet_for_(quiet_for) {}

    // To be asked again and again.
    [[nodiscard]] bool is_quiet(Simulation& simulation) noexcept;

private:
    const Duration quiet_for_;
    std::uint64_t turn_count_ = 0;
    Duration since_ = Duration(0);
};

// Stops the program of the host, and says what it did not give back: descriptors, and memory if the
// test includes gyre/testing/host_new.hpp.
[[nodiscard]] std::string what_leaks(sim::Host& host);

}  // namespace gyre::testing
