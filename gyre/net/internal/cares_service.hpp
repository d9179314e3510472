// SPDX-License-Identifier: Apache-2.0
// make_cares_service: the NameService over c-ares. It outlives its queries. Only on the loop's
// thread.
#pragma once

#include <memory>

#include "gyre/net/resolver.hpp"

namespace gyre::net {

[[nodiscard]] std::unique_ptr<NameService> make_cares_service(const ResolverOptions& options);

}  // namespace gyre::net
