// SPDX-License-Identifier: Apache-2.0
#include "lang/script/world/internal/sockets.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "gyre/io/children.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/kernel/platform.hpp"
#include "gyre/task/core/cancel.hpp"
#include "lang/script/world/internal/background.hpp"
#include "lang/script/world/internal/places.hpp"

namespace gyre::script {
namespace {

// Characters above U+00FF do not occur: the library checks.
std::string to_latin1(std::string_view utf8) {
    std::string made;
    made.reserve(utf8.size());
    for (std::size_t i = 0; i < utf8.size(); ++i) {
        const auto byte = static_cast<unsigned char>(utf8[i]);
        if (byte < 0x80 || i + 1 == utf8.size()) {
            made += utf8[i];
        } else {
            const auto next = static_cast<unsigned char>(utf8[++i]);
            made += static_cast<char>(((byte & 0x03U) << 6U) | (next & 0x3FU));
        }
    }
    return made;
}

}  // namespace

Sockets& ScriptSockets::system() const noexcept {
    return executor_.loop().platform().environment()->sockets();
}

ScriptSockets::Shared ScriptSockets::find(NativeCall& call) const {
    const auto found = sockets_.find(call.number(0));
    return found == sockets_.end() ? nullptr : found->second;
}

ScriptSockets::Shared ScriptSockets::make(double event_id) {
    auto socket = std::make_shared<Socket>();
    last_ += 1;
    socket->number = last_;
    socket->event_id = event_id;
    sockets_[last_] = socket;
    return socket;
}

void ScriptSockets::open(NativeCall& call) {
    if (sockets_.size() >= count_max) return call.give_number(-EMFILE);
    call.give_number(make(call.number(0))->number);
}

void ScriptSockets::adopt(NativeCall& call) {
    if (const Shared socket = find(call)) socket->event_id = call.number(1);
}

void ScriptSockets::pair(NativeCall& call) {
    Children* const children = executor_.loop().platform().environment()->children();
    if (children == nullptr) return call.give_text(std::to_string(-ENOSYS));
    if (sockets_.size() >= count_max) return call.give_text(std::to_string(-EMFILE));
    const auto ends = children->stream_pair();
    if (!ends) return call.give_text(std::to_string(ends.error().as_result()));
    const Shared near = make(call.number(0));
    near->connection = net::Connection(system(), (*ends)[0]);
    call.give_text(std::to_string(static_cast<std::int64_t>(near->number)) + " " +
                   std::to_string((*ends)[1]));
}

void ScriptSockets::inherit(NativeCall& call) {
    Children* const children = executor_.loop().platform().environment()->children();
    if (children == nullptr) return call.give_number(-ENOSYS);
    const auto fd = static_cast<Fd>(call.number(1));
    if (const auto taken = children->take_inherited(fd); !taken) {
        return call.give_number(taken.error().as_result());
    }
    const Shared socket = make(call.number(0));
    socket->connection = net::Connection(system(), fd);
    call.give_number(socket->number);
}

// As in libuv: what is read or accepted keeps the loop alive where the socket is referenced; a
// connect, a write and an end do in any case.
void ScriptSockets::update_hold(Socket& socket) {
    const bool is_active = socket.listener.is_open() || socket.wants_data;
    const bool holds = is_active && socket.is_referenced && !socket.is_closed;
    if (holds == socket.holds) return;
    socket.holds = holds;
    holds ? script_.hold() : script_.release();
}

void ScriptSockets::refer(NativeCall& call) {
    const Shared socket = find(call);
    if (socket == nullptr) return;
    socket->is_referenced = call.truth(1);
    update_hold(*socket);
}

// ---- Connections ----

void ScriptSockets::connect(NativeCall& call) {
    const Shared socket = find(call);
    if (socket == nullptr) return call.give_number(-EBADF);
    const double done_id = call.number(1);
    const Result<Address> to =
        address_of(call.text(2), call.bytes(3), static_cast<int>(call.number(4)));
    if (!to) return call.give_number(to.error().as_result());
    call.give_number(0);
    socket->is_connecting = true;
    script_.hold();
    std::erase_if(connecting_, [](const auto& one) { return one.second.is_completed(); });
    connecting_.erase(socket->number);
    connecting_.emplace(socket->number,
                        executor_.root().spawn(connect_later(socket, done_id, *to, call.text(5))));
}

Future<void> ScriptSockets::connect_later(Shared socket, double done_id, Address to,
                                          std::string name) {
    double number = -ECANCELED;
    std::string refusal = co_await refusal_of(to, std::move(name));
    if (!refusal.empty()) {
        number = -EPERM;
        refusal.insert(0, "P");
    } else {
        Result<net::Connection> made = co_await try_(net::connect(to));
        number = made ? 0 : made.error().as_result();
        if (made && !socket->is_closed) socket->connection = std::move(*made);
    }
    // close() has released the hold of a socket that it closed.
    if (std::exchange(socket->is_connecting, false)) {
        script_.post_done(done_id, number, std::move(refusal));
    }
}

Future<std::string> ScriptSockets::refusal_of(Address to, std::string name) {
    const Permissions* permissions = script_.system().permissions();
    if (permissions == nullptr || allows(*permissions, to)) co_return std::string();
    if (!name.empty() && permissions->allows_host(name, to.port())) {
        try {
            const auto found = co_await resolver_.resolve(name, to.port());
            if (std::ranges::find(found, to) != found.end()) co_return std::string();
        } catch (const Cancelled&) {
            throw;
        } catch (const std::system_error&) {
            co_return not_permitted(place_of(to));
        }
    }
    co_return not_permitted(place_of(to));
}

void ScriptSockets::listen(NativeCall& call) {
    const Shared socket = find(call);
    if (socket == nullptr) return call.give_number(-EBADF);
    const Result<Address> at =
        address_of(call.text(1), call.bytes(2), static_cast<int>(call.number(3)));
    if (!at) return call.give_number(at.error().as_result());
    const Permissions* permissions = script_.system().permissions();
    if (permissions != nullptr && !allows(*permissions, *at)) {
        return call.give_text(not_permitted(place_of(*at)));
    }
    const Result<Fd> made = system().listen(*at, {.backlog = static_cast<int>(call.number(4))});
    if (!made) return call.give_number(made.error().as_result());
    socket->listener = net::Listener(system(), *made);
    update_hold(*socket);
    call.give_number(0);
    static_cast<void>(executor_.root().spawn(accept_all(socket)));
}

Future<void> ScriptSockets::accept_all(Shared socket) {
    while (!socket->is_closed) {
        Result<net::Connection> accepted = co_await try_(Background(socket->listener.accept()));
        if (socket->is_closed) co_return;
        if (!accepted) {
            const int error = accepted.error().as_result();
            if (error != -ECANCELED) script_.post_event(socket->event_id, error, "A");
            if (error == -ECONNABORTED) continue;  // by the peer, before it was accepted
            co_return;
        }
        if (sockets_.size() >= count_max) continue;  // closes it
        const Shared made = make(0);
        made->connection = std::move(*accepted);
        script_.post_event(socket->event_id, made->number, "A");
    }
}

void ScriptSockets::close(NativeCall& call) {
    const Shared socket = find(call);
    if (socket == nullptr) return;
    socket->is_closed = true;
    if (std::exchange(socket->is_connecting, false)) {
        script_.release();
        connecting_.at(socket->number).cancel();
    }
    if (call.truth(2) && socket->connection.is_open()) {
        static_cast<void>(socket->connection.set_linger(0));
    }
    update_hold(*socket);
    for (const Unsent& one : socket->unsent) {
        if (one.done_id != 0) script_.post_done(one.done_id, -ECANCELED, {});
    }
    socket->unsent.clear();
    unsent_bytes_ -= std::exchange(socket->unsent_bytes, 0);
    socket->connection.close();
    socket->listener.close();
    sockets_.erase(socket->number);
    script_.post_close(call.number(1));
}

// ---- Reading ----

void ScriptSockets::read(NativeCall& call) {
    const Shared socket = find(call);
    if (socket == nullptr || !socket->connection.is_open()) return call.give_number(-ENOTCONN);
    socket->wants_data = call.truth(1);
    update_hold(*socket);
    if (call.truth(2)) socket->is_told = false;
    if (socket->wants_data) go_on(socket);
    call.give_number(0);
}

void ScriptSockets::go_on(const Shared& socket) {
    if (socket->is_told || socket->is_closed) return;
    if (!socket->arrived.empty() || socket->ended != 0) {
        socket->is_told = true;
        const bool has_data = !socket->arrived.empty();
        script_.post_event(socket->event_id,
                           has_data ? static_cast<double>(socket->arrived.size())
                                    : static_cast<double>(socket->ended),
                           "R");
    } else if (!socket->has_reader) {
        socket->has_reader = true;
        static_cast<void>(executor_.root().spawn(read_once(socket)));
    }
}

Future<void> ScriptSockets::read_once(Shared socket) {
    socket->buffer.resize(read_bytes);
    const Result<std::size_t> first =
        co_await try_(Background(socket->connection.read(socket->buffer)));
    socket->has_reader = false;
    if (socket->is_closed) co_return;
    if (!first) {
        socket->ended = first.error().as_result();
    } else if (*first == 0) {
        socket->ended = end_of_stream;
    } else {
        socket->arrived.assign(reinterpret_cast<const char*>(socket->buffer.data()), *first);
        if (*first == read_bytes) {
            scratch_.resize(chunk_bytes_max - read_bytes);
            const auto more = system().try_receive(socket->connection.fd(), scratch_);
            if (more && more->size > 0) {
                socket->arrived.append(reinterpret_cast<const char*>(scratch_.data()), more->size);
            } else if (more) {
                socket->ended = end_of_stream;
            }
        }
    }
    if (socket->wants_data) go_on(socket);
}

void ScriptSockets::take(NativeCall& call) {
    const Shared socket = find(call);
    if (socket == nullptr) return;
    socket->is_told = false;
    const std::span<std::byte> into = call.bytes(1);
    const std::size_t size = std::min(into.size(), socket->arrived.size());
    if (size > 0) std::memcpy(into.data(), socket->arrived.data(), size);
    socket->arrived.clear();
    if (into.empty()) {
        socket->wants_data = false;  // the end was told
        update_hold(*socket);
    } else if (socket->wants_data) {
        go_on(socket);
    }
}

// ---- Writing ----

void ScriptSockets::write(NativeCall& call) {
    const Shared socket = find(call);
    if (socket == nullptr || !socket->connection.is_open()) return call.give_number(-EPIPE);
    std::string text;
    std::span<const std::byte> bytes = call.bytes(2);
    if (bytes.empty()) {
        text = call.text(2);
        if (call.truth(3)) text = to_latin1(text);
        bytes = std::as_bytes(std::span<const char>(text));
    }
    const auto size = static_cast<double>(bytes.size());
    std::size_t sent = 0;
    if (socket->unsent.empty()) {
        const ConstBytes piece = bytes;
        const auto done = system().try_send(socket->connection.fd(), {&piece, 1});
        if (!done && done.error().code() != std::errc::resource_unavailable_try_again) {
            return call.give_number(done.error().as_result());
        }
        if (done) sent = *done;
        if (sent == bytes.size()) return call.give_number(size);
    }
    bytes = bytes.subspan(sent);
    if (bytes.size() > unsent_bytes_max - unsent_bytes_) return call.give_number(-ENOBUFS);
    unsent_bytes_ += bytes.size();
    socket->unsent_bytes += bytes.size();
    socket->unsent.push_back(
        {std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), call.number(1)});
    script_.hold();
    call.give_number(sent_later + size);
    if (socket->unsent.size() == 1) {
        static_cast<void>(executor_.root().spawn(send_rest(socket)));
    }
}

