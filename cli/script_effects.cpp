// SPDX-License-Identifier: Apache-2.0
#include "cli/script_effects.hpp"

#include <array>
#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/run_durable.hpp"
#include "cli/wasm_file.hpp"
#include "cli/wasm_standard.hpp"
#include "gyre/bridge/effect_json/json_value.hpp"
#include "gyre/effect/scheduler.hpp"
#include "gyre/task/core/executor.hpp"
#include "lang/script/script.hpp"
#include "lang/wasm/guest.hpp"
#include "lang/wasm/standard/standard.hpp"

namespace gyre::cli {
namespace {

using effect::Answer;
using effect::Arguments;
using effect::Context;
using effect::Reply;
using effect::Value;
using script::NativeCall;

// Modules that a script may have loaded, and runs that have not ended: effectsLoad and effectsStart
// fail beyond.
constexpr std::size_t module_count_max = 1024;

struct LoadedModule {
    std::shared_ptr<const wasm::Program> program;
    std::unique_ptr<wasm::Standard> standard;
    effect::Handlers handlers;
    std::unique_ptr<wasm::WasmGuest> guest;
    bool is_main = false;  // that of `gyre run app.wasm --handlers h.js`
};

std::string list_text(const Arguments& arguments) {
    Value::List list;
    for (const Value& one : arguments) list.push_back(one);
    return effect::to_json(Value(std::move(list)));
}

class ScriptEffects {
public:
    ScriptEffects(script::Script& script, Executor& executor, Program& program,
                  const RunRequest& request)
        : script_(script), executor_(executor), program_(program), request_(request) {
        script_.add_natives(natives_);
    }

private:
    // effectsListen(id): the lasting function that answers requests: done(kind, text).
    void listen(NativeCall& call) { listener_ = call.number(0); }

    // effectsLoad(path, names): names are the ops with a handler, one `effect\nop` after another, each
    // behind a line. Gives { number, ops, functions }.
    void load(NativeCall& call) {
        if (modules_.size() == module_count_max) {
            return call.fail("RangeError",
                             "a script loads at most 1024 modules (module_count_max)");
        }
        const std::string path = call.text(0);
        const std::string bytes = read(path);
        if (engine_.engine == nullptr) {
            engine_ = make_wasm_engine({.counts_fuel = is_simulated()});
            effect::SchedulerOptions options;
            if (request_.seed) options.seed = *request_.seed;
            options.failure_sink = [](effect::RunId, const effect::RunError&) {};
            scheduler_ = std::make_unique<effect::Scheduler>(executor_, std::move(options));
        }
        auto made = std::make_unique<LoadedModule>();
        made->is_main = path == request_.effects_module;
        made->program = wasm::Program::read(engine_.engine->compile(bytes));
        add_handlers(*made, call.text(1));
        const std::string told = described(*made->program);
        modules_.push_back(std::move(made));
        call.give_text("{\"number\":" + std::to_string(modules_.size() - 1) + "," + told + "}");
    }

    // The module that the user has named may be read; others as the permissions of the script say.
    std::string read(const std::string& path) {
        if (!request_.effects_module.empty() && path == request_.effects_module) {
            return read_whole_file(path, module_max_bytes);
        }
        const std::string why = script_.system().refusal(script::Access::file, path);
        std::optional<std::string> bytes = script_.system().read_file(path);
        if (!bytes) throw Failure(why.empty() ? path + ": cannot be read" : why);
        return std::move(*bytes);
    }

    void add_handlers(LoadedModule& made, const std::string& names) {
        const std::string prefix = std::to_string(modules_.size()) + " ";
        for (const effect::OpInfo& op : made.program->ops()) {
            // A table may have an op more than once.
            if (!is_named(names, op.effect, op.op) || made.handlers.has(op)) continue;
            made.handlers.on(op.effect, op.op, op.signature,
                             [this, kind = op.kind, name = prefix + key_of(op.effect, op.op)](
                                 Context& context, Arguments arguments, Reply reply) {
                                 request(context, name, kind, arguments, std::move(reply));
                             });
        }
        wasm::GuestOptions options;
        if (request_.memory_limit_bytes > 0) {
            options.limits.memory_max_bytes = request_.memory_limit_bytes;
        }
        options.limits.is_preemptible = !is_simulated();
        constexpr std::uint64_t virtual_fuel_step = 1'000'000;  // instructions
        if (is_simulated()) options.limits.fuel_step = virtual_fuel_step;
        // The guest calls such a function on a stack of its own, where no script can run.
        for (const wasm::ExternalFunction& function : made.program->externals()) {
            if (function.is_async) continue;
            throw Failure(
                "the module needs the external function " + function.to_text() +
                ", which returns at once: answers as JSON (gyre run --handlers FILE.json) "
                "can give it, a script cannot");
        }
        made.standard = std::make_unique<wasm::Standard>(standard_options(request_, program_));
        made.standard->add_to(made.handlers, *made.program);
        made.guest = std::make_unique<wasm::WasmGuest>(made.program, std::move(options));
    }

