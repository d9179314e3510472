// SPDX-License-Identifier: Apache-2.0
// The engine with a cache of machine code: what is compiled, what is loaded, and what of it the engine refuses.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "lang/wasm/wasmtime/wasm_world.test.hpp"

namespace gyre::wasm {
namespace {

constexpr const char* adder = R"((module (func (export "add") (param i32 i32) (result i32)
    (i32.add (local.get 0) (local.get 1)))))";

class MapCache final : public CodeCache {
public:
    std::optional<std::string> find(std::string_view engine, std::string_view module) override {
        const auto found = code.find(key(engine, module));
        if (found == code.end()) return std::nullopt;
        ++found_count;
        return found->second;
    }
    void keep(std::string_view engine, std::string_view module, std::string_view made) override {
        code[key(engine, module)] = made;
        ++kept_count;
    }
    std::map<std::string, std::string> code;
    int found_count = 0;
    int kept_count = 0;

private:
    static std::string key(std::string_view engine, std::string_view module) {
        return std::string(engine) + "\n" + std::string(module);
    }
};

int sum(Engine& engine) {
    const std::shared_ptr<Module> module = engine.compile(adder);
    EXPECT_EQ(module->exports().size(), 1u);
    const auto instance = module->make_instance({}, {});
    EXPECT_EQ(instance->begin(), Progress::done);
    return instance->call(*instance->find("add"), std::array{cell(20), cell(22)}).i32;
}

TEST(CachedCode, is_compiled_once_and_loaded_by_engines_of_the_same_configuration) {
    MapCache cache;
    for (int i = 0; i < 3; ++i) {
        const auto engine = make_wasmtime({.cache = &cache});
        EXPECT_EQ(sum(*engine), 42);
        EXPECT_EQ(cache.kept_count, 1);
        EXPECT_EQ(cache.found_count, i);
    }
    const auto other = make_wasmtime({.stack_max_bytes = std::size_t{256} << 10u, .cache = &cache});
    EXPECT_EQ(sum(*other), 42);
    EXPECT_EQ(cache.kept_count, 2);
}

TEST(CachedCode, that_the_engine_refuses_is_compiled_again) {
    MapCache cache;
    const auto engine = make_wasmtime({.cache = &cache});
    EXPECT_EQ(sum(*engine), 42);
    cache.code.begin()->second = "no code at all";
    EXPECT_EQ(sum(*engine), 42);
    EXPECT_EQ(cache.kept_count, 2);
    EXPECT_EQ(sum(*engine), 42);
    EXPECT_EQ(cache.kept_count, 2);
}

TEST(CachedCode, is_not_made_of_a_module_that_does_not_compile) {
    MapCache cache;
    const auto engine = make_wasmtime({.cache = &cache});
    EXPECT_THROW(static_cast<void>(engine->compile("(module (func (result i32)))")), CompileError);
    EXPECT_EQ(cache.kept_count, 0);
}

}  // namespace
}  // namespace gyre::wasm
