// SPDX-License-Identifier: Apache-2.0
// Our declarations of wasmtime's C API against the headers of the crate, where the build found them. The compiler does the
// work: each function has the same number of parameters, pointers where pointers are, numbers of the same size, and
// each struct the same layout.
#include <gtest/gtest.h>

#if GYRE_HAS_WASMTIME_HEADERS

#    include <wasmtime.h>

#    define GYRE_WASMTIME_LINKAGE namespace ours
#    include "lang/wasm/wasmtime/internal/c_api.hpp"

#    include <type_traits>

namespace {

template <class Ours, class Theirs>
constexpr bool is_same_shape() {
    if constexpr (std::is_void_v<Ours> || std::is_void_v<Theirs>) {
        return std::is_void_v<Ours> && std::is_void_v<Theirs>;
    } else {
        return std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> &&
               std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs> &&
               sizeof(Ours) == sizeof(Theirs);
    }
}
template <class Ours, class Theirs>
struct Compare : std::false_type {};
template <class R, class... P, class S, class... Q>
    requires(sizeof...(P) == sizeof...(Q))
struct Compare<R (*)(P...), S (*)(Q...)>
    : std::bool_constant<is_same_shape<R, S>() && (is_same_shape<P, Q>() && ...)> {};

#    define GYRE_CHECK_FUNCTION(name) \
        static_assert(Compare<decltype(&ours::name), decltype(&::name)>::value, #name)
GYRE_CHECK_FUNCTION(wasm_config_new);
GYRE_CHECK_FUNCTION(wasmtime_config_epoch_interruption_set);
GYRE_CHECK_FUNCTION(wasmtime_config_consume_fuel_set);
GYRE_CHECK_FUNCTION(wasmtime_config_signals_based_traps_set);
GYRE_CHECK_FUNCTION(wasmtime_config_wasm_function_references_set);
GYRE_CHECK_FUNCTION(wasmtime_config_wasm_gc_set);
GYRE_CHECK_FUNCTION(wasmtime_config_wasm_tail_call_set);
GYRE_CHECK_FUNCTION(wasmtime_config_max_wasm_stack_set);
GYRE_CHECK_FUNCTION(wasmtime_config_async_stack_size_set);
GYRE_CHECK_FUNCTION(wasmtime_config_memory_reservation_set);
GYRE_CHECK_FUNCTION(wasmtime_config_memory_guard_size_set);
GYRE_CHECK_FUNCTION(wasmtime_config_memory_reservation_for_growth_set);
GYRE_CHECK_FUNCTION(wasmtime_config_native_unwind_info_set);
GYRE_CHECK_FUNCTION(wasm_engine_new_with_config);
GYRE_CHECK_FUNCTION(wasm_engine_delete);
GYRE_CHECK_FUNCTION(wasmtime_engine_increment_epoch);
GYRE_CHECK_FUNCTION(wasmtime_wat2wasm);
GYRE_CHECK_FUNCTION(wasmtime_module_new);
GYRE_CHECK_FUNCTION(wasmtime_module_delete);
GYRE_CHECK_FUNCTION(wasmtime_module_imports);
GYRE_CHECK_FUNCTION(wasmtime_module_exports);
GYRE_CHECK_FUNCTION(wasmtime_module_serialize);
GYRE_CHECK_FUNCTION(wasmtime_module_deserialize);
GYRE_CHECK_FUNCTION(wasm_byte_vec_delete);
GYRE_CHECK_FUNCTION(wasm_importtype_vec_delete);
GYRE_CHECK_FUNCTION(wasm_exporttype_vec_delete);
GYRE_CHECK_FUNCTION(wasm_frame_vec_delete);
GYRE_CHECK_FUNCTION(wasm_importtype_module);
GYRE_CHECK_FUNCTION(wasm_importtype_name);
GYRE_CHECK_FUNCTION(wasm_importtype_type);
GYRE_CHECK_FUNCTION(wasm_exporttype_name);
GYRE_CHECK_FUNCTION(wasm_exporttype_type);
GYRE_CHECK_FUNCTION(wasm_externtype_kind);
GYRE_CHECK_FUNCTION(wasm_externtype_as_functype_const);
GYRE_CHECK_FUNCTION(wasm_functype_params);
GYRE_CHECK_FUNCTION(wasm_functype_results);
GYRE_CHECK_FUNCTION(wasmtime_valtype_new);
GYRE_CHECK_FUNCTION(wasmtime_valtype_delete);
GYRE_CHECK_FUNCTION(wasmtime_linker_new);
GYRE_CHECK_FUNCTION(wasmtime_linker_delete);
GYRE_CHECK_FUNCTION(wasmtime_linker_define_func);
GYRE_CHECK_FUNCTION(wasmtime_linker_define_async_func);
GYRE_CHECK_FUNCTION(wasmtime_linker_instantiate_pre);
GYRE_CHECK_FUNCTION(wasmtime_instance_pre_delete);
GYRE_CHECK_FUNCTION(wasmtime_instance_pre_instantiate_async);
GYRE_CHECK_FUNCTION(wasmtime_store_new);
GYRE_CHECK_FUNCTION(wasmtime_store_delete);
GYRE_CHECK_FUNCTION(wasmtime_store_context);
GYRE_CHECK_FUNCTION(wasmtime_store_limiter);
GYRE_CHECK_FUNCTION(wasmtime_store_epoch_deadline_callback);
GYRE_CHECK_FUNCTION(wasmtime_context_set_epoch_deadline);
GYRE_CHECK_FUNCTION(wasmtime_context_set_fuel);
GYRE_CHECK_FUNCTION(wasmtime_context_get_fuel);
GYRE_CHECK_FUNCTION(wasmtime_context_fuel_async_yield_interval);
GYRE_CHECK_FUNCTION(wasmtime_context_get_data);
GYRE_CHECK_FUNCTION(wasmtime_caller_context);
GYRE_CHECK_FUNCTION(wasmtime_instance_export_get);
GYRE_CHECK_FUNCTION(wasmtime_func_call);
GYRE_CHECK_FUNCTION(wasmtime_func_call_async);
GYRE_CHECK_FUNCTION(wasmtime_call_future_poll);
GYRE_CHECK_FUNCTION(wasmtime_call_future_delete);
GYRE_CHECK_FUNCTION(wasmtime_val_unroot);
GYRE_CHECK_FUNCTION(wasmtime_val_clone);
GYRE_CHECK_FUNCTION(wasmtime_memory_data);
GYRE_CHECK_FUNCTION(wasmtime_memory_data_size);
GYRE_CHECK_FUNCTION(wasmtime_memory_grow);
GYRE_CHECK_FUNCTION(wasmtime_global_get);
GYRE_CHECK_FUNCTION(wasmtime_global_set);
GYRE_CHECK_FUNCTION(wasmtime_error_new);
GYRE_CHECK_FUNCTION(wasmtime_error_delete);
GYRE_CHECK_FUNCTION(wasmtime_error_message);
GYRE_CHECK_FUNCTION(wasmtime_error_wasm_trace);
GYRE_CHECK_FUNCTION(wasmtime_trap_new);
GYRE_CHECK_FUNCTION(wasm_trap_delete);
GYRE_CHECK_FUNCTION(wasm_trap_message);
GYRE_CHECK_FUNCTION(wasm_trap_trace);
GYRE_CHECK_FUNCTION(wasmtime_trap_code);
GYRE_CHECK_FUNCTION(wasm_frame_func_index);
GYRE_CHECK_FUNCTION(wasm_frame_module_offset);
GYRE_CHECK_FUNCTION(wasmtime_frame_func_name);

#    define GYRE_CHECK_SIZE(name) static_assert(sizeof(ours::name) == sizeof(::name), #name)
GYRE_CHECK_SIZE(wasm_byte_vec_t);
GYRE_CHECK_SIZE(wasm_frame_vec_t);
GYRE_CHECK_SIZE(wasm_valtype_vec_t);
GYRE_CHECK_SIZE(wasmtime_anyref_t);
GYRE_CHECK_SIZE(wasmtime_func_t);
GYRE_CHECK_SIZE(wasmtime_memory_t);
GYRE_CHECK_SIZE(wasmtime_global_t);
GYRE_CHECK_SIZE(wasmtime_instance_t);
GYRE_CHECK_SIZE(wasmtime_valunion_t);
GYRE_CHECK_SIZE(wasmtime_val_t);
GYRE_CHECK_SIZE(wasmtime_extern_t);
GYRE_CHECK_SIZE(wasmtime_async_continuation_t);
static_assert(sizeof(ours::wasmtime_valtype_t) >= sizeof(::wasmtime_valtype_t));
static_assert(offsetof(ours::wasmtime_val_t, of) == offsetof(::wasmtime_val_t, of));
static_assert(offsetof(ours::wasmtime_extern_t, of) == offsetof(::wasmtime_extern_t, of));

TEST(WasmtimeDeclarations, have_the_codes_of_the_headers) {
    EXPECT_EQ(WASMTIME_ANYREF, 7);
    EXPECT_EQ(WASMTIME_EXTERN_GLOBAL, 1);
    EXPECT_EQ(WASMTIME_EXTERN_MEMORY, 3);
    EXPECT_EQ(WASMTIME_UPDATE_DEADLINE_YIELD, 1);
    EXPECT_EQ(WASMTIME_TRAP_CODE_STACK_OVERFLOW, 0);
    EXPECT_EQ(WASMTIME_TRAP_CODE_INTERRUPT, 10);
    EXPECT_EQ(WASMTIME_TRAP_CODE_ALLOCATION_TOO_LARGE, 15);
    EXPECT_EQ(WASM_EXTERN_MEMORY, 3);
}

}  // namespace

#else

TEST(WasmtimeDeclarations, have_the_codes_of_the_headers) {
    GTEST_SKIP() << "the build found no headers of wasmtime: ./dev setup engines";
}

#endif
