// SPDX-License-Identifier: Apache-2.0
// SystemChildren: child processes of this process, by their pidfds. Any thread may use it.
// spawn.cpp starts them, run_blocking.cpp runs them to their end.
#pragma once

#include "gyre/io/children.hpp"

namespace gyre::platform {

class SystemChildren final : public Children {
public:
    [[nodiscard]] Result<SpawnedChild> spawn(const SpawnPlan& plan) override;
    [[nodiscard]] Result<ChildReport> run_blocking(const SpawnPlan& plan, ConstBytes input,
                                                   const ChildLimits& limits) override;
    [[nodiscard]] Result<std::array<Fd, 2>> stream_pair() override;
    [[nodiscard]] Result<void> take_inherited(Fd socket) override;
    [[nodiscard]] Result<void> signal(int pid, int number, bool to_group) override;
    [[nodiscard]] Result<Fd> watch(int pid) override;
    [[nodiscard]] Result<ChildEnd> reap(int pid) override;
};

}  // namespace gyre::platform
