// SPDX-License-Identifier: Apache-2.0
#include "compat/uv/internal/udp_state.hpp"

#include <linux/errqueue.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "compat/uv/internal/memory.hpp"
#include "compat/uv/internal/socket_name.hpp"

namespace gyre::uv {
namespace {

constexpr int receives_at_a_time = 32;
constexpr std::size_t datagram_size_max = 65536;
constexpr std::size_t datagrams_at_once_max = 20;

bool would_block(ssize_t result) noexcept {
    return result == -EAGAIN || result == -EWOULDBLOCK || result == -ENOBUFS;
}

std::size_t size_of(const uv_buf_t* buffers, unsigned count) noexcept {
    std::size_t size = 0;
    for (unsigned i = 0; i < count; ++i) size += buffers[i].len;
    return size;
}

ssize_t send_datagram(int fd, const uv_buf_t* buffers, unsigned count,
                      const sockaddr* to) noexcept {
    msghdr message{};
    message.msg_name = const_cast<sockaddr*>(to);
    message.msg_namelen = to == nullptr ? 0 : size_of_address(to);
    message.msg_iov = reinterpret_cast<iovec*>(const_cast<uv_buf_t*>(buffers));
    message.msg_iovlen = count;
    for (;;) {
        const ssize_t sent = ::sendmsg(fd, &message, 0);
        if (sent >= 0) return sent;
        if (errno != EINTR) return -errno;
    }
}

// What an entry of the error queue says.
void report_error(uv_udp_t* udp, msghdr& message, const uv_buf_t& buffer) noexcept {
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
         part = CMSG_NXTHDR(&message, part)) {
        const bool is_error = (part->cmsg_level == SOL_IP && part->cmsg_type == IP_RECVERR) ||
                              (part->cmsg_level == SOL_IPV6 && part->cmsg_type == IPV6_RECVERR);
        if (!is_error) continue;
        auto* error = reinterpret_cast<sock_extended_err*>(CMSG_DATA(part));
        udp->recv_cb(udp, -static_cast<ssize_t>(error->ee_errno), &buffer, SO_EE_OFFENDER(error),
                     UV_UDP_LINUX_RECVERR);
        return;
    }
    udp->recv_cb(udp, 0, &buffer, nullptr, 0);
}

const sockaddr* address_of(const uv_udp_send_t& request) noexcept {
    const auto* address = reinterpret_cast<const sockaddr*>(&request.addr);
    return address->sa_family == AF_UNSPEC ? nullptr : address;
}

}  // namespace

void UdpState::open(int fd) noexcept {
    fd_ = fd;
    udp_->io_watcher.fd = fd;
    may_write_ = true;
    watcher_.watch(fd);
}

int UdpState::ensure_socket(int family) noexcept {
    if (fd_ >= 0) return 0;
    const int fd = make_socket(family, SOCK_DGRAM);
    if (fd < 0) return fd;
    open(fd);
    return 0;
}

// A socket that the program gave is as it is: it may be no IP socket.
int UdpState::ensure_bound(int family) noexcept {
    if (fd_ >= 0) return 0;
    sockaddr_in6 any6{};
    any6.sin6_family = AF_INET6;
    sockaddr_in any4{};
    any4.sin_family = AF_INET;
    const auto* any = family == AF_INET6 ? reinterpret_cast<const sockaddr*>(&any6)
                                         : reinterpret_cast<const sockaddr*>(&any4);
    return uv_udp_bind(udp_, any, 0);
}

int UdpState::send(uv_udp_send_t* request, const uv_buf_t* buffers, unsigned count,
                   const sockaddr* to, uv_udp_send_cb callback) noexcept {
    request->bufs = request->bufsml;
    if (count > std::size(request->bufsml)) {
        request->bufs = static_cast<uv_buf_t*>(allocate(count * sizeof *buffers));
        if (request->bufs == nullptr) return UV_ENOMEM;
    }
    std::memcpy(request->bufs, buffers, count * sizeof *buffers);
    request->type = UV_UDP_SEND;
    request->handle = udp_;
    request->send_cb = callback;
    request->cb = callback;
    request->nbufs = count;
    request->status = 0;
    std::memset(&request->addr, 0, sizeof request->addr);
    if (to != nullptr) std::memcpy(&request->addr, to, size_of_address(to));
    udp_->send_queue_size += size_of(buffers, count);
    ++udp_->send_queue_count;
    loop().begin_request();
    const bool is_first = sends_.empty();
    sends_.push_back(request);
    if (is_first) send_queued();
    update_active();
    return 0;
}

// Until the callbacks of what was sent have run.
void UdpState::update_active() noexcept {
    watcher_.set_active(is_receiving_ || !sends_.empty() || !sent_.empty());
}

