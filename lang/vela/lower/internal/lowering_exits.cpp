// SPDX-License-Identifier: Apache-2.0
// Exits: return, break, continue and errors, through the cleanups on the way (finally, the end of a
// scope, the closing of a stream). The body of a `finally` is emitted once. An exit through it
// writes its number to the register `way` and jumps to the entry; after the cleanup a `choose`
// continues at the target of that exit, which may be the next cleanup. Every entry writes all
// registers that any exit reads.
#include <algorithm>

#include "lang/vela/lower/internal/lowering.hpp"

namespace gyre::vela::internal {

void Lowering::give_back(Register value) {
    for (auto exit = exits_.rbegin(); exit != exits_.rend(); ++exit) {
        if (exit->is_cleanup) return leave(*exit, ExitKind::returned, value);
    }
    emitter_.emit(Op::return_value, no_register, {value});
}

void Lowering::go_out(ExitKind kind) {
    for (auto exit = exits_.rbegin(); exit != exits_.rend(); ++exit) {
        if (exit->is_cleanup) return leave(*exit, kind, no_register);
        const Label label = kind == ExitKind::broken ? exit->break_label : exit->continue_label;
        if (label != Exit::no_label) return emitter_.jump(label);
    }
}

void Lowering::leave(Exit& cleanup, ExitKind kind, Register value) {
    if (emitter_.is_dead()) return;
    auto found = std::find(cleanup.ways.begin(), cleanup.ways.end(), kind);
    if (found == cleanup.ways.end()) found = cleanup.ways.insert(cleanup.ways.end(), kind);
    emitter_.constant(cleanup.way, std::int64_t{found - cleanup.ways.begin()});
    if (kind == ExitKind::returned) {
        emitter_.move(cleanup.value, value);
    } else {
        emitter_.emit(Op::clear, cleanup.value, {});
    }
    if (kind != ExitKind::thrown) emitter_.emit(Op::clear, cleanup.error, {});
    emitter_.jump(cleanup.entry);
}

void Lowering::guarded(const std::function<void()>& inside,
                       const std::function<void(Register error)>& cleanup, CleanupAt when) {
    emitter_.note_cleanup();
    Exit exit;
    exit.is_cleanup = true;
    exit.entry = emitter_.make_label();
    exit.way = emitter_.make_register(types().number());
    exit.error = emitter_.make_register(types().error());
    exit.value = emitter_.make_register(code_.result);
    const Label after = emitter_.make_label();
    const Label thrown = emitter_.make_label();
    const std::size_t depth = exits_.size();
    exits_.push_back(exit);
    const std::uint32_t before = emitter_.open_handler(thrown);
    inside();
    emitter_.close_handler(before);
    const bool is_shared = when == CleanupAt::every_exit;
    if (is_shared) leave(exits_[depth], ExitKind::normal, no_register);
    emitter_.jump(after);
    if (emitter_.is_used(thrown)) {
        emitter_.place(thrown);
        emitter_.emit(Op::caught, exit.error, {});
        if (is_shared) leave(exits_[depth], ExitKind::thrown, no_register);
    }
    const std::vector<ExitKind> ways = std::move(exits_[depth].ways);
    exits_.resize(depth);
    if (!emitter_.is_dead()) {
        cleanup(exit.error);
        emitter_.emit(Op::throw_value, no_register, {exit.error});
    }

    emitter_.place(exit.entry);
    if (!emitter_.is_dead()) {
        cleanup(no_register);
        std::vector<Label> labels;
        for (std::size_t i = 0; i < ways.size(); ++i) labels.push_back(emitter_.make_label());
        if (ways.size() == 1) {
            emitter_.jump(labels[0]);
        } else {
            emitter_.choose(exit.way, labels);
        }
        for (std::size_t i = 0; i < ways.size(); ++i) {
            if (!emitter_.is_used(labels[i])) continue;
            emitter_.place(labels[i]);
            if (ways[i] == ExitKind::normal) emitter_.jump(after);
            if (ways[i] == ExitKind::thrown) {
                emitter_.emit(Op::throw_value, no_register, {exit.error});
            }
            if (ways[i] == ExitKind::returned) give_back(exit.value);
            if (ways[i] == ExitKind::broken || ways[i] == ExitKind::continued) go_out(ways[i]);
        }
    }
    emitter_.place(after);
}

void Lowering::try_catch(const TryStmt& node) {
    if (node.cleanup == nullptr) return catches(node);
    guarded([&] { catches(node); }, [&](Register) { block(*node.cleanup, {}); },
            CleanupAt::every_exit);
}

void Lowering::catches(const TryStmt& node) {
    if (node.clauses.empty()) return block(*node.body, {});
    const Label after = emitter_.make_label();
    const Label thrown = emitter_.make_label();
    const std::uint32_t before = emitter_.open_handler(thrown);
    block(*node.body, {});
    emitter_.close_handler(before);
    emitter_.jump(after);
    if (emitter_.is_used(thrown)) {
        emitter_.place(thrown);
        const Register error = emitter_.make_register(types().error());
        emitter_.emit(Op::caught, error, {});
        for (const CatchClause& clause : node.clauses) {
            const LocalFact* fact = local_fact(clause.name.span.begin);
            const Type* type = fact == nullptr ? types().error() : known(fact->type);
            const TypeInfo* info = type->sort == TypeSort::nominal ? type->info : builtins().error;
            const Label next = emitter_.make_label();
            const Register fits = emitter_.make_register(types().boolean());
            emitter_.emit(Op::is_class, fits, {error}).type = info;
            test(fits, next);
            declare(clause.name, type, error);
            block(*clause.body, {});
            emitter_.jump(after);
            emitter_.place(next);
        }
        emitter_.emit(Op::throw_value, no_register, {error});
    }
    emitter_.place(after);
}

// A scope that ends normally waits for its children; on any other exit it cancels them first.
void Lowering::scope(const ScopeStmt& node, Sink into) {
    const Type* done = types().future(types().nothing());
    const Register opened = emitter_.make_register(types().error());
    emitter_.emit(Op::open_scope, opened, {});
    variables_[node.keyword.begin] = {opened};
    Register result = no_register;
    Sink inner;
    if (into.use == Use::give_back) {
        result = emitter_.make_register(code_.result);
        inner = {Use::keep, result};
    }
    const auto close = [&](Op op, std::span<const Register> reads) {
        const Register closed = emitter_.make_register(done);
        emitter_.emit(op, closed, reads);
        await_future(closed, types().nothing(), no_register);
    };
    // Passes a propagating error to the scope, which decides whether the error of a child precedes
    // it.
    const auto cancel = [&](Register error) {
        const Register reads[] = {opened, error};
        close(Op::cancel_scope, std::span(reads).first(error == no_register ? 1 : 2));
    };
    scopes_.push_back(node.keyword.begin);
    guarded([&] { block(*node.body, inner); }, cancel, CleanupAt::early_exits);
    scopes_.pop_back();
    if (emitter_.is_dead()) return;
    close(Op::join_scope, std::span(&opened, 1));
    if (into.use == Use::give_back) give_back(result);
}

// Closes a stream that is not read to its end.
void Lowering::for_await(const ForStmt& node) {
    const Type* stream_type = type_of(*node.sequence);
    const Type* base = types().as_base(stream_type, builtins().iterator);
    const Type* item_type = base == nullptr ? types().error() : known(base->args[0]);
    const Type* option = types().option(item_type);
    const Register stream = stable(*node.sequence, true);
    const FunctionInfo* next_method =
        types().find_member(types().nominal(builtins().iterator, {item_type}), "next").method;
    const VariantInfo* some = &builtins().option->variants[0];

    Exit outer;
    outer.break_label = emitter_.make_label();
    const Label head = emitter_.make_label();
    emitter_.jump(head);
    emitter_.place(head);
    const Register future = emitter_.make_register(types().future(option));
    emitter_.emit(Op::call_native, future, {stream}).function = next_method;
    const Register next = await_future(future, option, no_register);
    const Register is_some = emitter_.make_register(types().boolean());
    emitter_.emit(Op::is_variant, is_some, {next}).variant = some;
    test(is_some, outer.break_label);
    const Register item = emitter_.make_register(item_type);
    emitter_.emit(Op::payload, item, {next}).variant = some;
    exits_.push_back(outer);
    const auto inside = [&] {
        Exit loop;
        loop.continue_label = emitter_.make_label();
        exits_.push_back(loop);
        pattern(*node.pattern, item, item_type, loop.continue_label);
        block(*node.body, {});
        exits_.pop_back();
        emitter_.place(loop.continue_label);
    };
    const auto cleanup = [&](Register) {
        const Register closed = emitter_.make_register(types().future(types().nothing()));
        emitter_.emit(Op::close_stream, closed, {stream});
        await_future(closed, types().nothing(), no_register);
    };
    guarded(inside, cleanup, CleanupAt::early_exits);
    exits_.pop_back();
    emitter_.jump(head);
    emitter_.place(outer.break_label);
}

Register Lowering::await_future(Register future, const Type* type, Register to) {
    to = out(to, type);
    emitter_.emit(Op::await, to, {future});
    return to;
}

}  // namespace gyre::vela::internal