void ScriptSockets::finish(NativeCall& call) {
    const Shared socket = find(call);
    if (socket == nullptr || !socket->connection.is_open()) return call.give_number(-ENOTCONN);
    socket->unsent.push_back({{}, call.number(1), true});
    script_.hold();
    call.give_number(0);
    if (socket->unsent.size() == 1) {
        static_cast<void>(executor_.root().spawn(send_rest(socket)));
    }
}

// One task for what waits, in its order. close() answers for what it has not sent.
Future<void> ScriptSockets::send_rest(Shared socket) {
    while (!socket->is_closed && !socket->unsent.empty()) {
        // A close while this waits empties the queue, not the data that is being sent.
        Unsent one = std::move(socket->unsent.front());
        socket->unsent.front().done_id = 0;
        const double done_id = one.done_id;
        double number = 0;
        if (one.is_end) {
            const auto done = system().end_sending(socket->connection.fd());
            number = done ? 0 : done.error().as_result();
        } else {
            const auto data = std::as_bytes(std::span<const char>(one.data));
            const Result<void> done = co_await try_(socket->connection.write(data));
            number = done ? 0 : done.error().as_result();
        }
        script_.post_done(done_id, socket->is_closed ? -ECANCELED : number, {});
        if (socket->is_closed || number == -ECANCELED) co_return;  // the loop ends
        unsent_bytes_ -= one.data.size();
        socket->unsent_bytes -= one.data.size();
        socket->unsent.pop_front();
    }
}

