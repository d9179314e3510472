// SPDX-License-Identifier: Apache-2.0
// Each query has its own c-ares channel, so that cancelling the query closes its sockets. c-ares
// opens and closes sockets through the platform (which keeps registrations for them), and reads and
// writes them when AnyReady says that they are ready.
#include "gyre/net/internal/cares_service.hpp"

#include <ares.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "gyre/base/assert.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/kernel/platform.hpp"
#include "gyre/net/internal/any_ready.hpp"
#include "gyre/task/core/task.hpp"

namespace gyre::net {
namespace {

using std::chrono::milliseconds;

NameError::Kind kind_of(int status) noexcept {
    switch (status) {
        case ARES_ENOTFOUND:
        case ARES_ENODATA:
            return NameError::Kind::not_found;
        case ARES_ETIMEOUT:
            return NameError::Kind::timed_out;
        case ARES_EBADNAME:
            return NameError::Kind::refused;
        default:
            return NameError::Kind::failed;
    }
}

// With *port, or with the system's port if `port` is null.
Address address_of(const sockaddr* system, const std::uint16_t* port) noexcept {
    const auto own = [port](std::uint16_t big_endian) {
        return port != nullptr ? *port : static_cast<std::uint16_t>(ntohs(big_endian));
    };
    if (system->sa_family == AF_INET) {
        sockaddr_in at{};
        std::memcpy(&at, system, sizeof at);
        std::array<std::uint8_t, 4> bytes{};
        std::memcpy(bytes.data(), &at.sin_addr, bytes.size());
        return Address::ipv4(bytes, own(at.sin_port));
    }
    sockaddr_in6 at{};
    std::memcpy(&at, system, sizeof at);
    std::array<std::uint8_t, 16> bytes{};
    std::memcpy(bytes.data(), &at.sin6_addr, bytes.size());
    return Address::ipv6(bytes, own(at.sin6_port));
}

struct Reply {
    bool has_come = false;
    int status = ARES_SUCCESS;
    std::uint16_t port = 0;
    int family = AF_INET;  // that was asked for; a server may reply with others
    std::vector<Address> addresses;
};

void take_reply(void* argument, int status, int /*timeouts*/, ares_addrinfo* found) {
    auto& reply = *static_cast<Reply*>(argument);
    reply.has_come = true;
    reply.status = status;
    if (found == nullptr) return;
    for (const ares_addrinfo_node* node = found->nodes; node != nullptr; node = node->ai_next) {
        if (node->ai_family != reply.family) continue;
        reply.addresses.push_back(address_of(node->ai_addr, &reply.port));
    }
    ares_freeaddrinfo(found);
}

// ---- The socket functions of c-ares ----

ares_socket_t open_socket(int domain, int type, int /*protocol*/, void* argument) {
    auto& sockets = *static_cast<Sockets*>(argument);
    const auto family = domain == AF_INET6 ? Address::Family::ipv6 : Address::Family::ipv4;
    return (type == SOCK_STREAM ? sockets.stream(family) : sockets.datagram(family))
        .value_or(ARES_SOCKET_BAD);
}
int close_socket(ares_socket_t fd, void* argument) {
    static_cast<Sockets*>(argument)->close_now(fd);
    return 0;
}
// Reports the error as a system call does.
template <class T>
int error_of(const Result<T>& failed) noexcept {
    errno = static_cast<int>(failed.error().code());
    return -1;
}
int connect_socket(ares_socket_t fd, const sockaddr* to, ares_socklen_t /*size*/, void* argument) {
    const Result<void> done =
        static_cast<Sockets*>(argument)->connect_datagram(fd, address_of(to, nullptr));
    return done ? 0 : error_of(done);  // EINPROGRESS too, as connect(2) does.
}
// Sends the first piece only: c-ares calls again for the rest.
ares_ssize_t send_piece(ares_socket_t fd, const iovec* pieces, int /*count*/, void* argument) {
    const ConstBytes first(static_cast<const std::byte*>(pieces->iov_base), pieces->iov_len);
    const Result<std::size_t> sent =
        static_cast<Sockets*>(argument)->try_send_to(fd, first, Address());
    return sent ? static_cast<ares_ssize_t>(*sent) : error_of(sent);
}
ares_ssize_t receive_from(ares_socket_t fd, void* into, std::size_t size, int flags, sockaddr* from,
                          ares_socklen_t* from_size, void* /*argument*/) {
    return ::recvfrom(fd, into, size, flags, from, from_size);
}
constexpr ares_socket_functions socket_functions{open_socket, close_socket, connect_socket,
                                                 receive_from, send_piece};

// The channel of one query; its destructor cancels the query.
class Channel {
public:
    Channel(ares_channel settings, Sockets& sockets) {
        status_ = ares_dup(&channel_, settings);
        if (status_ != ARES_SUCCESS) return;
        ares_set_socket_functions(channel_, &socket_functions, &sockets);
    }
    ~Channel() {
        if (status_ == ARES_SUCCESS) ares_destroy(channel_);
    }
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    [[nodiscard]] int status() const noexcept { return status_; }
    void ask(const std::string& name, Address::Family family, Reply& reply) {
        ares_addrinfo_hints hints{};
        hints.ai_flags = ARES_AI_NOSORT;
        reply.family = family == Address::Family::ipv6 ? AF_INET6 : AF_INET;
        hints.ai_family = reply.family;
        hints.ai_socktype = SOCK_STREAM;
        ares_getaddrinfo(channel_, name.c_str(), nullptr, &hints, take_reply, &reply);
    }
    [[nodiscard]] std::span<Watch> watches() {
        std::array<ares_socket_t, AnyReady::watches_max> fds{};
        const auto bits =
            static_cast<unsigned>(ares_getsock(channel_, fds.data(), int{AnyReady::watches_max}));
        std::size_t count = 0;
        for (std::size_t i = 0; i < fds.size(); ++i) {
            Events wanted = Events::none;
            if (ARES_GETSOCK_READABLE(bits, i)) wanted = wanted | Events::readable;
            if (ARES_GETSOCK_WRITABLE(bits, i)) wanted = wanted | Events::writable;
            if (any(wanted)) watches_[count++] = {fds[i], wanted, Events::none};
        }
        GYRE_ASSERT(count <= watches_.size(), "c-ares has %zu sockets, %zu can be watched", count,
                    watches_.size());
        return std::span(watches_).first(count);
    }
    [[nodiscard]] Duration next_timeout() {
        timeval most{.tv_sec = 60, .tv_usec = 0};
        timeval room{};
        const timeval* next = ares_timeout(channel_, &most, &room);
        return std::chrono::seconds(next->tv_sec) + std::chrono::microseconds(next->tv_usec);
    }
    void process(std::span<const Watch> watches) {
        for (const Watch& watch : watches) {
            if (!any(watch.got)) continue;
            const bool may_read = !any(watch.got & Events::writable) ||
                                  any(watch.got & (Events::readable | Events::hang_up));
            const bool may_write = any(watch.got & Events::writable);
            ares_process_fd(channel_, may_read ? watch.fd : ARES_SOCKET_BAD,
                            may_write ? watch.fd : ARES_SOCKET_BAD);
        }
        ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
    }

private:
    ares_channel channel_ = nullptr;
    int status_;
    std::array<Watch, AnyReady::watches_max> watches_{};
};

class CaresService final : public NameService {
public:
    explicit CaresService(const ResolverOptions& options) : options_(options) {
        ares_library_init(ARES_LIB_INIT_ALL);
    }
    ~CaresService() override {
        if (settings_ != nullptr) ares_destroy(settings_);
        ares_library_cleanup();
    }

