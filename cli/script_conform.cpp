// SPDX-License-Identifier: Apache-2.0
// gyre conform jobs --engine v8|quickjs: the jobs are callbacks of a script.
#include "lang/script/conform/script_conform.hpp"

#include "cli/conform_engines.hpp"
#include "cli/script_engines.hpp"

namespace gyre::cli {

conform::Results conform_script(const std::string& engine,
                                const std::vector<std::string>& platforms) {
    return script::run_jobs(script_engine(engine), platforms);
}

}  // namespace gyre::cli
