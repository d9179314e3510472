// SPDX-License-Identifier: Apache-2.0
// What the protocol provides for a module's imports: tasks, external functions, callbacks and their scopes. An import of
// another type than the protocol gives it is not provided: making the instance says so.
#include <array>
#include <utility>

#include "gyre/effect/run_outcome.hpp"
#include "lang/wasm/internal/frames.hpp"
#include "lang/wasm/internal/schema.hpp"
#include "lang/wasm/internal/store.hpp"

namespace gyre::wasm {

using effect::ErrorKind;
using effect::ProtocolError;
using effect::TaskHost;

namespace {

using Cells = std::span<const Cell>;
using Results = std::span<Cell>;

constexpr std::string_view task_module = "voyd.task";
constexpr std::string_view external_module = "voyd.external";
constexpr std::string_view scope_module = "voyd.callback.scope";
constexpr std::string_view attached_prefix = "spawn_attached__";
constexpr std::string_view detached_prefix = "spawn_detached__";
constexpr std::size_t name_size_max = 1'024;

bool has_type(const Item& item, const std::vector<CellKind>& params,
              const std::vector<CellKind>& results) {
    return item.params == params && item.results == results;
}
bool takes_number_gives_number(const Item& item) {
    return has_type(item, {CellKind::i32}, {CellKind::i32});
}

struct RetainedName {
    std::string name;        // of the export that calls the callback; empty: none
    bool is_scoped = false;  // it belongs to the scope of the task that retains it
};
RetainedName retained_by(const Item& item) {
    constexpr std::array<std::array<std::string_view, 2>, 4> forms = {{
        {"voyd.callback", "retain__"},
        {"voyd.boundary.callback", "retain_callback__"},
        {"voyd.boundary.callback", "retain_event__"},
        {"voyd.render.callback", "retain_render_callback__"},
    }};
    for (const auto& [module, prefix] : forms) {
        if (item.module != module || !item.name.starts_with(prefix)) continue;
        return {item.name.substr(prefix.size()), module == "voyd.render.callback"};
    }
    return {};
}

}  // namespace

std::vector<HostImport> WasmGuest::Store::make_imports(effect::RunId first_run) {
    std::vector<HostImport> imports;
    if (options_.imports) imports = options_.imports(first_run);
    const std::size_t first_handled = program_.ops().size();
    for (std::size_t i = 0; i < options_.handled_imports.size(); ++i) {
        imports.push_back(
            handled_import(options_.handled_imports[i], guest_.ops_[first_handled + i]));
    }
    for (const Item& item : program_.module().imports()) {
        if (item.kind != ItemKind::function || item.name.size() > name_size_max) continue;
        HostFunction function;
        if (item.module == task_module) function = task_import(item);
        if (item.module == external_module) function = external_import(item);
        if (item.module == scope_module) function = scope_import(item);
        if (!function) function = callback_import(item);
        if (function) imports.push_back({item.module, item.name, std::move(function)});
    }
    return imports;
}

// The request is the next step of the strand; its answer is there when the call goes on.
HostImport WasmGuest::Store::handled_import(const HandledImport& import, const effect::OpInfo& op) {
    HostImport made{.module = import.module, .name = import.name, .function = {}};
    made.begin = [this, &import, &op](Instance& instance, Cells arguments, Results results) {
        auto asked = import.ask(instance, arguments, results);
        if (!asked) return false;
        active.strand->asked = &op;
        active.strand->asked_arguments = std::move(*asked);
        return true;
    };
    made.function = [this, &import](Instance& instance, Cells arguments, Results results) {
        const effect::Value answer = std::move(active.strand->import_answer);
        import.take(instance, arguments, answer, results);
    };
    return made;
}

HostFunction WasmGuest::Store::task_import(const Item& item) {
    const std::string_view name = item.name;
    const bool gives_number = item.results == std::vector{CellKind::i32};
    if (name.starts_with(attached_prefix) && gives_number) {
        return spawner(TaskHost::Spawn::attached, std::string(name.substr(attached_prefix.size())));
    }
    if (name.starts_with(detached_prefix) && gives_number) {
        return spawner(TaskHost::Spawn::detached, std::string(name.substr(detached_prefix.size())));
    }
    if (name == "cancel" && takes_number_gives_number(item)) {
        return [this](Instance&, Cells arguments, Results results) {
            results[0] = cell(active.tasks->cancel(arguments[0].i32) ? 1 : 0);
        };
    }
    if (name == "take_value" && has_type(item, {CellKind::i32}, {CellKind::ref})) {
        return [this](Instance&, Cells arguments, Results results) {
            const std::unique_ptr<Session::HeldRef> held(
                reinterpret_cast<Session::HeldRef*>(active.tasks->take_held(arguments[0].i32)));
            results[0] = cell_of(held == nullptr ? 0 : held->reference);
        };
    }
    return {};
}

HostFunction WasmGuest::Store::spawner(TaskHost::Spawn how, std::string starter) {
    return [this, how, starter = std::move(starter)](Instance& instance, Cells arguments,
                                                     Results results) {
        std::vector<Cell> kept;
        for (Cell one : arguments) {
            if (one.kind == CellKind::ref) one.ref = instance.clone(one.ref);
            kept.push_back(one);
        }
        const effect::Continuation body = active.session->make_task(starter, std::move(kept));
        results[0] = cell(active.tasks->spawn(how, body));
    };
}

HostFunction WasmGuest::Store::external_import(const Item& item) {
    if (item.name == "buffer_size" && has_type(item, {}, {CellKind::i32})) {
        return [this](Instance&, Cells, Results results) {
            results[0] = cell(static_cast<std::int32_t>(buffer_size_));
        };
    }
    if (item.name == "buffer_error" && item.params.empty()) {
        return [this](Instance&, Cells, Results) {
            throw ProtocolError(ErrorKind::buffer_overflow,
                                "the arguments of an external function exceed buffer_size_bytes (" +
                                    std::to_string(buffer_size_) + ")");
        };
    }
    const std::vector<CellKind> four(4, CellKind::i32);
    const ExternalFunction* needed = program_.external(item.name);
    if (needed == nullptr || !has_type(item, four, {CellKind::i32})) return {};
    const auto given = options_.externals.find(item.name);
    if (given == options_.externals.end()) {
        throw CompileError("the module needs the external function " + item.name +
                           ", which this host does not have");
    }
    return external_call(*needed, given->second);
}

// Called inside of a call of the module, with a frame in its memory; the answer goes to another place there.
HostFunction WasmGuest::Store::external_call(const ExternalFunction& needed,
                                             const ExternalCall& call) {
    return [this, &needed, &call](Instance& instance, Cells arguments, Results results) {
        static_cast<void>(instance.use_memory("memory"));
        const auto word = [&](std::size_t at) {
            return static_cast<std::size_t>(static_cast<std::uint32_t>(arguments[at].i32));
        };
        const std::string_view frame = memory_at(word(0), word(1));
        if (options_.on_frame) options_.on_frame(FrameDirection::out_of_guest, frame);
        const effect::MessagePackLimits limits = frame_limits(options_.buffer_max_bytes);
        const effect::Arguments given = read_external_invocation(frame, needed, limits);
        effect::Value value;
        try {
            value = call(given);
        } catch (const std::exception& error) {
            throw ProtocolError(ErrorKind::handler_failed,
                                "external function " + needed.key() + ": " + error.what());
        }
        std::string answer;
        write_external_completion(answer, needed, value);
        if (answer.size() > word(3)) {
            throw ProtocolError(ErrorKind::buffer_overflow,
                                "external function " + needed.key() + ": its result has " +
                                    std::to_string(answer.size()) +
                                    " bytes, more than buffer_size_bytes (" +
                                    std::to_string(buffer_size_) + ")");
        }
        write_frame(word(2), answer);
        results[0] = cell(static_cast<std::int32_t>(answer.size()));
    };
}

HostFunction WasmGuest::Store::callback_import(const Item& item) {
    const RetainedName retained = retained_by(item);
    if (retained.name.empty() || !has_type(item, {CellKind::ref}, {CellKind::i32})) return {};
    if (program_.callback(retained.name) == nullptr) {
        throw CompileError("Voyd module is missing DTO metadata for retained callback " +
                           retained.name);
    }
    return [this, retained](Instance& instance, Cells arguments, Results results) {
        const std::int32_t id = callbacks_.retain(retained.name, instance.clone(arguments[0].ref));
        if (retained.is_scoped && active.strand != nullptr) {
            Callbacks::add(active.strand->callback_scopes, id);
        }
        results[0] = cell(id);
    };
}

HostFunction WasmGuest::Store::scope_import(const Item& item) {
    const auto scopes = [this]() -> CallbackScopes& {
        if (active.strand == nullptr) {
            throw ProtocolError(ErrorKind::guest_failed, "a callback scope outside of any task");
        }
        return active.strand->callback_scopes;
    };
    if (item.name == "begin" && has_type(item, {}, {CellKind::i32})) {
        return [this, scopes](Instance&, Cells, Results results) {
            results[0] = cell(callbacks_.begin_scope(scopes()));
        };
    }
    if (item.name == "end" && has_type(item, {CellKind::i32}, {})) {
        return [this, scopes](Instance&, Cells arguments, Results) {
            callbacks_.end_scope(scopes(), arguments[0].i32);
        };
    }
    if (item.name == "claim" && has_type(item, {CellKind::i32}, {})) {
        return [scopes](Instance&, Cells arguments, Results) {
            Callbacks::claim(scopes(), arguments[0].i32);
        };
    }
    return {};
}

}  // namespace gyre::wasm
