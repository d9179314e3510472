// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes are a request or a completion that fits the module, or a ProtocolError.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gyre/base/assert.hpp"
#include "gyre/effect/run_outcome.hpp"
#include "lang/wasm/fake_module.test.hpp"
#include "lang/wasm/internal/frames.hpp"

using namespace gyre::wasm;

namespace {

std::shared_ptr<const Program> make_program() {
    const std::string abi =
        R"({"version":1,"ops":[{"opIndex":0,"params":[{"kind":"i32","fingerprint":"f"},)"
        R"({"kind":"union","name":"U","fingerprint":"u","variants":[{"name":"A","fields":[)"
        R"({"name":"x","schema":{"kind":"array","element":{"kind":"string"}}}]}]}],)"
        R"("result":{"kind":"void","fingerprint":"v"}}]})";
    return Program::read(std::make_shared<FakeModule>(
        module_head() + custom_section("__voyd_effect_table", small_table()) +
        custom_section("voyd.effect_abi", abi)));
}

template <class Read>
void try_reading(Read read) {
    try {
        read();
    } catch (const gyre::effect::ProtocolError& error) {
        GYRE_ASSERT(error.what()[0] != '\0', "an error without a message");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::shared_ptr<const Program> program = make_program();
    const std::string_view frame(reinterpret_cast<const char*>(data), size);
    const gyre::effect::MessagePackLimits limits{.size_max_bytes = 4'096, .depth_max = 20};
    try_reading([&] {
        const EffectRequest request = read_request(*program, frame, limits);
        GYRE_ASSERT(request.op_index == 0, "a request for an op that the module does not have");
        GYRE_ASSERT(request.arguments.size() == 2, "a request with other arguments than its op");
    });
    try_reading([&] { static_cast<void>(read_bare_request(*program, frame, limits)); });
    try_reading([&] {
        static_cast<void>(
            read_completion(frame, FrameTag::export_completion, 7, nullptr, "main", limits));
    });
    return 0;
}
