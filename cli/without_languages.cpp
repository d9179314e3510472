// SPDX-License-Identifier: Apache-2.0
// The tour's scene of all languages, in a build that lacks an engine of one.
#include "cli/tour/stage.hpp"

namespace gyre::cli {

bool show_languages(const Stage& stage) {
    stage.page.say(
        "This build lacks the engine of JavaScript or of WebAssembly: ./dev setup and ./dev setup "
        "engines install them.");
    return true;
}

}  // namespace gyre::cli
