// SPDX-License-Identifier: Apache-2.0
// system:fs and the children of system:process.
#include <algorithm>
#include <memory>
#include <optional>

#include "gyre/base/failure.hpp"
#include "gyre/fs/confined.hpp"
#include "gyre/fs/tree.hpp"
#include "gyre/fs/watch.hpp"
#include "gyre/fs/whole_file.hpp"
#include "gyre/process/process.hpp"
#include "lang/vela/run/internal/io_work.hpp"
#include "lang/vela/run/internal/native_routine.hpp"
#include "lang/vela/run/internal/tasks.hpp"
#include "lang/vela/run/system/internal/system_natives.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {
namespace {

using Args = std::span<const Word>;

Word io_error(Vm& vm, const std::string& path, const WorkFailure& failure) {
    const Word error = vm.error("IoError", failure.text);
    auto& object = as<Instance>(error, Kind::instance);
    vm.set_field(object, "path", vm.heap.text(path));
    vm.set_field(object, "reason", vm.heap.text(failure.reason));
    return error;
}

template <class Work>
Word start_io(Vm& vm, Args args, std::string_view name, Work work) {
    auto make_error = [path = text_of(args[0])](Vm& of, const WorkFailure& failure) {
        return io_error(of, path, failure);
    };
    return start_work(vm, args, name, std::move(make_error), std::move(work));
}

// The path to use; throws if the program may not reach it.
gyre::Future<std::string> permitted(Vm* vm, std::string path) {
    const Permissions* permissions = vm->host.permissions();
    if (permissions == nullptr) co_return path;
    std::string inside = co_await fs::confined(*permissions, std::move(path));
    co_return inside;
}

Word read_text(Vm& vm, Args args) {
    auto work = [path = text_of(args[0])](Vm& of) -> gyre::Future<Word> {
        const std::string at = co_await permitted(&of, path);
        std::string text = co_await fs::read_file(at);
        co_return of.heap.text(std::move(text));
    };
    return start_io(vm, args, "readText", std::move(work));
}
Word read_bytes(Vm& vm, Args args) {
    auto work = [path = text_of(args[0])](Vm& of) -> gyre::Future<Word> {
        const std::string at = co_await permitted(&of, path);
        std::string bytes = co_await fs::read_file(at);
        co_return of.heap.make<Text>(std::move(bytes), Kind::bytes);
    };
    return start_io(vm, args, "readBytes", std::move(work));
}
Word write_content(Vm& vm, Args args, Kind kind) {
    auto work = [path = text_of(args[0]),
                 content = as<Text>(args[1], kind).text](Vm& of) -> gyre::Future<Word> {
        const std::string at = co_await permitted(&of, path);
        co_await fs::write_file(at, content);
        co_return Word::nothing();
    };
    return start_io(vm, args, "write", std::move(work));
}
Word append(Vm& vm, Args args) {
    auto work = [path = text_of(args[0]),
                 content = text_of(args[1])](Vm& of) -> gyre::Future<Word> {
        const std::string at = co_await permitted(&of, path);
        co_await fs::append_file(at, content);
        co_return Word::nothing();
    };
    return start_io(vm, args, "append", std::move(work));
}
Word exists(Vm& vm, Args args) {
    auto work = [path = text_of(args[0])](Vm& of) -> gyre::Future<Word> {
        const std::string at = co_await permitted(&of, path);
        const bool is_there = co_await fs::exists(at);
        co_return Word::boolean(is_there);
    };
    return start_io(vm, args, "exists", std::move(work));
}
Word list(Vm& vm, Args args) {
    auto work = [path = text_of(args[0])](Vm& of) -> gyre::Future<Word> {
        const std::string at = co_await permitted(&of, path);
        const std::vector<fs::FolderEntry> entries = co_await fs::list(at);
        std::vector<std::string> names;
        for (const fs::FolderEntry& entry : entries) names.push_back(entry.name);
        std::sort(names.begin(), names.end());
        auto* made = of.heap.make<List>();
        for (std::string& name : names) made->items.push_back(of.heap.text(std::move(name)));
        co_return made;
    };
    return start_io(vm, args, "list", std::move(work));
}
Word remove(Vm& vm, Args args) {
    auto work = [path = text_of(args[0])](Vm& of) -> gyre::Future<Word> {
        const std::string at = co_await permitted(&of, path);
        co_await fs::remove(at);
        co_return Word::nothing();
    };
    return start_io(vm, args, "remove", std::move(work));
}
Word make_folder(Vm& vm, Args args) {
    auto work = [path = text_of(args[0])](Vm& of) -> gyre::Future<Word> {
        const std::string at = co_await permitted(&of, path);
        co_await fs::make_folders(at);
        co_return Word::nothing();
    };
    return start_io(vm, args, "makeDir", std::move(work));
}

Word run_command(Vm& vm, Args args) {
    process::Command command(text_of(args[0]));
    for (const Word argument : vm.items_of(args[1])) command.arguments.push_back(text_of(argument));
    auto work = [command = std::move(command)](Vm& of) -> gyre::Future<Word> {
        if (of.host.permissions() != nullptr) {
            throw Failure(command.program + " is not permitted: a sandbox starts no programs");
        }
        const process::Output output = co_await process::run(command);
        auto& made = as<Instance>(of.create(*of.standard_type("Output")), Kind::instance);
        const int status = output.end.signal != 0 ? 128 + output.end.signal : output.end.code;
        of.set_field(made, "status", Word::small(status));
        of.set_field(made, "stdout", of.heap.text(output.output));
        of.set_field(made, "stderr", of.heap.text(output.error));
        co_return &made;
    };
    return start_io(vm, args, "run", std::move(work));
}

// The changes of a file or directory. The watch begins with the first `next`.
struct WatchThing final : HostThing {
    WatchThing() noexcept : HostThing(nullptr) {}
    std::optional<gyre::Stream<fs::FileChange>> changes;
};

// The path of the next change, as an Option.
gyre::Future<Word> next_change(Vm* vm, WatchThing* watch, std::string path) {
    if (!watch->changes) {
        std::string at = co_await permitted(vm, path);
        watch->changes = co_await fs::watch(std::move(at));
    }
    const std::optional<fs::FileChange> change = co_await watch->changes->next();
    if (!change) co_return vm->none();
    co_return vm->some(vm->heap.text(change->path));
}

NativeRoutine watched(Vm* vm, std::string path, Word path_word) {
    Kept kept = co_await keep();
    auto* watch = static_cast<WatchThing*>(kept.add(vm->heap.make<WatchThing>()).thing());
    const Word holders[] = {path_word, watch};
    for (;;) {
        auto work = [watch, path](Vm& of) { return next_change(&of, watch, path); };
        const Word next = start_io(*vm, holders, "watch", std::move(work));
        const Settled settled = co_await static_cast<Deferred*>(next.thing());
        const Word change = settled.get();
        if (!vm->has_value(change)) co_return Word::nothing();
        const bool goes_on = co_yield as<Variant>(change, Kind::variant).payload()[0];
        if (!goes_on) co_return Word::nothing();
    }
}

Word watch(Vm& vm, Args args) {
    std::unique_ptr<Routine> routine = watched(&vm, text_of(args[0]), args[0]).keeping({args[0]});
    return vm.heap.make<Stream>(std::move(routine));
}

}  // namespace

void add_file_natives(NativeTable& table) {
    table["readText"] = read_text;
    table["readBytes"] = read_bytes;
    table["writeText"] = [](Vm& vm, Args args) { return write_content(vm, args, Kind::text); };
    table["writeBytes"] = [](Vm& vm, Args args) { return write_content(vm, args, Kind::bytes); };
    table["append"] = append;
    table["exists"] = exists;
    table["list"] = list;
    table["remove"] = remove;
    table["makeDir"] = make_folder;
    table["watch"] = watch;
    table["run"] = run_command;
}

}  // namespace gyre::vela::vm
