// SPDX-License-Identifier: Apache-2.0
// Connect, Write and Shutdown: the requests of a Stream, which starts them. Each calls back once
// with its status, "operation canceled" when the stream was closed first. Data and requests belong
// to the caller and stay until the callback. Only the loop's thread; the stream's calls carry them
// there.
#pragma once

#include <cstddef>

#include "gyre/handle/active_request.hpp"
#include "gyre/kernel/io_ops.hpp"

namespace gyre::handle {

class Stream;
struct WriteLinks;

class Connect final : public ActiveRequest {
public:
    using OnDone = Callback<Connect&, Status>;

    explicit Connect(const std::source_location& made_at = std::source_location::current()) noexcept
        : ActiveRequest(made_at), op_(-1, Address()) {}
    [[nodiscard]] const char* kind() const noexcept override { return "connect"; }
    [[nodiscard]] Stream& stream() const noexcept { return *stream_; }

private:
    friend class Stream;
    void on_done(Op& op) noexcept override;

    Stream* stream_ = nullptr;
    AnyCallback callback_;
    ConnectOp op_;
};

class Write final : public ActiveRequest, public Link<WriteLinks> {
public:
    using OnDone = Callback<Write&, Status>;

    explicit Write(const std::source_location& made_at = std::source_location::current()) noexcept
        : ActiveRequest(made_at), op_(-1, ConstBytes()) {}
    [[nodiscard]] const char* kind() const noexcept override { return "write"; }
    [[nodiscard]] Stream& stream() const noexcept { return *stream_; }

private:
    friend class Stream;
    void on_done(Op& op) noexcept override;

    Stream* stream_ = nullptr;
    AnyCallback callback_;
    SendOp op_;  // its buffer is what is still to be sent
};

class Shutdown final : public ActiveRequest {
public:
    using OnDone = Callback<Shutdown&, Status>;

    explicit Shutdown(
        const std::source_location& made_at = std::source_location::current()) noexcept
        : ActiveRequest(made_at) {}
    [[nodiscard]] const char* kind() const noexcept override { return "shutdown"; }
    [[nodiscard]] Stream& stream() const noexcept { return *stream_; }

private:
    friend class Stream;
    void on_pending() noexcept override;

    Stream* stream_ = nullptr;
    AnyCallback callback_;
};

}  // namespace gyre::handle