void UdpState::send_queued() noexcept {
    while (!sends_.empty()) {
        uv_udp_send_t* const request = sends_.front();
        const ssize_t sent =
            send_datagram(fd_, request->bufs, request->nbufs, address_of(*request));
        if (would_block(sent)) {
            may_write_ = false;
            // Memory of the system comes back without an edge.
            if (sent == -ENOBUFS) loop().feeder.feed(*this);
            return;
        }
        sends_.pop_front();
        finish_send(request, sent);
    }
}

void UdpState::finish_send(uv_udp_send_t* request, ssize_t status) noexcept {
    request->status = status;
    udp_->send_queue_size -= size_of(request->bufs, request->nbufs);
    --udp_->send_queue_count;
    if (request->bufs != request->bufsml) release(request->bufs);
    request->bufs = nullptr;
    sent_.push_back(request);
    loop().feeder.feed(*this);
}

void UdpState::run_send_callbacks() noexcept {
    for (std::size_t left = sent_.size(); left > 0 && !sent_.empty(); --left) {
        uv_udp_send_t* const request = sent_.front();
        sent_.pop_front();
        loop().end_request();
        if (request->send_cb == nullptr) continue;
        request->send_cb(request, request->status < 0 ? static_cast<int>(request->status) : 0);
    }
}

int UdpState::try_send(const uv_buf_t* buffers, unsigned count, const sockaddr* to) noexcept {
    const ssize_t sent = send_datagram(fd_, buffers, count, to);
    return would_block(sent) ? UV_EAGAIN : static_cast<int>(sent);
}

int UdpState::start_receiving(uv_alloc_cb alloc, uv_udp_recv_cb receive) noexcept {
    if (is_receiving_) return UV_EALREADY;
    if (const int status = ensure_bound(AF_INET); status < 0) return status;
    udp_->alloc_cb = alloc;
    udp_->recv_cb = receive;
    is_receiving_ = true;
    update_active();
    loop().watched.set(fd_, true);
    if (may_read_) loop().feeder.feed(*this);
    return 0;
}

// Also without having received: sends whose callbacks are due do not keep it active then, as in libuv.
void UdpState::stop_receiving() noexcept {
    watcher_.set_active(!sends_.empty());
    if (!is_receiving_) return;
    is_receiving_ = false;
    loop().watched.set(fd_, false);
    if (sends_.empty() && sent_.empty()) loop().feeder.take_back(*this);
}

void UdpState::on_events(Events events) noexcept {
    if (any(events & (Events::readable | Events::error))) may_read_ = true;
    if (any(events & (Events::writable | Events::error))) may_write_ = true;
    if (any(events & Events::error)) may_have_errors_ = receives_errors;
    take_arrived();
    if (!is_closing(uv())) send_and_tell();
}

void UdpState::on_watch_failed(int error) noexcept {
    if (!is_receiving_) return;
    const uv_buf_t none = uv_buf_init(nullptr, 0);
    udp_->recv_cb(udp_, error, &none, nullptr, 0);
}

void UdpState::on_fed() noexcept {
    if (is_closing(uv())) return;
    send_and_tell();
    take_arrived();
}

void UdpState::send_and_tell() noexcept {
    if (!sends_.empty()) send_queued();
    run_send_callbacks();
    if (!is_closing(uv())) update_active();
}

// Errors first, since one that was taken from the queue does not fail the next receive.
void UdpState::take_arrived() noexcept {
    if (is_receiving_ && may_have_errors_ && !is_closing(uv())) receive_errors();
    if (is_receiving_ && may_read_ && !is_closing(uv())) receive_available();
}

void UdpState::receive_available() noexcept {
    for (int i = 0; i < receives_at_a_time; ++i) {
        uv_buf_t buffer = uv_buf_init(nullptr, 0);
        udp_->alloc_cb(uv(), datagram_size_max, &buffer);
        if (buffer.base == nullptr || buffer.len == 0) {
            udp_->recv_cb(udp_, UV_ENOBUFS, &buffer, nullptr, 0);
            break;
        }
        const bool is_many = receives_many && buffer.len >= 2 * datagram_size_max;
        const bool goes_on = is_many ? receive_many(buffer) : receive_one(buffer);
        if (!goes_on || !is_receiving_ || is_closing(uv())) break;
    }
    if (is_receiving_ && may_read_ && !is_closing(uv())) loop().feeder.feed(*this);
}

bool UdpState::report_no_datagram(const uv_buf_t& buffer, int error) noexcept {
    const bool is_empty = error == EAGAIN || error == EWOULDBLOCK;
    if (is_empty) may_read_ = false;
    udp_->recv_cb(udp_, is_empty ? 0 : -error, &buffer, nullptr, 0);
    return false;
}

