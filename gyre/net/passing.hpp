// SPDX-License-Identifier: Apache-2.0
// pass_descriptors, receive_descriptors: pass open descriptors to another process over a Unix
// socket (SCM_RIGHTS), together with bytes of a Stream.
//
//     const std::array<Fd, 1> descriptors{listener.fd()};
//     co_await net::pass_descriptors(stream, bytes_of("!"), descriptors);
//
//     std::array<std::byte, 16> buffer;
//     std::array<Fd, 4> received;
//     const net::Passed got = co_await net::receive_descriptors(stream, buffer, received);
//
// Thread: the loop's thread.
// Lifetime: the sender keeps its descriptors; received ones belong to the caller: give each to a
// Stream, a Listener or a Datagram. Buffers outlive the await.
// Cancel: both did nothing.
#pragma once

#include <cstddef>
#include <span>

#include "gyre/net/stream.hpp"

namespace gyre::net {

// Returns how many bytes were sent, at least one; the descriptors are attached to the first. At
// most SendPiecesOp::passed_max descriptors at once.
class [[nodiscard]] PassDescriptors : public Awaitable<PassDescriptors, std::size_t> {
public:
    PassDescriptors(const Stream& to, ConstBytes data, std::span<const Fd> descriptors) noexcept
        : fd_(to.fd()), data_(data), descriptors_(descriptors) {}

    class Await : public IoAwait<SendPiecesOp> {
    public:
        Await(PromiseBase& promise, const PassDescriptors& pass) noexcept
            : IoAwait(promise, pass.fd_, std::span<const ConstBytes>(), pass.descriptors_),
              data_(pass.data_) {
            pieces = {&data_, 1};
        }
        [[nodiscard]] const char* what() const noexcept override { return "pass descriptors"; }
        [[nodiscard]] Result<std::size_t> outcome() { return take_result(); }

    private:
        ConstBytes data_;
    };

private:
    Fd fd_;
    ConstBytes data_;
    std::span<const Fd> descriptors_;
};
[[nodiscard]] inline PassDescriptors pass_descriptors(const Stream& to, ConstBytes data,
                                                      std::span<const Fd> descriptors) noexcept {
    return {to, data, descriptors};
}

struct Passed {
    std::size_t size = 0;     // bytes; 0 at the end of the stream
    std::size_t count = 0;    // descriptors
    bool is_cut_off = false;  // there was no room for all descriptors; the rest are closed
};

class [[nodiscard]] ReceiveDescriptors : public Awaitable<ReceiveDescriptors, Passed> {
public:
    ReceiveDescriptors(const Stream& from, Bytes into, std::span<Fd> numbers) noexcept
        : fd_(from.fd()), into_(into), numbers_(numbers) {}

    class Await : public IoAwait<ReceivePassedOp> {
    public:
        Await(PromiseBase& promise, const ReceiveDescriptors& receive) noexcept
            : IoAwait(promise, receive.fd_, receive.into_, receive.numbers_),
              sockets_(sockets_of(promise)) {}
        // Closes received descriptors that the task did not take.
        ~Await();
        [[nodiscard]] const char* what() const noexcept override { return "receive descriptors"; }
        [[nodiscard]] Result<Passed> outcome();

    private:
        Sockets& sockets_;
    };

private:
    Fd fd_;
    Bytes into_;
    std::span<Fd> numbers_;
};
[[nodiscard]] inline ReceiveDescriptors receive_descriptors(const Stream& from, Bytes into,
                                                            std::span<Fd> numbers) noexcept {
    return {from, into, numbers};
}

}  // namespace gyre::net
