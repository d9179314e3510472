// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/host_requests.hpp"

#include "gyre/handle/phased_loop.hpp"

namespace gyre::handle {
namespace {

HostCalls* calls_of(PhasedLoop& loop) noexcept {
    return loop.platform().environment()->host_calls();
}

Status without_calls() noexcept {
    return std::unexpected(Error(std::errc::function_not_supported));
}

}  // namespace

CallResult<Status> AddressLookup::start(AddressQuery query, OnDone on_done) {
    HostCalls* calls = calls_of(loop());
    if (calls == nullptr) return without_calls();
    return begin(
        *this, [calls, query = std::move(query)] { return calls->addresses_of(query); },
        std::move(on_done));
}

CallResult<Status> NameLookup::start(NameQuery query, OnDone on_done) {
    HostCalls* calls = calls_of(loop());
    if (calls == nullptr) return without_calls();
    return begin(
        *this, [calls, query = std::move(query)] { return calls->name_of(query); },
        std::move(on_done));
}

CallResult<Status> RandomFill::start(Bytes buffer, OnDone on_done) {
    HostCalls* calls = calls_of(loop());
    if (calls == nullptr) return without_calls();
    const auto fill = [calls, buffer]() -> Result<Bytes> {
        const Result<void> filled = calls->fill_random(buffer);
        if (!filled) return std::unexpected(filled.error());
        return buffer;
    };
    return begin(*this, fill, std::move(on_done));
}

}  // namespace gyre::handle
