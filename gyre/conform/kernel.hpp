// SPDX-License-Identifier: Apache-2.0
// KernelAdapter: connects a kernel of machines that exchange ops to the table kernel_properties(),
// its correctness properties as scenarios.
//
//     const auto check = [](const conform::MakeKernelAdapter& make_mine) {
//         return conform::run(conform::kernel_properties(), "mine", make_mine);
//     };
//
// Thread: one; the adapter calls back on the thread of run, also for a far echo.
// Lifetime: run makes an adapter for each scenario and destroys it afterwards.
//
// Verbs of the scripts; the root machine is called app:
//   machine M [P]           a machine under P, or under app
//   echo M, far_echo M      answers each op with the number of ops so far; far: on another thread
//   submit M op S           M submits an op to S
//   stand M op S            the same with a standing op, through which S notifies M
//   timer M op ms
//   cancel M op             M cancels it
//   complete S op result    S completes it; `cancelled` is a result
//   ring S op               S writes one more item into the op's shared memory, then notifies M
//   flood M n S             M submits n ops to an echo
//   settle, close           runs until nothing can happen; closes the machines in order
// Events: `S gets op` (a submission), `S cancels op` (a cancellation), `M has op result` (a
// completion), `M hears op with n` (a notification or the completion, with n new items), `P passes
// op` (a parent routes its child's op), `M closes`; of a flood `M has n` when the result of op n is
// n.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gyre/conform/scenario.hpp"

namespace gyre::conform {

// The adapter calls it to report events. An empty result means cancelled.
class KernelObserver {
public:
    virtual void gets(const std::string& server, const std::string& op) = 0;
    virtual void is_asked_to_cancel(const std::string& server, const std::string& op) = 0;
    virtual void has(const std::string& machine, const std::string& op,
                     std::optional<int> result) = 0;
    virtual void hears(const std::string& machine, const std::string& op, int items) = 0;
    virtual void passes(const std::string& parent, const std::string& op) = 0;
    virtual void closes(const std::string& machine) = 0;

protected:
    ~KernelObserver() = default;
};

// Machines and ops are known by the names in the script. A name means the same op for the whole
// scenario; it may be submitted again after its completion. A function with an empty default is
// optional: name its verb in `lacks`.
class KernelAdapter : public Adapter {
public:
    using Name = std::string;

    // Called first.
    virtual void start(KernelObserver& observer) = 0;

    virtual void add_machine(const Name& name, const Name& parent) = 0;
    virtual void add_echo(const Name& name) = 0;
    virtual void add_far_echo(const Name& /*name*/) {}

    virtual void submit(const Name& machine, const Name& op, const Name& server) = 0;
    virtual void stand(const Name& machine, const Name& op, const Name& server) = 0;
    virtual void start_timer(const Name& /*machine*/, const Name& /*op*/, double /*ms*/) {}
    virtual void cancel(const Name& machine, const Name& op) = 0;
    virtual void complete(const Name& server, const Name& op, std::optional<int> result) = 0;
    virtual void ring(const Name& server, const Name& op) = 0;

    virtual void settle() = 0;
    // Each machine cancels the ops that it submitted, and completes the ops that it serves as
    // cancelled.
    virtual void close() = 0;
};

[[nodiscard]] const Table& kernel_properties();

using MakeKernelAdapter = std::function<std::unique_ptr<KernelAdapter>()>;
[[nodiscard]] Results run(const Table& table, const std::string& platform,
                          const MakeKernelAdapter& make);

}  // namespace gyre::conform
