// SPDX-License-Identifier: Apache-2.0
// system:net: TCP connections and listeners.
#include <algorithm>
#include <charconv>
#include <optional>

#include "gyre/base/failure.hpp"
#include "gyre/io/permissions.hpp"
#include "gyre/net/buffered.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/net/resolver.hpp"
#include "lang/vela/run/internal/heap.hpp"
#include "lang/vela/run/internal/io_work.hpp"
#include "lang/vela/run/internal/native_routine.hpp"
#include "lang/vela/run/internal/tasks.hpp"
#include "lang/vela/run/system/internal/system_natives.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {
namespace {

using Args = std::span<const Word>;

struct ConnectionThing final : HostThing {
    ConnectionThing(const TypeInfo* of, net::Connection connected)
        : HostThing(of), connection(std::move(connected)) {}
    net::Connection connection;
    std::string unread;  // read from the socket, not yet by the program
    bool is_closed = false;
    bool is_at_end = false;
};
struct ListenerThing final : HostThing {
    ListenerThing(const TypeInfo* of, net::Listener bound, std::uint16_t at)
        : HostThing(of), listener(std::move(bound)), port(at) {}
    net::Listener listener;
    std::uint16_t port;
};

struct HostPort {
    std::string host;
    std::uint16_t port = 0;
};
HostPort parts_of(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    HostPort parts{text.substr(0, colon)};
    const std::string_view digits =
        colon == std::string::npos ? std::string_view() : std::string_view(text).substr(colon + 1);
    const auto read = std::from_chars(digits.begin(), digits.end(), parts.port);
    const bool is_wrong = read.ec != std::errc() || read.ptr != digits.end() || parts.host.empty();
    if (is_wrong) throw Failure(concat("not an address: \"", text, "\""));
    return parts;
}

template <class Work>
Word start_net(Vm& vm, Args args, std::string_view name, Work work) {
    auto make_error = [](Vm& of, const WorkFailure& failure) {
        return of.error("NetworkError", failure.text);
    };
    return start_work(vm, args, name, make_error, std::move(work));
}

// Throws if the program may not reach it.
void check_permitted(Vm& vm, const HostPort& place) {
    const Permissions* permissions = vm.host.permissions();
    if (permissions == nullptr || permissions->allows_host(place.host, place.port)) return;
    const std::string text = concat(place.host, ":", std::to_string(place.port));
    throw Failure(concat(text, " is not permitted: --allow net=", text));
}

Word connect(Vm& vm, Args args) {
    auto work = [address = text_of(args[0])](Vm& of) -> gyre::Future<Word> {
        const HostPort to = parts_of(address);
        check_permitted(of, to);
        net::Resolver resolver;
        net::Connection connected = co_await net::connect(resolver, to.host, to.port);
        co_return of.heap.make<ConnectionThing>(of.standard_type("Connection"),
                                                std::move(connected));
    };
    return start_net(vm, args, "connect", std::move(work));
}

Word listen(Vm& vm, Args args) {
    auto work = [address = text_of(args[0])](Vm& of) -> gyre::Future<Word> {
        const HostPort at = parts_of(address);
        check_permitted(of, at);
        net::Resolver resolver;
        const std::vector<Address> addresses = co_await resolver.resolve(at.host, at.port);
        net::Listener bound = co_await net::listen(addresses.front());
        const auto local = bound.local_address();
        co_return of.heap.make<ListenerThing>(of.standard_type("Listener"), std::move(bound),
                                              local ? local->port() : at.port);
    };
    return start_net(vm, args, "listen", std::move(work));
}

Word accept(Vm& vm, Args args) {
    auto* listener = static_cast<ListenerThing*>(&as<HostThing>(args[0], Kind::host));
    auto work = [listener](Vm& of) -> gyre::Future<Word> {
        net::Connection accepted = co_await listener->listener.accept();
        co_return of.heap.make<ConnectionThing>(of.standard_type("Connection"),
                                                std::move(accepted));
    };
    return start_net(vm, args, "accept", std::move(work));
}

ConnectionThing* connection_of(Word word) {
    return static_cast<ConnectionThing*>(&as<HostThing>(word, Kind::host));
}

// More bytes into `unread`; sets is_at_end when the peer has ended.
gyre::Future<void> read_more(ConnectionThing* from) {
    std::array<std::byte, 4096> buffer;
    const std::size_t size = co_await from->connection.read(buffer);
    from->is_at_end = size == 0;
    from->unread.append(reinterpret_cast<const char*>(buffer.data()), size);
}

Word read(Vm& vm, Args args) {
    constexpr std::int64_t read_bytes_max = std::int64_t{1} << 24U;
    const auto most =
        static_cast<std::size_t>(std::clamp<std::int64_t>(number_of(args[1]), 1, read_bytes_max));
    auto work = [from = connection_of(args[0]), most](Vm& of) -> gyre::Future<Word> {
        if (from->unread.empty() && !from->is_at_end) co_await read_more(from);
        if (from->unread.empty()) co_return of.none();
        std::string taken = from->unread.substr(0, most);
        from->unread.erase(0, taken.size());
        co_return of.some(of.heap.make<Text>(std::move(taken), Kind::bytes));
    };
    return start_net(vm, args, "read", std::move(work));
}

Word read_line(Vm& vm, Args args) {
    auto work = [from = connection_of(args[0])](Vm& of) -> gyre::Future<Word> {
        constexpr std::size_t line_bytes_max = std::size_t{1} << 20U;
        std::size_t end = from->unread.find('\n');
        while (end == std::string::npos && !from->is_at_end) {
            co_await read_more(from);
            end = from->unread.find('\n');
            if (end == std::string::npos && from->unread.size() > line_bytes_max) {
                throw std::length_error("a line has at most 1 MB");
            }
        }
        if (from->unread.empty()) co_return of.none();
        std::string line = from->unread.substr(0, end);
        from->unread.erase(0, end == std::string::npos ? line.size() : line.size() + 1);
        if (line.ends_with('\r')) line.pop_back();
        co_return of.some(of.heap.text(std::move(line)));
    };
    return start_net(vm, args, "readLine", std::move(work));
}

// A String, Bytes, or an object of the program that has `toBytes`.
std::string content_of(Vm& vm, Word writable) {
    if (is_kind(writable, Kind::text)) return text_of(writable);
    if (!is_kind(writable, Kind::bytes)) {
        writable = vm.call(vm.bound_method(writable, "toBytes"), {});
    }
    return as<Text>(writable, Kind::bytes).text;
}

Word write(Vm& vm, Args args) {
    Rooted roots(vm);
    roots.add(args);
    auto work = [to = connection_of(args[0]),
                 content = content_of(vm, args[1])](Vm& /*of*/) -> gyre::Future<Word> {
        co_await to->connection.write(bytes_of(content));
        co_return Word::nothing();
    };
    return start_net(vm, args, "write", std::move(work));
}

}  // namespace

void add_socket_natives(NativeTable& table) {
    table["connect"] = connect;
    table["listen"] = listen;
    table["Listener.accept"] = accept;
    table["Listener.close"] = [](Vm&, Args args) {
        static_cast<ListenerThing&>(as<HostThing>(args[0], Kind::host)).listener = net::Listener();
        return Word::nothing();
    };
    table["Connection.read"] = read;
    table["Connection.readLine"] = read_line;
    table["Connection.write"] = write;
    table["Connection.writeBytes"] = write;
    table["Connection.close"] = [](Vm&, Args args) {
        connection_of(args[0])->connection = net::Connection();
        return Word::nothing();
    };
}

Word socket_field(Vm& vm, const FieldInfo& field, Word object) {
    const bool is_port = is_kind(object, Kind::host) && field.name.text == "port" &&
                         field.owner->name.text == "Listener";
    if (!is_port) return {};
    return vm.heap.number(static_cast<ListenerThing*>(object.thing())->port);
}

}  // namespace gyre::vela::vm
