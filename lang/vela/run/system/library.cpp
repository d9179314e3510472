// SPDX-License-Identifier: Apache-2.0
// The library of system:fs, system:process, system:net, system:effects and system:sim.
#include "lang/vela/run/run.hpp"
#include "lang/vela/run/system/internal/system_natives.hpp"

namespace gyre::vela {
namespace vm {
namespace {

const NativeTable& system_natives() {
    static const NativeTable table = [] {
        NativeTable made;
        add_file_natives(made);
        add_socket_natives(made);
        add_effect_natives(made);
        add_sim_natives(made);
        return made;
    }();
    return table;
}

class SystemLibrary final : public NativeLibrary {
public:
    [[nodiscard]] NativeCall find(std::string_view name) const override {
        const auto found = system_natives().find(name);
        return found == system_natives().end() ? nullptr : found->second;
    }
    [[nodiscard]] Word field(Vm& vm, const FieldInfo& field, Word object) const override {
        return socket_field(vm, field, object);
    }
};

}  // namespace
}  // namespace vm

const vm::NativeLibrary* system_library() {
    static const vm::SystemLibrary library;
    return &library;
}

}  // namespace gyre::vela
