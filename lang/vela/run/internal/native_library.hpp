// SPDX-License-Identifier: Apache-2.0
// NativeLibrary: a part of the standard surface: functions by their full name ("List.push"), objects
// that the host makes, and the fields of those. Made by main; outlives every program that uses it.
#pragma once

#include <map>
#include <string_view>

#include "lang/vela/run/internal/vm.hpp"

namespace gyre::vela::vm {

class NativeLibrary {
public:
    virtual ~NativeLibrary() = default;
    // Null if it has none of that name.
    [[nodiscard]] virtual NativeCall find(std::string_view name) const = 0;
    // An object of a class of the standard surface; missing if the class is not one of its own.
    [[nodiscard]] virtual Word create(Vm& /*vm*/, const TypeInfo& /*type*/) const { return {}; }
    // A field of such an object; missing if it is not one of its own.
    [[nodiscard]] virtual Word field(Vm& /*vm*/, const FieldInfo& /*field*/,
                                     Word /*object*/) const {
        return {};
    }
};

using NativeTable = std::map<std::string_view, NativeCall>;

// The part that every program has: data, futures, streams, time, JSON.
[[nodiscard]] const NativeTable& core_natives();
void add_text_natives(NativeTable& table);
void add_sequence_natives(NativeTable& table);
void add_collection_natives(NativeTable& table);
void add_number_natives(NativeTable& table);
void add_order_natives(NativeTable& table);
void add_time_natives(NativeTable& table);
void add_async_natives(NativeTable& table);
void add_waker_natives(NativeTable& table);
void add_promise_natives(NativeTable& table);
void add_stream_natives(NativeTable& table);
void add_json_natives(NativeTable& table);

}  // namespace gyre::vela::vm
