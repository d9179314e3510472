// SPDX-License-Identifier: Apache-2.0
// Gives a test a private member, to fire an assertion that no public call can reach:
//
//     namespace gyre::test {
//     struct StepWhileClosing {
//         friend constexpr auto member_of(StepWhileClosing tag);
//     };
//     template struct PrivateMember<StepWhileClosing, &sim::World::step_while_closing>;
//     }
//
//     (world.*member_of(test::StepWhileClosing{}))();
//
// An explicit instantiation may name private members. The tag is in this namespace, because the
// function that returns the member is.
#pragma once

namespace gyre::test {

template <class Tag, auto Member>
struct PrivateMember {
    friend constexpr auto member_of(Tag /*tag*/) { return Member; }
};

}  // namespace gyre::test