    static std::string key_of(std::string_view effect, std::string_view op) {
        return std::string(effect) + "::" + std::string(op);
    }
    static bool is_named(const std::string& names, std::string_view effect, std::string_view op) {
        return names.find("\n" + key_of(effect, op) + "\n") != std::string::npos;
    }

    static std::string described(const wasm::Program& program) {
        Value::List ops;
        for (const effect::OpInfo& op : program.ops()) {
            Value::Record one;
            one.emplace_back("effect", std::string(op.effect));
            one.emplace_back("op", std::string(op.op));
            ops.emplace_back(std::move(one));
        }
        Value::List functions;
        for (const wasm::ExportedFunction& function : program.functions()) {
            functions.emplace_back(function.name);
        }
        return "\"ops\":" + effect::to_json(Value(std::move(ops))) +
               ",\"functions\":" + effect::to_json(Value(std::move(functions)));
    }

    // ---- Runs ----

    // effectsStart(done, module, entry, arguments): number of the run. done(0, the outcome).
    void start(NativeCall& call) {
        const auto module = static_cast<std::size_t>(call.number(1));
        if (!(call.number(1) >= 0) || module >= modules_.size()) {
            return call.fail("RangeError", "there is no such module");
        }
        LoadedModule& of = *modules_[module];
        const std::string entry = call.text(2);
        const Value given = effect::value_from_json(call.text(3));
        Arguments arguments;
        for (const Value& one : given.list()) arguments.push_back(one);
        const std::uint64_t number = ++last_run_;
        if (of.is_main && !request_.store.empty()) {
            script_.hold();
            static_cast<void>(executor_.root().spawn(
                finish_stored(call.number(0), of, entry, std::move(arguments))));
            return call.give_number(static_cast<double>(number));
        }
        auto handle = scheduler_->start(*of.guest, of.handlers, entry, std::move(arguments));
        runs_.emplace(number, handle.id());
        script_.hold();
        static_cast<void>(
            executor_.root().spawn(finish(call.number(0), number, std::move(handle))));
        call.give_number(static_cast<double>(number));
    }
    Future<void> finish(double done, std::uint64_t number, effect::RunHandle<Value> handle) {
        const effect::RunOutcome<Value> outcome = co_await handle;
        runs_.erase(number);
        script_.post_done(done, 0, outcome_text(outcome));
    }
    // The run of --key, which goes on where an earlier process has left it.
    Future<void> finish_stored(double done, LoadedModule& of, std::string entry,
                               Arguments arguments) {
        std::vector<std::string> functions;
        for (const wasm::ExportedFunction& function : of.program->functions()) {
            functions.push_back(function.name);
        }
        const DurableProgram program{.guest = *of.guest,
                                     .handlers = of.handlers,
                                     .functions = functions,
                                     .entry = entry,
                                     .arguments = arguments};
        std::string text;
        try {
            const auto outcome = co_await run_durable(executor_, *scheduler_, request_, program);
            text = outcome_text(outcome.value());
        } catch (const std::exception& e) {
            text = outcome_text(effect::RunOutcome<Value>(effect::RunError{
                .kind = effect::ErrorKind::handler_failed, .message = e.what(), .cause = nullptr}));
        }
        script_.post_done(done, 0, text);
    }
    static std::string outcome_text(const effect::RunOutcome<Value>& outcome) {
        Value::Record line;
        line.emplace_back("kind", effect::name_of(outcome.kind()));
        if (outcome.has_value()) {
            line.emplace_back("value", outcome.value());
        } else if (outcome.kind() == effect::RunEndKind::failed) {
            line.emplace_back("message", outcome.error().message);
            line.emplace_back("error", effect::name_of(outcome.error().kind));
        } else {
            line.emplace_back("reason", outcome.reason().why.str());
        }
        return effect::to_json(Value(std::move(line)));
    }
    // effectsCancel(run, reason)
    void cancel(NativeCall& call) {
        const auto found = runs_.find(static_cast<std::uint64_t>(call.number(0)));
        if (found != runs_.end()) scheduler_->cancel(found->second, CancelReason(call.text(1)));
    }

