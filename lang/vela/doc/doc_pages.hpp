// SPDX-License-Identifier: Apache-2.0
// doc_pages: checked Vela files as pages of documentation: HTML without scripts, one page a file and
// an index; the names of types are links. Pure functions.
//
//     vela::SourceTable files;
//     const auto program = vela::check("shop.vela", text, files);
//     for (const vela::DocPage& page : vela::doc_pages({{"shop.vela", program.get()}})) {
//         std::puts(page.name.c_str());  // shop.html, then index.html
//     }
//
// Thread: any that may use the Programs.
// Lifetime: the pages are values.
#pragma once

#include <string>
#include <vector>

#include "lang/vela/check/check.hpp"

namespace gyre::vela {

struct DocInput {
    std::string title;  // "lib/shapes.vela"
    const Program* program = nullptr;
};

struct DocPage {
    std::string name;  // of the file, without a folder
    std::string html;
};

// Documents the last file of each program, which has no errors. Imported files are linked to if they
// are among the inputs. Private declarations and tests are left out.
[[nodiscard]] std::vector<DocPage> doc_pages(const std::vector<DocInput>& inputs);

}  // namespace gyre::vela