void ScriptSockets::unsent(NativeCall& call) {
    const Shared socket = find(call);
    call.give_number(socket == nullptr ? 0 : static_cast<double>(socket->unsent_bytes));
}

// ---- What it is ----

void ScriptSockets::address(NativeCall& call) {
    const Shared socket = find(call);
    if (socket == nullptr) return;
    const bool is_listener = socket->listener.is_open();
    if (!is_listener && !socket->connection.is_open()) return;
    const Result<Address> found = is_listener     ? socket->listener.local_address()
                                  : call.truth(1) ? socket->connection.peer_address()
                                                  : socket->connection.local_address();
    if (!found || found->family() == Address::Family::none) return;
    if (found->family() == Address::Family::unix_path) return call.give_text(found->path());
    call.give_text(host_of(*found) + " " + std::to_string(found->port()));
}

void ScriptSockets::option(NativeCall& call) {
    const Shared socket = find(call);
    if (socket == nullptr || !socket->connection.is_open()) return call.give_number(-EBADF);
    const auto option = static_cast<StreamOption>(static_cast<std::uint8_t>(call.number(1)));
    const int value = static_cast<int>(call.number(2));
    if (static_cast<std::size_t>(option) >= stream_option_count || !is_valid(option, value)) {
        return call.give_number(-EINVAL);
    }
    const auto done = system().set_stream_option(socket->connection.fd(), option, value);
    call.give_number(done ? 0 : done.error().as_result());
}

}  // namespace gyre::script