    // ---- Requests ----

    // The script is told in a job of its own, as of a call of the system that has ended.
    void request(Context& context, const std::string& name, effect::ResumeKind kind,
                 const Arguments& arguments, Reply reply) {
        const std::uint64_t number = ++last_request_;
        requests_.emplace(number, Request{std::move(reply), kind});
        context.on_end([this, number] { requests_.erase(number); });
        script_.post_event(listener_, static_cast<double>(number),
                           name + "\n" + list_text(arguments));
    }
    // effectsAnswer(request, how, text): how is "value", "end" or "failure".
    void answer(NativeCall& call) {
        const auto found = requests_.find(static_cast<std::uint64_t>(call.number(0)));
        if (found == requests_.end()) return;  // The run has ended.
        Request request = std::move(found->second);
        requests_.erase(found);
        const std::string how = call.text(1);
        if (how == "failure") {
            request.reply.fail(std::make_exception_ptr(Failure(call.text(2))));
            return;
        }
        Value value = effect::value_from_json(call.text(2));
        const bool is_tail = request.kind == effect::ResumeKind::tail;
        request.reply.answer(how == "end" ? effect::end(std::move(value))
                             : is_tail    ? effect::tail(std::move(value))
                                          : effect::resume(std::move(value)));
    }
    [[nodiscard]] bool is_simulated() const noexcept {
        return request_.has_virtual_clock || request_.platform == "sim";
    }

    struct Request {
        Reply reply;
        effect::ResumeKind kind;
    };
    static constexpr std::size_t module_max_bytes = std::size_t{256} << 20u;

    script::Script& script_;
    Executor& executor_;
    Program& program_;
    const RunRequest& request_;
    double listener_ = 0;
    CachedEngine engine_;  // from the first module on
    std::vector<std::unique_ptr<LoadedModule>> modules_;
    std::unique_ptr<effect::Scheduler> scheduler_;
    std::map<std::uint64_t, effect::RunId> runs_;
    std::map<std::uint64_t, Request> requests_;
    std::uint64_t last_run_ = 0;
    std::uint64_t last_request_ = 0;
    template <void (ScriptEffects::*member)(script::NativeCall&)>
    static void native(void* host, script::NativeCall& call) {
        (static_cast<ScriptEffects*>(host)->*member)(call);
    }
    std::array<script::Native, 5> natives_ = {
        script::Native{"effectsListen", &native<&ScriptEffects::listen>, this},
        script::Native{"effectsLoad", &native<&ScriptEffects::load>, this},
        script::Native{"effectsStart", &native<&ScriptEffects::start>, this},
        script::Native{"effectsCancel", &native<&ScriptEffects::cancel>, this},
        script::Native{"effectsAnswer", &native<&ScriptEffects::answer>, this}};
};

}  // namespace

std::shared_ptr<void> add_script_effects(script::Script& script, Executor& executor,
                                         Program& program, const RunRequest& request) {
    return std::make_shared<ScriptEffects>(script, executor, program, request);
}

std::string effects_main(const RunRequest& request) {
    std::string arguments = "[";
    for (const std::string& one : request.entry_arguments) {
        arguments.append(arguments.size() > 1 ? "," : "").append(one);
    }
    const auto quoted = [](const std::string& text) { return effect::to_json(Value(text)); };
    const std::string handlers = std::filesystem::absolute(request.file).string();
    return "import { runMain } from 'gyre:effects';\nimport * as handlers from " +
           quoted(handlers) + ";\nawait runMain(" + quoted(request.effects_module) +
           ", handlers, " + quoted(request.entry) + ", " + quoted(arguments + "]") + ");\n";
}

}  // namespace gyre::cli
