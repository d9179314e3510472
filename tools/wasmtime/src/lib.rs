// SPDX-License-Identifier: Apache-2.0
// wasmtime's C API, re-exported, and the settings of its garbage collector that it has no call for.
// Declared for C++ in lang/wasm/wasmtime/internal/c_api.hpp.

pub use wasmtime_c_api::*;

use wasmtime::{Collector, Config};

// `wasm_config_t` is `repr(C)` with a `Config` as its only field, which is private.
const _: () = assert!(std::mem::size_of::<wasm_config_t>() == std::mem::size_of::<Config>());

fn config_of(config: &mut wasm_config_t) -> &mut Config {
    unsafe { &mut *(config as *mut wasm_config_t).cast::<Config>() }
}

/// Chooses the collector: 1 copying, 2 deferred reference counting, 3 none; anything else: the default.
#[no_mangle]
pub extern "C" fn gyre_wasmtime_config_collector_set(config: &mut wasm_config_t, collector: u8) {
    config_of(config).collector(match collector {
        1 => Collector::Copying,
        2 => Collector::DeferredReferenceCounting,
        3 => Collector::Null,
        _ => Collector::Auto,
    });
}

/// Size of a store's GC heap when it is made, in bytes: a larger one collects less often.
#[no_mangle]
pub extern "C" fn gyre_wasmtime_config_gc_heap_initial_size_set(config: &mut wasm_config_t, size: u64) {
    config_of(config).gc_heap_initial_size(size);
}

/// Address space that a store's GC heap reserves, so that growing need not move it.
#[no_mangle]
pub extern "C" fn gyre_wasmtime_config_gc_heap_reservation_set(config: &mut wasm_config_t, size: u64) {
    config_of(config).gc_heap_reservation(size);
}
