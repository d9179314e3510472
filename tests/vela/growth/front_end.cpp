// SPDX-License-Identifier: Apache-2.0
// Runs Vela's front end over one shape, so that valgrind can count its instructions:
//
//     vela_front_end            prints the names of the shapes
//     vela_front_end NAME COUNT
#include <cstdio>
#include <cstdlib>
#include <string>

#include "lang/vela/check/check.hpp"
#include "lang/vela/lower/lower.hpp"
#include "tests/vela/growth/shapes.hpp"

namespace gyre::vela {
namespace {

class NoFiles final : public SourceFiles {
public:
    std::expected<std::string, std::string> read(const std::string& path) override {
        return std::unexpected(path + ": not there");
    }
};

int run(const std::string& name, std::size_t count) {
    for (const Shape& shape : all_shapes()) {
        if (shape.name != name) continue;
        NoFiles files;
        const auto program = check("a.vela", shape.text(count), files);
        const bool has_errors = program->diagnostics.has_errors();
        const std::size_t size = has_errors ? report(program->diagnostics.sorted()).size()
                                            : lower(*program)->codes.size();
        return size > 0 ? 0 : 1;
    }
    std::fprintf(stderr, "vela_front_end: no shape has the name '%s'\n", name.c_str());
    return 2;
}

}  // namespace
}  // namespace gyre::vela

int main(int argument_count, char** arguments) {
    if (argument_count == 3) {
        return gyre::vela::run(arguments[1], std::strtoul(arguments[2], nullptr, 10));
    }
    for (const gyre::vela::Shape& shape : gyre::vela::all_shapes()) {
        std::printf("%.*s\n", static_cast<int>(shape.name.size()), shape.name.data());
    }
    return 0;
}
