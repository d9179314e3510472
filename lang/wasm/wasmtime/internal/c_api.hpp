// SPDX-License-Identifier: Apache-2.0
// The part of wasmtime's C API that gyre uses, declared by itself: the library of the Python package comes without
// headers. c_api.test.cpp compares these declarations with the headers of the crate where they are there. The
// rules for threads and ownership are those of the C API.
#pragma once

#include <cstddef>
#include <cstdint>

#ifndef GYRE_WASMTIME_LINKAGE
#    define GYRE_WASMTIME_LINKAGE extern "C"
#endif

GYRE_WASMTIME_LINKAGE {
    struct wasm_config_t;
    struct wasm_engine_t;
    struct wasm_trap_t;
    struct wasm_frame_t;
    struct wasm_valtype_t;
    struct wasm_functype_t;
    struct wasm_externtype_t;
    struct wasm_importtype_t;
    struct wasm_exporttype_t;
    struct wasmtime_error_t;
    struct wasmtime_module_t;
    struct wasmtime_store_t;
    struct wasmtime_context_t;
    struct wasmtime_linker_t;
    struct wasmtime_caller_t;
    struct wasmtime_instance_pre_t;
    struct wasmtime_call_future_t;

    struct wasm_byte_vec_t {
        std::size_t size;
        char* data;
    };
    struct wasm_frame_vec_t {
        std::size_t size;
        wasm_frame_t** data;
    };
    struct wasm_valtype_vec_t {
        std::size_t size;
        wasm_valtype_t** data;
    };
    struct wasm_importtype_vec_t {
        std::size_t size;
        wasm_importtype_t** data;
    };
    struct wasm_exporttype_vec_t {
        std::size_t size;
        wasm_exporttype_t** data;
    };

    struct wasmtime_anyref_t {
        std::uint64_t store_id;
        std::uint32_t private1;
        std::uint32_t private2;
        void* private3;
    };
    struct wasmtime_func_t {
        std::uint64_t store_id;
        void* private1;
    };
    struct wasmtime_memory_t {
        struct {
            std::uint64_t store_id;
            std::uint32_t private1;
        } inner;
        std::uint32_t private2;
    };
    struct wasmtime_global_t {
        std::uint64_t store_id;
        std::uint32_t private1;
        std::uint32_t private2;
        std::uint32_t private3;
    };
    struct wasmtime_instance_t {
        std::uint64_t store_id;
        std::size_t private1;
    };
    union wasmtime_valunion_t {
        std::int32_t i32;
        std::int64_t i64;
        float f32;
        double f64;
        wasmtime_anyref_t anyref;
        wasmtime_func_t funcref;
        std::uint8_t v128[16];
    };
    struct wasmtime_val_t {
        std::uint8_t kind;
        wasmtime_valunion_t of;
    };
    union wasmtime_extern_union_t {
        wasmtime_func_t func;
        wasmtime_global_t global;
        wasmtime_memory_t memory;
        void* sharedmemory;
    };
    struct wasmtime_extern_t {
        std::uint8_t kind;
        wasmtime_extern_union_t of;
    };
    // Only its first byte is read: the kind.
    struct wasmtime_valtype_t {
        std::uint8_t kind;
        std::uint64_t private1[7];
    };

    using wasmtime_func_callback_t =
        wasm_trap_t* (*)(void*, wasmtime_caller_t*, const wasmtime_val_t*, std::size_t,
                         wasmtime_val_t*, std::size_t);
    using wasmtime_epoch_callback_t =
        wasmtime_error_t* (*)(wasmtime_context_t*, void*, std::uint64_t*, std::uint8_t*);
    using wasmtime_finalizer_t = void (*)(void*);
    struct wasmtime_async_continuation_t {
        bool (*callback)(void*);
        void* env;
        wasmtime_finalizer_t finalizer;
    };
    using wasmtime_func_async_callback_t =
        void (*)(void*, wasmtime_caller_t*, const wasmtime_val_t*, std::size_t, wasmtime_val_t*,
                 std::size_t, wasm_trap_t**, wasmtime_async_continuation_t*);

    wasm_config_t* wasm_config_new();
    void wasmtime_config_epoch_interruption_set(wasm_config_t*, bool);
    void wasmtime_config_consume_fuel_set(wasm_config_t*, bool);
    void wasmtime_config_signals_based_traps_set(wasm_config_t*, bool);
    void wasmtime_config_wasm_function_references_set(wasm_config_t*, bool);
    void wasmtime_config_wasm_gc_set(wasm_config_t*, bool);
    void wasmtime_config_wasm_tail_call_set(wasm_config_t*, bool);
    void wasmtime_config_max_wasm_stack_set(wasm_config_t*, std::size_t);
    void wasmtime_config_async_stack_size_set(wasm_config_t*, std::size_t);
    void wasmtime_config_memory_reservation_set(wasm_config_t*, std::uint64_t);
    void wasmtime_config_memory_guard_size_set(wasm_config_t*, std::uint64_t);
    void wasmtime_config_memory_reservation_for_growth_set(wasm_config_t*, std::uint64_t);
    void wasmtime_config_native_unwind_info_set(wasm_config_t*, bool);
    wasm_engine_t* wasm_engine_new_with_config(wasm_config_t*);
    void wasm_engine_delete(wasm_engine_t*);
    void wasmtime_engine_increment_epoch(const wasm_engine_t*);

    wasmtime_error_t* wasmtime_wat2wasm(const char*, std::size_t, wasm_byte_vec_t*);
    wasmtime_error_t* wasmtime_module_new(wasm_engine_t*, const std::uint8_t*, std::size_t,
                                          wasmtime_module_t**);
    void wasmtime_module_delete(wasmtime_module_t*);
    void wasmtime_module_imports(const wasmtime_module_t*, wasm_importtype_vec_t*);
    void wasmtime_module_exports(const wasmtime_module_t*, wasm_exporttype_vec_t*);
    wasmtime_error_t* wasmtime_module_serialize(const wasmtime_module_t*, wasm_byte_vec_t*);
    wasmtime_error_t* wasmtime_module_deserialize(wasm_engine_t*, const std::uint8_t*, std::size_t,
                                                  wasmtime_module_t**);
    void wasm_byte_vec_delete(wasm_byte_vec_t*);
    void wasm_importtype_vec_delete(wasm_importtype_vec_t*);
    void wasm_exporttype_vec_delete(wasm_exporttype_vec_t*);
    void wasm_frame_vec_delete(wasm_frame_vec_t*);
    const wasm_byte_vec_t* wasm_importtype_module(const wasm_importtype_t*);
    const wasm_byte_vec_t* wasm_importtype_name(const wasm_importtype_t*);
    const wasm_externtype_t* wasm_importtype_type(const wasm_importtype_t*);
    const wasm_byte_vec_t* wasm_exporttype_name(const wasm_exporttype_t*);
    const wasm_externtype_t* wasm_exporttype_type(const wasm_exporttype_t*);
    std::uint8_t wasm_externtype_kind(const wasm_externtype_t*);
    const wasm_functype_t* wasm_externtype_as_functype_const(const wasm_externtype_t*);
    const wasm_valtype_vec_t* wasm_functype_params(const wasm_functype_t*);
    const wasm_valtype_vec_t* wasm_functype_results(const wasm_functype_t*);
    void wasmtime_valtype_new(const wasm_valtype_t*, wasmtime_valtype_t*);
    void wasmtime_valtype_delete(wasmtime_valtype_t*);

    wasmtime_linker_t* wasmtime_linker_new(wasm_engine_t*);
    void wasmtime_linker_delete(wasmtime_linker_t*);
    wasmtime_error_t* wasmtime_linker_define_func(
        wasmtime_linker_t*, const char*, std::size_t, const char*, std::size_t,
        const wasm_functype_t*, wasmtime_func_callback_t, void*, wasmtime_finalizer_t);
    wasmtime_error_t* wasmtime_linker_define_async_func(
        wasmtime_linker_t*, const char*, std::size_t, const char*, std::size_t,
        const wasm_functype_t*, wasmtime_func_async_callback_t, void*, wasmtime_finalizer_t);
    wasmtime_error_t* wasmtime_linker_instantiate_pre(
        const wasmtime_linker_t*, const wasmtime_module_t*, wasmtime_instance_pre_t**);
    void wasmtime_instance_pre_delete(wasmtime_instance_pre_t*);
    wasmtime_call_future_t* wasmtime_instance_pre_instantiate_async(
        const wasmtime_instance_pre_t*, wasmtime_context_t*, wasmtime_instance_t*, wasm_trap_t**,
        wasmtime_error_t**);

    wasmtime_store_t* wasmtime_store_new(wasm_engine_t*, void*, wasmtime_finalizer_t);
    void wasmtime_store_delete(wasmtime_store_t*);
    wasmtime_context_t* wasmtime_store_context(wasmtime_store_t*);
    void wasmtime_store_limiter(wasmtime_store_t*, std::int64_t, std::int64_t, std::int64_t,
                                std::int64_t, std::int64_t);
    void wasmtime_store_epoch_deadline_callback(wasmtime_store_t*, wasmtime_epoch_callback_t, void*,
                                                wasmtime_finalizer_t);
    void wasmtime_context_set_epoch_deadline(wasmtime_context_t*, std::uint64_t);
    wasmtime_error_t* wasmtime_context_set_fuel(wasmtime_context_t*, std::uint64_t);
    wasmtime_error_t* wasmtime_context_get_fuel(const wasmtime_context_t*, std::uint64_t*);
    wasmtime_error_t* wasmtime_context_fuel_async_yield_interval(wasmtime_context_t*,
                                                                 std::uint64_t);
    void* wasmtime_context_get_data(const wasmtime_context_t*);
    wasmtime_context_t* wasmtime_caller_context(wasmtime_caller_t*);

    bool wasmtime_instance_export_get(wasmtime_context_t*, const wasmtime_instance_t*, const char*,
                                      std::size_t, wasmtime_extern_t*);
    wasmtime_error_t* wasmtime_func_call(wasmtime_context_t*, const wasmtime_func_t*,
                                         const wasmtime_val_t*, std::size_t, wasmtime_val_t*,
                                         std::size_t, wasm_trap_t**);
    wasmtime_call_future_t* wasmtime_func_call_async(
        wasmtime_context_t*, const wasmtime_func_t*, const wasmtime_val_t*, std::size_t,
        wasmtime_val_t*, std::size_t, wasm_trap_t**, wasmtime_error_t**);
    bool wasmtime_call_future_poll(wasmtime_call_future_t*);
    void wasmtime_call_future_delete(wasmtime_call_future_t*);
    void wasmtime_val_unroot(wasmtime_val_t*);
    void wasmtime_val_clone(const wasmtime_val_t*, wasmtime_val_t*);

    std::uint8_t* wasmtime_memory_data(wasmtime_context_t*, const wasmtime_memory_t*);
    std::size_t wasmtime_memory_data_size(const wasmtime_context_t*, const wasmtime_memory_t*);
    wasmtime_error_t* wasmtime_memory_grow(wasmtime_context_t*, const wasmtime_memory_t*,
                                           std::uint64_t, std::uint64_t*);
    void wasmtime_global_get(wasmtime_context_t*, const wasmtime_global_t*, wasmtime_val_t*);
    wasmtime_error_t* wasmtime_global_set(wasmtime_context_t*, const wasmtime_global_t*,
                                          const wasmtime_val_t*);

    wasmtime_error_t* wasmtime_error_new(const char*);
    void wasmtime_error_delete(wasmtime_error_t*);
    void wasmtime_error_message(const wasmtime_error_t*, wasm_byte_vec_t*);
    void wasmtime_error_wasm_trace(const wasmtime_error_t*, wasm_frame_vec_t*);
    wasm_trap_t* wasmtime_trap_new(const char*, std::size_t);
    void wasm_trap_delete(wasm_trap_t*);
    void wasm_trap_message(const wasm_trap_t*, wasm_byte_vec_t*);
    void wasm_trap_trace(const wasm_trap_t*, wasm_frame_vec_t*);
    bool wasmtime_trap_code(const wasm_trap_t*, std::uint8_t*);
    std::uint32_t wasm_frame_func_index(const wasm_frame_t*);
    std::size_t wasm_frame_module_offset(const wasm_frame_t*);
    const wasm_byte_vec_t* wasmtime_frame_func_name(const wasm_frame_t*);
}
