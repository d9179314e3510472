// SPDX-License-Identifier: Apache-2.0
// The correctness properties of machines that exchange ops as a table of scenarios, and what a
// kernel must offer to be run against it. One thread, also where a machine stands on another one.
//
// Verbs of the scripts; the root machine is called app:
//   machine M [P]           a machine under P, or under app
//   echo M, far_echo M      answers each op with how many it has got; the second on another thread
//   submit M op S           M submits an op to S
//   stand M op S            the same with a standing op, through which S rings
//   timer M op ms
//   cancel M op             M wants it back
//   complete S op result    S answers it; `cancelled` is a result
//   ring S op               S writes one more item into the op's shared memory, then rings
//   flood M n S             M submits n ops to an echo
//   settle, close           goes on until nothing can happen; ends everything in order
// Events: `S gets op`, `S cancels op` (is asked to), `M has op result` (its completion), `M hears
// op with n` (a ring or the completion told it to look, and there were n new items), `P passes op`
// (a parent sees its child's op), `M closes`; of a flood `M has n`, the op's number, if the answer
// is the same number.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gyre/conform/player.hpp"

namespace gyre::conform {

// What the adapter tells the kit; a result of nothing is a cancellation.
class KernelWitness {
public:
    virtual void gets(const std::string& server, const std::string& op) = 0;
    virtual void is_asked_to_cancel(const std::string& server, const std::string& op) = 0;
    virtual void has(const std::string& machine, const std::string& op,
                     std::optional<int> result) = 0;
    virtual void hears(const std::string& machine, const std::string& op, int items) = 0;
    virtual void passes(const std::string& parent, const std::string& op) = 0;
    virtual void closes(const std::string& machine) = 0;

protected:
    ~KernelWitness() = default;
};

// Machines and ops have the names of the script; an op's name is its own for the whole scenario,
// and it may be submitted again once it is back. Without a body here a function does nothing; say
// so in `lacks`, with its verb.
class KernelAdapter : public Adapter {
public:
    using Name = std::string;

    // Before everything else.
    virtual void start(KernelWitness& witness) = 0;

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
    // Each machine cancels what it has submitted and answers what it serves as cancelled.
    virtual void close() = 0;
};

[[nodiscard]] const Table& kernel_properties();

using MakeKernelAdapter = std::function<std::unique_ptr<KernelAdapter>()>;
[[nodiscard]] Results run(const Table& table, const std::string& platform,
                          const MakeKernelAdapter& make);

}  // namespace gyre::conform