bool UdpState::receive_one(const uv_buf_t& buffer) noexcept {
    sockaddr_storage from{};
    iovec piece{buffer.base, buffer.len};
    msghdr message{};
    message.msg_name = &from;
    message.msg_namelen = sizeof from;
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    ssize_t count = -1;
    do {
        count = ::recvmsg(fd_, &message, 0);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return report_no_datagram(buffer, errno);
    const unsigned flags = (message.msg_flags & MSG_TRUNC) != 0 ? unsigned{UV_UDP_PARTIAL} : 0u;
    const bool has_sender = message.msg_namelen > 0;
    udp_->recv_cb(udp_, count, &buffer,
                  has_sender ? reinterpret_cast<const sockaddr*>(&from) : nullptr, flags);
    return true;
}

// Several datagrams into parts of one buffer. The last callback says that the buffer is free.
bool UdpState::receive_many(const uv_buf_t& buffer) noexcept {
    mmsghdr messages[datagrams_at_once_max] = {};
    iovec pieces[datagrams_at_once_max];
    sockaddr_storage senders[datagrams_at_once_max];
    const std::size_t part_count = std::min(buffer.len / datagram_size_max, datagrams_at_once_max);
    for (std::size_t i = 0; i < part_count; ++i) {
        pieces[i] = {buffer.base + i * datagram_size_max, datagram_size_max};
        messages[i].msg_hdr.msg_iov = &pieces[i];
        messages[i].msg_hdr.msg_iovlen = 1;
        messages[i].msg_hdr.msg_name = &senders[i];
        messages[i].msg_hdr.msg_namelen = sizeof senders[i];
    }
    int count = -1;
    do {
        count = ::recvmmsg(fd_, messages, static_cast<unsigned>(part_count), 0, nullptr);
    } while (count < 0 && errno == EINTR);
    if (count < 1) return report_no_datagram(buffer, count == 0 ? EAGAIN : errno);
    for (int i = 0; i < count && is_receiving_; ++i) {
        const mmsghdr& message = messages[i];
        const bool is_cut = (message.msg_hdr.msg_flags & MSG_TRUNC) != 0;
        const unsigned flags = UV_UDP_MMSG_CHUNK | (is_cut ? unsigned{UV_UDP_PARTIAL} : 0u);
        const uv_buf_t part = uv_buf_init(static_cast<char*>(pieces[i].iov_base),
                                          static_cast<unsigned>(pieces[i].iov_len));
        udp_->recv_cb(udp_, message.msg_len, &part, reinterpret_cast<sockaddr*>(&senders[i]),
                      flags);
    }
    // Also when a callback has stopped the handle: the buffer is the program's again.
    if (udp_->recv_cb != nullptr) udp_->recv_cb(udp_, 0, &buffer, nullptr, UV_UDP_MMSG_FREE);
    return static_cast<std::size_t>(count) == part_count;
}

// The errors that the network told of datagrams that were sent, with the place that told, each in a
// buffer of its own with the beginning of the datagram.
void UdpState::receive_errors() noexcept {
    for (int i = 0; i < receives_at_a_time && is_receiving_ && !is_closing(uv()); ++i) {
        uv_buf_t buffer = uv_buf_init(nullptr, 0);
        udp_->alloc_cb(uv(), datagram_size_max, &buffer);
        if (buffer.base == nullptr || buffer.len == 0) {
            udp_->recv_cb(udp_, UV_ENOBUFS, &buffer, nullptr, 0);
            break;
        }
        iovec piece{buffer.base, buffer.len};
        alignas(cmsghdr) char control[256];
        msghdr message{};
        message.msg_iov = &piece;
        message.msg_iovlen = 1;
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        ssize_t count = -1;
        do {
            count = ::recvmsg(fd_, &message, MSG_ERRQUEUE);
        } while (count < 0 && errno == EINTR);
        if (count < 0) {
            may_have_errors_ = false;
            udp_->recv_cb(udp_, errno == EAGAIN ? 0 : -errno, &buffer, nullptr, 0);
            return;
        }
        report_error(udp_, message, buffer);
    }
    if (is_receiving_ && may_have_errors_ && !is_closing(uv())) loop().feeder.feed(*this);
}

void UdpState::on_close() noexcept {
    is_receiving_ = false;
    if (fd_ < 0) return;
    loop().watched.set(fd_, false);
    watcher_.unwatch();
    loop().phased.sockets().close_now(fd_);
    fd_ = -1;
    udp_->io_watcher.fd = -1;
}

void UdpState::on_closed() noexcept {
    while (!sends_.empty()) {
        uv_udp_send_t* const request = sends_.front();
        sends_.pop_front();
        finish_send(request, UV_ECANCELED);
    }
    run_send_callbacks();
    udp_->recv_cb = nullptr;
    udp_->alloc_cb = nullptr;
    loop().feeder.take_back(*this);
}

}  // namespace gyre::uv
