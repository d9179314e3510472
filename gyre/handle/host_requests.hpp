// SPDX-License-Identifier: Apache-2.0
// Requests to the host: AddressLookup (the addresses of a name, as uv_getaddrinfo), NameLookup (the
// name of an address, as uv_getnameinfo) and RandomFill (random bytes, as uv_random).
//
//     AddressLookup lookup(loop);
//     lookup.start({.host = "example.org", .service = "http"},
//                  [](AddressLookup&, Result<std::vector<Address>>& found) { connect_to(found); });
//
// Thread: any.
// Lifetime: as ActiveRequest. A result is the callback's, which may move from it. The error `function_not_supported` on a loop without an Offload, or on
// a platform without HostCalls; `invalid_argument` while the request is active.
#pragma once

#include <source_location>
#include <vector>

#include "gyre/handle/detail/work_request.hpp"
#include "gyre/io/host_calls.hpp"

namespace gyre::handle {

class AddressLookup final : public WorkRequest<std::vector<Address>> {
public:
    // At least one address, or an error of HostCalls::addresses_of.
    using OnDone = Callback<AddressLookup&, Result<std::vector<Address>>&>;

    explicit AddressLookup(PhasedLoop& loop, const std::source_location& made_at =
                                                 std::source_location::current()) noexcept
        : WorkRequest(loop, {WorkKind::names, "address_lookup"}, made_at) {}
    CallResult<Status> start(AddressQuery query, OnDone on_done);
};

class NameLookup final : public WorkRequest<HostName> {
public:
    using OnDone = Callback<NameLookup&, Result<HostName>&>;

    explicit NameLookup(PhasedLoop& loop, const std::source_location& made_at =
                                              std::source_location::current()) noexcept
        : WorkRequest(loop, {WorkKind::names, "name_lookup"}, made_at) {}
    CallResult<Status> start(NameQuery query, OnDone on_done);
};

// The buffer stays until the callback, which gets the whole of it, filled.
class RandomFill final : public WorkRequest<Bytes> {
public:
    using OnDone = Callback<RandomFill&, Result<Bytes>&>;

    explicit RandomFill(PhasedLoop& loop, const std::source_location& made_at =
                                              std::source_location::current()) noexcept
        : WorkRequest(loop, {WorkKind::user, "random_fill"}, made_at) {}
    CallResult<Status> start(Bytes buffer, OnDone on_done);
};

}  // namespace gyre::handle
