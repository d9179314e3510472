// SPDX-License-Identifier: Apache-2.0
// FakePostgres: a scripted PostgreSQL server beside the client, on the platform of the test. Each Sync or
// Query of a client gets the next answer of the script. One test, one thread.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gyre/db/internal/postgres/frames.hpp"
#include "gyre/db/pool.hpp"
#include "gyre/db/server_script.test.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/net/net_world.test.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/sync/event.hpp"

namespace gyre::db::postgres {

inline std::string login_done() {
    return message('R', number32(0)) +
           message('S', zero_ended("server_version") + zero_ended("15.0")) +
           message('K', number32(42) + number32(77)) + ready();
}

class FakePostgres {
public:
    // An answer of this text is given only when the client has asked to cancel.
    static constexpr const char* until_cancelled = "(until cancelled)";
    // The connection is closed instead.
    static constexpr const char* hang_up = "(hang up)";

    explicit FakePostgres(net::Listener listener) : listener_(std::move(listener)) {}

    std::deque<std::string> answers;
    std::string login = login_done();
    // What was seen.
    std::vector<std::string> names;  // of the connections
    std::string queries;             // the texts of all queries and statements, each with a ';'
    int connection_count = 0;
    int cancel_count = 0;
    int input_sizes_max = 0;  // requests that came in one piece, at most

    [[nodiscard]] std::string url() const {
        return "postgres://ada@127.0.0.1:" +
               std::to_string(listener_.local_address().value().port()) + "/notes";
    }
    Future<void> serve(Scope& scope) {
        for (;;) {
            scope.spawn_daemon(&FakePostgres::talk, this, co_await listener_.accept());
        }
    }

private:
    static Future<void> talk(FakePostgres* self, net::Connection client) {
        return self->converse(std::move(client));
    }

    Future<void> converse(net::Connection client) {
        std::string startup;
        while (startup.size() < 8 ||
               startup.size() < from_big_endian<std::uint32_t>(bytes_of(startup))) {
            if (!co_await receive(client, startup)) co_return;
        }
        if (from_big_endian<std::int32_t>(bytes_of(startup).subspan(4)) == 80'877'102) {
            EXPECT_EQ(startup.substr(8), number32(42) + number32(77));
            ++cancel_count;
            cancelled_.set();
            co_return;
        }
        ++connection_count;
        const std::size_t at = startup.find("application_name") + 17;
        names.push_back(startup.substr(at, startup.find('\0', at) - at));
        co_await client.write(bytes_of(login));
        FrameReader input(1 << 20);
        for (;;) {
            const std::size_t size = co_await client.read(input.room());
            if (size == 0) co_return;
            input.received(size);
            int requests = 0;
            while (const auto frame = input.next()) {
                note(*frame);
                if (frame->type != 'S' && frame->type != 'Q' && frame->type != 'c' &&
                    frame->type != 'f')
                    continue;
                ++requests;
                if (!co_await answer(client)) co_return;
            }
            input_sizes_max = std::max(input_sizes_max, requests);
        }
    }

    static Future<bool> receive(net::Connection& client, std::string& into) {
        std::array<std::byte, 1000> buffer{};
        const std::size_t size = co_await client.read(buffer);
        into += text_of(ConstBytes(buffer).first(size));
        co_return size != 0;
    }

    void note(const Frame& frame) {
        FieldReader fields(frame);
        if (frame.type == 'P') static_cast<void>(fields.text());
        if (frame.type == 'P' || frame.type == 'Q') queries += std::string(fields.text()) + ";";
        if (frame.type == 'd') queries += "<" + std::string(text_of(fields.rest())) + ">";
        if (frame.type == 'f') queries += "(copy failed);";
    }

    Future<bool> answer(net::Connection& client) {
        if (answers.empty()) co_return true;  // silence
        std::string next = std::move(answers.front());
        answers.pop_front();
        if (next == hang_up) co_return false;
        if (next == until_cancelled) {
            co_await cancelled_.wait();
            next = server_error("57014", "canceling statement due to user request") + ready();
        }
        co_await client.write(bytes_of(next));
        co_return true;
    }

    net::Listener listener_;
    Event cancelled_;
};

class FakeServerWorld : public net::NetWorld {
protected:
    template <class F>
    void with_server(F client) {
        run([&]() -> Future<void> {
            // Outlives its tasks, which end with the scope.
            FakePostgres server(co_await net::listen(Address::loopback()));
            auto body = [&](Scope& scope) -> Future<void> {
                scope.spawn_daemon(
                    [&server](Scope* of) -> Future<void> { return server.serve(*of); }, &scope);
                co_await client(server);
                scope.cancel();
            };
            try {
                co_await with_scope(std::move(body));
            } catch (const Cancelled&) {
                // Ours.
            }
        });
    }
};

// Awaits it, and gives its error; "none" if it has none.
template <class T>
Future<std::string> error_of(Future<T> future) {
    try {
        static_cast<void>(co_await std::move(future));
    } catch (const DbError& e) {
        co_return e.what();
    }
    co_return "none";
}
template <>
inline Future<std::string> error_of(Future<void> future) {
    try {
        co_await std::move(future);
    } catch (const DbError& e) {
        co_return e.what();
    }
    co_return "none";
}

}  // namespace gyre::db::postgres
