// SPDX-License-Identifier: Apache-2.0
// Passing descriptors to another process over a Unix socket, with the bytes of a Stream.
//
//     co_await net::pass_descriptors(stream, bytes_of("!"), descriptors);
//     const net::Passed got = co_await net::receive_descriptors(stream, buffer, numbers);
//
// The sender keeps its own; those that were received belong to whoever asked for them: give each to
// a Stream, a Listener or a Datagram. Cancel class of both: did nothing.
#pragma once

#include <cstddef>
#include <span>

#include "gyre/net/stream.hpp"

namespace gyre::net {

// Gives how many of the bytes went, at least one; the descriptors go with the first. At most
// SendPiecesOp::passed_max in one go.
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
    bool is_cut_off = false;  // more came than there was room for; the rest are closed
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
        // Where the task is gone before it has taken them.
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
