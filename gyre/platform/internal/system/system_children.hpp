// SPDX-License-Identifier: Apache-2.0
// SystemChildren: child processes of this process, by their pidfds. Any thread may use it.
// spawn.cpp starts them.
#pragma once

#include "gyre/io/children.hpp"

namespace gyre::platform {

class SystemChildren final : public Children {
public:
    [[nodiscard]] Result<SpawnedChild> spawn(const SpawnPlan& plan) override;
    [[nodiscard]] Result<void> signal(int pid, int number, bool to_group) override;
    [[nodiscard]] Result<Fd> watch(int pid) override;
    [[nodiscard]] Result<ChildEnd> reap(int pid) override;
};

}  // namespace gyre::platform
