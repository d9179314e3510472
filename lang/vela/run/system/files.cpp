// SPDX-License-Identifier: Apache-2.0
// system:fs and the children of system:process.
#include <exception>

#include "gyre/base/failure.hpp"
#include "gyre/fs/tree.hpp"
#include "gyre/fs/whole_file.hpp"
#include "gyre/process/process.hpp"
#include "lang/vela/run/internal/native_routine.hpp"
#include "lang/vela/run/internal/tasks.hpp"
#include "lang/vela/run/system/internal/system_natives.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {
namespace {

using Args = std::span<const Word>;

Word io_error(Vm& vm, const std::string& path, const std::string& reason) {
    const Word error = vm.error("IoError", reason);
    auto& object = as<Instance>(error, Kind::instance);
    vm.set_field(object, "path", vm.heap.text(path));
    vm.set_field(object, "reason", vm.heap.text(reason));
    return error;
}

// Settles the future with what the work gives, or with an IoError of the path.
template <class Work>
gyre::Future<void> io_work(Vm* vm, Deferred* future, std::string path, Work work) {
    std::string failure;
    try {
        const Word value = co_await work(*vm);
        vm->tasks->settle(*future, FutureState::fulfilled, value);
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        failure = error.what();
    }
    if (!failure.empty()) {
        vm->tasks->settle(*future, FutureState::rejected, io_error(*vm, path, failure));
    }
}
template <class Work>
Word start_io(Vm& vm, Args args, std::string_view name, Work work) {
    auto begin = [path = text_of(args[0]), work = std::move(work)](Vm& of,
                                                                   Deferred& future) mutable {
        return io_work(&of, &future, std::move(path), std::move(work));
    };
    return vm.tasks->make_work(name, std::move(begin), args);
}

Word read_text(Vm& vm, Args args) {
    auto work = [path = text_of(args[0])](Vm& of) -> gyre::Future<Word> {
        std::string text = co_await fs::read_file(path);
        co_return of.heap.text(std::move(text));
    };
    return start_io(vm, args, "readText", std::move(work));
}
Word read_bytes(Vm& vm, Args args) {
    auto work = [path = text_of(args[0])](Vm& of) -> gyre::Future<Word> {
        std::string bytes = co_await fs::read_file(path);
        co_return of.heap.make<Text>(std::move(bytes), Kind::bytes);
    };
    return start_io(vm, args, "readBytes", std::move(work));
}
Word write_content(Vm& vm, Args args, Kind kind) {
    auto work = [path = text_of(args[0]),
                 content = as<Text>(args[1], kind).text](Vm& /*of*/) -> gyre::Future<Word> {
        co_await fs::write_file(path, content);
        co_return Word::nothing();
    };
    return start_io(vm, args, "write", std::move(work));
}
Word append(Vm& vm, Args args) {
    auto work = [path = text_of(args[0]),
                 content = text_of(args[1])](Vm& /*of*/) -> gyre::Future<Word> {
        co_await fs::append_file(path, content);
        co_return Word::nothing();
    };
    return start_io(vm, args, "append", std::move(work));
}
Word exists(Vm& vm, Args args) {
    auto work = [path = text_of(args[0])](Vm& /*of*/) -> gyre::Future<Word> {
        const bool is_there = co_await fs::exists(path);
        co_return Word::boolean(is_there);
    };
    return start_io(vm, args, "exists", std::move(work));
}
Word list(Vm& vm, Args args) {
    auto work = [path = text_of(args[0])](Vm& of) -> gyre::Future<Word> {
        const std::vector<fs::FolderEntry> entries = co_await fs::list(path);
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
    auto work = [path = text_of(args[0])](Vm& /*of*/) -> gyre::Future<Word> {
        co_await fs::remove(path);
        co_return Word::nothing();
    };
    return start_io(vm, args, "remove", std::move(work));
}
Word make_folder(Vm& vm, Args args) {
    auto work = [path = text_of(args[0])](Vm& /*of*/) -> gyre::Future<Word> {
        co_await fs::make_folders(path);
        co_return Word::nothing();
    };
    return start_io(vm, args, "makeDir", std::move(work));
}

Word run_command(Vm& vm, Args args) {
    process::Command command(text_of(args[0]));
    for (const Word argument : vm.items_of(args[1])) command.arguments.push_back(text_of(argument));
    auto work = [command = std::move(command)](Vm& of) -> gyre::Future<Word> {
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
    table["run"] = run_command;
}

}  // namespace gyre::vela::vm
