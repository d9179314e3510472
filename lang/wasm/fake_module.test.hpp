// SPDX-License-Identifier: Apache-2.0
// FakeModule: a module without an engine, for tests and fuzz targets of what a module says of itself. One thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/wasm/program.hpp"

namespace gyre::wasm {

class FakeModule final : public Module {
public:
    explicit FakeModule(std::string bytes) : bytes_(std::move(bytes)) {
        for (const char* name : {"main", "main_effectful", "main_effectful_raw", "handle_outcome",
                                 "resume_effectful_raw"}) {
            exports_.push_back({.module = "", .name = name, .kind = ItemKind::function});
        }
    }
    [[nodiscard]] const std::vector<Item>& imports() const noexcept override { return imports_; }
    [[nodiscard]] const std::vector<Item>& exports() const noexcept override { return exports_; }
    [[nodiscard]] std::string_view bytes() const noexcept override { return bytes_; }
    [[nodiscard]] std::unique_ptr<Instance> make_instance(
        const InstanceLimits& /*limits*/, std::vector<HostImport> /*imports*/) override {
        throw CompileError("a fake module has no instances");
    }

private:
    std::string bytes_;
    std::vector<Item> imports_;
    std::vector<Item> exports_;
};

inline std::string module_head() {
    return std::string("\0asm\1\0\0\0", 8);
}

// A custom section; its length is at most 16383.
inline std::string custom_section(std::string_view name, std::string_view content) {
    const std::size_t size = 1 + name.size() + content.size();
    std::string section(1, '\0');
    section += static_cast<char>(size % 128 | 128);
    section += static_cast<char>(size / 128);
    section += static_cast<char>(name.size());
    section += name;
    section += content;
    return section;
}

// One op `E.ask` of the effect `e`, in the table's second version.
inline std::string small_table() {
    std::string table;
    const auto word = [&table](std::uint32_t number) {
        for (unsigned shift = 0; shift < 32; shift += 8) {
            table += static_cast<char>(number >> shift);
        }
    };
    for (const std::uint32_t number : {2u, 1u, 1u, 2u, 0u, 0u, 0u, 7u, 2u}) word(number);
    return table + std::string("e\0E.ask\0", 8);
}

// An op of a made-up program.
struct NamedOp {
    const char* effect;
    const char* op;
    bool is_tail = true;
};

// A program that may perform these ops.
inline std::shared_ptr<const Program> program_with(std::span<const NamedOp> ops,
                                                   Generation generation = Generation::second) {
    std::string entries;
    std::string names;
    const auto word = [](std::string& to, std::size_t number) {
        for (unsigned shift = 0; shift < 32; shift += 8) to += static_cast<char>(number >> shift);
    };
    for (const NamedOp& one : ops) {
        const std::size_t effect_at = names.size();
        names += std::string(one.effect) + '\0';
        const std::size_t label_at = names.size();
        names += "E." + std::string(one.op) + '\0';
        const std::size_t kind = one.is_tail ? 1 : 0;
        for (const std::size_t number : {std::size_t{1}, std::size_t{2}, effect_at, std::size_t{0},
                                         kind, std::size_t{3}, label_at}) {
            word(entries, number);
        }
    }
    std::string table;
    word(table, 2);
    word(table, ops.size());
    std::string sections = custom_section("__voyd_effect_table", table + entries + names);
    if (generation == Generation::second) {
        sections += custom_section("voyd.export_abi",
                                   R"({"hostAbi":2,"dtoSchemaAbi":1,
                                       "transport":{"id":"voyd.std.msgpack","version":1}})");
    }
    return Program::read(std::make_shared<FakeModule>(module_head() + sections));
}

}  // namespace gyre::wasm
