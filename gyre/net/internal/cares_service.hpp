// SPDX-License-Identifier: Apache-2.0
// The NameService that c-ares is. One loop's thread; it outlives its questions.
#pragma once

#include <memory>

#include "gyre/net/resolver.hpp"

namespace gyre::net {

[[nodiscard]] std::unique_ptr<NameService> make_cares_service(const ResolverOptions& options);

}  // namespace gyre::net
