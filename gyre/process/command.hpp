// SPDX-License-Identifier: Apache-2.0
// Command: what is to be run, with what, where. A plain value.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gyre/kernel/children.hpp"

namespace gyre::process {

using gyre::ChildEnd;
using gyre::StandardStream;

struct Command {
    // Looked for in the PATH of this process where it has no slash. A relative path counts from
    // `folder`.
    std::string program;
    std::vector<std::string> arguments = {};
    // Name and value. With `inherits_environment` they come on top of what this process has.
    std::vector<std::pair<std::string, std::string>> environment = {};
    bool inherits_environment = true;
    std::string folder = {};  // where it begins; empty: where this process is
    StandardStream input = StandardStream::inherited;
    StandardStream output = StandardStream::inherited;
    StandardStream error = StandardStream::inherited;  // `to_output`: where its output goes
    // It leads a group of processes, to which signals go: itself and all that it starts.
    bool has_own_group = false;
};

}  // namespace gyre::process