    void load() override {
        ares_options options{};
        options.timeout = static_cast<int>(
            std::chrono::duration_cast<milliseconds>(options_.try_timeout).count());
        options.tries = options_.try_count;
        // "b": DNS only. Resolver reads the hosts file.
        std::array<char, 2> lookups{'b', '\0'};
        options.lookups = lookups.data();
        const int mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS;
        if (ares_init_options(&settings_, &options, mask) != ARES_SUCCESS) {
            settings_ = nullptr;
            return;
        }
        if (options_.servers.empty()) return;
        std::string list;
        for (const Address& server : options_.servers) {
            if (!list.empty()) list += ',';
            list += server.to_string();
        }
        ares_set_servers_ports_csv(settings_, list.c_str());
    }

    Future<std::vector<Address>> ask(std::string name, std::uint16_t port,
                                     Address::Family family) override {
        Task& task = co_await this_task();
        Executor& executor = task.executor();
        Reply reply;
        reply.port = port;
        if (settings_ == nullptr) {
            throw NameError(NameError::Kind::failed, name, "c-ares cannot be set up");
        }
        Channel channel(settings_, executor.loop().platform().environment()->sockets());
        if (channel.status() != ARES_SUCCESS) {
            throw NameError(NameError::Kind::failed, name, ares_strerror(channel.status()));
        }
        channel.ask(name, family, reply);
        while (!reply.has_come) {
            const std::span<Watch> watches = channel.watches();
            co_await AnyReady(watches, executor.now() + channel.next_timeout());
            channel.process(watches);
        }
        if (reply.status != ARES_SUCCESS) {
            throw NameError(kind_of(reply.status), name, ares_strerror(reply.status));
        }
        if (reply.addresses.empty()) {
            throw NameError(NameError::Kind::not_found, name, "it has no address");
        }
        co_return std::move(reply.addresses);
    }

private:
    const ResolverOptions& options_;
    ares_channel settings_ = nullptr;
};

}  // namespace

std::unique_ptr<NameService> make_cares_service(const ResolverOptions& options) {
    return std::make_unique<CaresService>(options);
}

}  // namespace gyre::net
