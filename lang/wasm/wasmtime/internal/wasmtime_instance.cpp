// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/wasmtime/internal/wasmtime_instance.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/effect/run_outcome.hpp"

namespace gyre::wasm {
namespace {

constexpr std::uint8_t extern_function = 0;
constexpr std::uint8_t extern_global = 1;
constexpr std::uint8_t extern_memory = 3;
constexpr std::uint8_t value_anyref = 7;
constexpr std::uint8_t update_continue = 0;
constexpr std::uint8_t update_yield = 1;
constexpr std::size_t page_size = 65'536;
// A call that should never take long is ended after this many ticks.
constexpr std::uint32_t brief_ticks_max = 4;

std::int64_t limit_of(std::size_t limit) noexcept {
    constexpr auto longest = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
    return static_cast<std::int64_t>(std::min(limit, longest));
}

}  // namespace

WasmtimeInstance::WasmtimeInstance(WasmtimeModule& module, const InstanceLimits& limits,
                                   std::vector<HostImport> imports, InstancePrePtr linked)
    : module_(module),
      limits_(limits),
      imports_(std::move(imports)),
      linked_(std::move(linked)),
      store_(wasmtime_store_new(module.engine().get(), this, nullptr)),
      context_(wasmtime_store_context(store_)) {
    wasmtime_store_limiter(store_, limit_of(limits.memory_max_bytes), limit_of(limits.table_max), 1,
                           1'000, 1'000);
    wasmtime_store_epoch_deadline_callback(store_, &on_tick, this, nullptr);
    wasmtime_context_set_epoch_deadline(context_, 1);
    GYRE_ASSERT(module.engine().counts_fuel() || (limits.fuel_step == 0 && limits.fuel_max == 0),
                "limits of fuel need an engine that counts it");
    if (!module.engine().counts_fuel()) return;
    const std::uint64_t fuel = limits.fuel_max > 0 ? limits.fuel_max : UINT64_MAX;
    const ErrorPtr error(wasmtime_context_set_fuel(context_, fuel));
    GYRE_ASSERT(error == nullptr, "the engine counts fuel");
    if (limits.fuel_step == 0) return;
    const ErrorPtr refused(wasmtime_context_fuel_async_yield_interval(context_, limits.fuel_step));
    GYRE_ASSERT(refused == nullptr, "the engine counts fuel");
    fuel_mark_ = fuel;
}

WasmtimeInstance::~WasmtimeInstance() {
    abandon();
    for (Ref reference = 1; reference <= refs_.size(); ++reference) {
        if (std::ranges::find(free_refs_, reference) == free_refs_.end()) {
            wasmtime_val_unroot(&refs_[reference - 1]);
        }
    }
    wasmtime_store_delete(store_);
}

// Called by the guest at the first tick in its call, and at each one after.
wasmtime_error_t* WasmtimeInstance::on_tick(wasmtime_context_t* /*context*/, void* instance,
                                            std::uint64_t* delta, std::uint8_t* kind) {
    auto& self = *static_cast<WasmtimeInstance*>(instance);
    *delta = 1;
    *kind = update_continue;
    self.time_used_ += self.module_.engine().epochs().tick();
    const bool is_too_long =
        self.limits_.time_max > Duration(0) && self.time_used_ >= self.limits_.time_max;
    if (self.call_kind_ == CallKind::brief) ++self.brief_ticks_;
    if (is_too_long || self.brief_ticks_ > brief_ticks_max) {
        self.is_over_time_ = true;
        return wasmtime_error_new("the guest is over its time limit");
    }
    if (self.limits_.is_preemptible && self.call_kind_ == CallKind::whole) {
        *kind = update_yield;
        self.is_yield_asked_ = true;
    }
    return nullptr;
}

Progress WasmtimeInstance::begin() {
    GYRE_ASSERT(future_ == nullptr, "an instance is inside one call at a time");
    call_kind_ = CallKind::whole;
    values_out_.clear();
    wasmtime_context_set_epoch_deadline(context_, 1);
    future_ = wasmtime_instance_pre_instantiate_async(
        linked_ != nullptr ? linked_.get() : module_.linked(), context_, &instance_, &trap_,
        &error_);
    return poll();
}

Progress WasmtimeInstance::begin_call(Function function, std::span<const Cell> arguments) {
    GYRE_ASSERT(future_ == nullptr, "an instance is inside one call at a time");
    GYRE_ASSERT(has_instance_, "begin() comes before the first call");
    const Exported& at = exported(function, arguments.size());
    fill(values_in_, arguments);
    values_out_.assign(at.result_count, {});
    call_kind_ = CallKind::whole;
    wasmtime_context_set_epoch_deadline(context_, 1);
    future_ = wasmtime_func_call_async(context_, &at.function, values_in_.data(), values_in_.size(),
                                       values_out_.data(), values_out_.size(), &trap_, &error_);
    return poll();
}

Progress WasmtimeInstance::go_on() {
    GYRE_ASSERT(future_ != nullptr, "only a call that has not ended goes on");
    if (pending_.state == ImportState::waits) pending_.state = ImportState::finishes;
    return poll();
}

Progress WasmtimeInstance::poll() {
    Epochs& epochs = module_.engine().epochs();
    const std::uint64_t first_tick = epochs.count();
    is_yield_asked_ = false;
    epochs.enter();
    bool is_done = wasmtime_call_future_poll(future_);
    while (!is_done && !must_leave(first_tick)) is_done = wasmtime_call_future_poll(future_);
    epochs.leave();
    if (!is_done) {
        return pending_.state == ImportState::waits ? Progress::waiting : Progress::preempted;
    }
    wasmtime_call_future_delete(std::exchange(future_, nullptr));
    call_kind_ = CallKind::none;
    throw_if_failed(std::exchange(trap_, nullptr), std::exchange(error_, nullptr));
    has_instance_ = true;
    results_.clear();
    for (const wasmtime_val_t& value : values_out_) results_.push_back(to_cell(value));
    return Progress::done;
}

// A collection leaves the call several times. It goes on at once, unless the guest has had its time meanwhile.
bool WasmtimeInstance::must_leave(std::uint64_t first_tick) {
    if (pending_.state == ImportState::waits || is_yield_asked_) return true;
    if (limits_.is_preemptible && module_.engine().epochs().count() != first_tick) return true;
    return has_used_fuel_step();
}

// The engine refills the step just before it stops the guest for it, and at no other time.
bool WasmtimeInstance::has_used_fuel_step() {
    if (limits_.fuel_step == 0) return false;
    std::uint64_t fuel = 0;
    const ErrorPtr error(wasmtime_context_get_fuel(context_, &fuel));
    GYRE_ASSERT(error == nullptr, "the engine counts fuel");
    if (fuel_mark_ - fuel < limits_.fuel_step) return false;
    fuel_mark_ = fuel;
    return true;
}

Cell WasmtimeInstance::call(Function function, std::span<const Cell> arguments) {
    GYRE_ASSERT(future_ == nullptr, "an instance is inside one call at a time");
    const Exported& at = exported(function, arguments.size());
    fill(values_in_, arguments);
    wasmtime_val_t result{};
    if (at.result_count > 1) {
        throw effect::ProtocolError(effect::ErrorKind::unknown_export,
                                    at.name + " returns more than one value");
    }
    wasm_trap_t* trap = nullptr;
    call_kind_ = CallKind::brief;
    brief_ticks_ = 0;
    wasmtime_context_set_epoch_deadline(context_, 1);
    Epochs& epochs = module_.engine().epochs();
    epochs.enter();
    wasmtime_error_t* error = nullptr;
    if (limits_.fuel_step > 0 || linked_ != nullptr) {  // it takes asynchronous calls only
        wasmtime_call_future_t* future =
            wasmtime_func_call_async(context_, &at.function, values_in_.data(), values_in_.size(),
                                     &result, at.result_count, &trap, &error);
        while (!wasmtime_call_future_poll(future)) static_cast<void>(has_used_fuel_step());
        wasmtime_call_future_delete(future);
    } else {
        error = wasmtime_func_call(context_, &at.function, values_in_.data(), values_in_.size(),
                                   &result, at.result_count, &trap);
    }
    epochs.leave();
    call_kind_ = CallKind::none;
    brief_ticks_ = 0;
    throw_if_failed(trap, error);
    return at.result_count == 0 ? Cell() : to_cell(result);
}

void WasmtimeInstance::throw_if_failed(wasm_trap_t* trap, wasmtime_error_t* error) {
    const TrapPtr trapped(trap);
    const ErrorPtr failed(error);
    if (thrown_ != nullptr) std::rethrow_exception(std::exchange(thrown_, nullptr));
    if (std::exchange(is_over_time_, false)) {
        throw effect::ProtocolError(effect::ErrorKind::time_limit,
                                    "the guest is over its time limit");
    }
    if (trapped != nullptr) throw_trap(trapped);
    if (failed != nullptr) throw_error(failed);
}

void WasmtimeInstance::abandon() noexcept {
    if (future_ == nullptr) return;
    wasmtime_call_future_delete(std::exchange(future_, nullptr));
    call_kind_ = CallKind::none;
    pending_ = {};
    const TrapPtr trapped(std::exchange(trap_, nullptr));
    const ErrorPtr failed(std::exchange(error_, nullptr));
    thrown_ = nullptr;
}

std::optional<wasmtime_extern_t> WasmtimeInstance::find_export(std::string_view name,
                                                               std::uint8_t kind) {
    wasmtime_extern_t found{};
    if (!has_instance_) return std::nullopt;
    if (!wasmtime_instance_export_get(context_, &instance_, name.data(), name.size(), &found)) {
        return std::nullopt;
    }
    if (found.kind != kind) return std::nullopt;  // only shared memories own something
    return found;
}

std::optional<Instance::Function> WasmtimeInstance::find(std::string_view name) {
    const auto known = std::ranges::find(exported_, name, &Exported::name);
    if (known != exported_.end()) return static_cast<Function>(known - exported_.begin());
    const auto found = find_export(name, extern_function);
    if (!found) return std::nullopt;
    const auto item = std::ranges::find(module_.exports(), name, &Item::name);
    GYRE_ASSERT(item != module_.exports().end(), "an instance exports what its module does");
    exported_.push_back(
        {std::string(name), found->of.func, item->params.size(), item->results.size()});
    return static_cast<Function>(exported_.size() - 1);
}

// A module may export a function of the protocol's name with another type.
const WasmtimeInstance::Exported& WasmtimeInstance::exported(Function function,
                                                             std::size_t argument_count) const {
    GYRE_ASSERT(function < exported_.size(), "call a function that find() has returned");
    const Exported& at = exported_[function];
    if (at.param_count != argument_count) {
        throw effect::ProtocolError(effect::ErrorKind::unknown_export,
                                    at.name + " takes " + std::to_string(at.param_count) +
                                        " parameters, and the protocol gives it " +
                                        std::to_string(argument_count));
    }
    return at;
}

bool WasmtimeInstance::use_memory(std::string_view name) {
    const auto found = find_export(name, extern_memory);
    if (found) memory_ = found->of.memory;
    has_memory_ = has_memory_ || found.has_value();
    return found.has_value();
}

std::span<std::byte> WasmtimeInstance::memory() {
    if (!has_memory_) return {};
    return {reinterpret_cast<std::byte*>(wasmtime_memory_data(context_, &memory_)),
            wasmtime_memory_data_size(context_, &memory_)};
}

bool WasmtimeInstance::grow_memory(std::size_t size_bytes) {
    if (!has_memory_) return false;
    const std::size_t now = wasmtime_memory_data_size(context_, &memory_);
    if (now >= size_bytes) return true;
    std::uint64_t before = 0;
    const ErrorPtr error(wasmtime_memory_grow(
        context_, &memory_, (size_bytes - now + page_size - 1) / page_size, &before));
    return error == nullptr;
}

std::optional<std::int32_t> WasmtimeInstance::global(std::string_view name) {
    const auto found = find_export(name, extern_global);
    if (!found) return std::nullopt;
    wasmtime_val_t value{};
    wasmtime_global_get(context_, &found->of.global, &value);
    const bool is_number = value.kind == 0;
    const std::int32_t number = value.of.i32;
    wasmtime_val_unroot(&value);
    return is_number ? std::optional(number) : std::nullopt;
}

void WasmtimeInstance::set_global(std::string_view name, std::int32_t value) {
    const auto found = find_export(name, extern_global);
    if (!found) return;
    wasmtime_val_t given{};
    given.of.i32 = value;
    const ErrorPtr error(wasmtime_global_set(context_, &found->of.global, &given));
}

void WasmtimeInstance::fill(std::vector<wasmtime_val_t>& values,
                            std::span<const Cell> cells) const {
    values.clear();
    for (const Cell& one : cells) values.push_back(to_value(one));
}

wasmtime_val_t WasmtimeInstance::to_value(const Cell& cell) const {
    if (cell.kind == CellKind::other) {
        throw effect::ProtocolError(effect::ErrorKind::unknown_export,
                                    "a value of a type that the host does not pass on");
    }
    wasmtime_val_t value{};
    value.kind = static_cast<std::uint8_t>(cell.kind);
    if (cell.kind != CellKind::ref) {
        value.of.i64 = cell.i64;
        return value;
    }
    if (cell.ref != 0) return refs_.at(cell.ref - 1);
    value.kind = value_anyref;  // null: its store is 0
    return value;
}

Cell WasmtimeInstance::to_cell(const wasmtime_val_t& value) {
    Cell cell;
    if (value.kind <= static_cast<std::uint8_t>(CellKind::f64)) {
        cell.kind = static_cast<CellKind>(value.kind);
        cell.i64 = value.of.i64;
        return cell;
    }
    if (value.kind != value_anyref) {
        wasmtime_val_t copy = value;
        wasmtime_val_unroot(&copy);
        cell.kind = CellKind::other;
        return cell;
    }
    cell.kind = CellKind::ref;
    cell.ref = value.of.anyref.store_id == 0 ? 0 : keep(value);
    return cell;
}

Ref WasmtimeInstance::keep(const wasmtime_val_t& value) {
    if (free_refs_.empty()) {
        refs_.push_back(value);
        free_refs_.reserve(refs_.size());  // release() must not throw
        return static_cast<Ref>(refs_.size());
    }
    const Ref reference = free_refs_.back();
    free_refs_.pop_back();
    refs_[reference - 1] = value;
    return reference;
}

Ref WasmtimeInstance::clone(Ref reference) {
    if (reference == 0) return 0;
    wasmtime_val_t copy{};
    wasmtime_val_clone(&refs_.at(reference - 1), &copy);
    return keep(copy);
}

void WasmtimeInstance::release(Ref reference) noexcept {
    if (reference == 0) return;
    GYRE_ASSERT(reference <= refs_.size(), "release a reference of this instance");
    wasmtime_val_unroot(&refs_[reference - 1]);
    free_refs_.push_back(reference);
}

}  // namespace gyre::wasm
