// SPDX-License-Identifier: Apache-2.0
// SystemChildren: the process's own children, by their process descriptors. Any thread may use it.
#pragma once

#include "gyre/kernel/children.hpp"

namespace gyre::platform {

class SystemChildren final : public Children {
public:
    [[nodiscard]] Result<Fd> watch(int pid) override;
    [[nodiscard]] Result<ChildEnd> reap(int pid) override;
};

}  // namespace gyre::platform
