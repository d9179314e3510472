// SPDX-License-Identifier: Apache-2.0
// WorkRequest<T>: the base of requests whose result is that of one blocking call, made on a thread of
// the loop's Offload: lookups, random bytes, directories. Thread and lifetime as Work.
#pragma once

#include <optional>
#include <utility>

#include "gyre/handle/request.hpp"

namespace gyre::handle {

template <class T>
class WorkRequest {
public:
    WorkRequest(const WorkRequest&) = delete;
    WorkRequest& operator=(const WorkRequest&) = delete;

    [[nodiscard]] bool is_active() const noexcept { return work_.is_active(); }
    // As Work::cancel: what has begun is not stopped.
    CallResult<Status> cancel() { return work_.cancel(); }

protected:
    WorkRequest(PhasedLoop& loop, Work::Options options,
                const std::source_location& made_at) noexcept
        : work_(loop, options, made_at) {}
    ~WorkRequest() = default;

    [[nodiscard]] PhasedLoop& loop() const noexcept { return work_.home(); }

    // `call` returns the Result<T> on a thread of the Offload. The callback may take it, and may free
    // the request.
    template <class Self, class Call>
    CallResult<Status> begin(Self& self, Call call, Callback<Self&, Result<T>&> on_done) {
        auto tell = [this, &self, on_done = std::move(on_done)](Work&, Status done) mutable {
            Result<T> result =
                done ? std::move(*result_) : Result<T>(std::unexpected(done.error()));
            result_.reset();
            on_done(self, result);
        };
        return work_.queue([this, call = std::move(call)] { result_.emplace(call()); },
                           std::move(tell));
    }

private:
    Work work_;
    std::optional<Result<T>> result_;
};

}  // namespace gyre::handle
