// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gyre/kernel/loop.hpp"
#include "tests/support/fake_platform.hpp"
#include "tests/support/test_machine.hpp"

namespace gyre::test {

// A child that submits to the platform, under a parent, under the app.
struct Family {
    FakePlatform platform;
    TestMachine app{"app"};
    TestMachine parent{"parent"};
    TestMachine child{"child"};
    Loop loop{platform, app};

    Family() {
        app.add_child(parent);
        parent.add_child(child);
    }
    ~Family() {
        loop.close();
        parent.remove_child(child);
        app.remove_child(parent);
    }
};

}  // namespace gyre::test
