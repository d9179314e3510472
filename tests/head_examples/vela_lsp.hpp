// SPDX-License-Identifier: Apache-2.0
// What the examples of lang/vela/lsp take for granted.
#pragma once

#include <cstdio>
#include <string>

#include "lang/vela/lsp/language_server.hpp"

namespace gyre::vela_lsp_examples {

extern vela::WorkspaceFiles& files;
extern std::string bytes_from_stdin;

}  // namespace gyre::vela_lsp_examples
