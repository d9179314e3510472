// SPDX-License-Identifier: Apache-2.0
// Instructions with a list of operands that make values, and native functions: each gets its operands
// as words and gives a word.
#include <algorithm>
#include <array>
#include <charconv>

#include "lang/vela/run/internal/handlers.hpp"
#include "lang/vela/run/internal/polling.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {
namespace {

struct Listed {
    Vm& vm;
    const Insn* ip;
    std::span<const Word> args;

    template <class T>
    [[nodiscard]] T pointer() const {
        return extension<T>(ip[1]);
    }
};
using Making = Word (*)(const Listed& of);

// Stores what `make` gives for these operands. False if it threw: the error is in vm.caught.
template <Making make>
bool made_of(Vm& vm, Slot* r, const Insn* ip, std::span<Word> args) {
    const Operand* operands = operands_of(ip);
    for (std::size_t i = 0; i < args.size(); ++i) args[i] = word_of(vm, r, operands[i]);
    try {
        store(r, ip->a, make({vm, ip, args}));
        return true;
    } catch (const Thrown& thrown) {
        vm.caught = thrown.error;
        return false;
    }
}
constexpr std::size_t few_operands_max = 4;
template <Making make>
[[gnu::noinline]] bool made_of_many(Vm& vm, Slot* r, const Insn* ip) {
    std::vector<Word> args(ip->b);
    return made_of<make>(vm, r, ip, args);
}
template <Making make>
[[gnu::noinline]] bool made(Vm& vm, Slot* r, const Insn* ip) {
    if (ip->b > few_operands_max) [[unlikely]]
        return made_of_many<make>(vm, r, ip);
    std::array<Word, few_operands_max> args;
    return made_of<make>(vm, r, ip, std::span(args).first(ip->b));
}

#define GYRE_VELA_MADE_BY(name, make)                        \
    GYRE_VELA_HANDLER(name) {                                \
        if (!made<make>(vm, r, ip)) return raise(vm, r, ip); \
        GYRE_VELA_NEXT(r, behind(ip));                       \
    }

Word make_text(const Listed& of) {
    std::string text;
    std::size_t size = 0;
    for (const Word word : of.args) size += is_kind(word, Kind::text) ? text_of(word).size() : 8;
    of.vm.check_text_size(size);
    text.reserve(size);
    for (const Word word : of.args) {
        if (is_kind(word, Kind::text)) {
            text += text_of(word);
        } else if (word.is_small()) {
            char digits[24];
            const auto end = std::to_chars(digits, digits + sizeof(digits), word.small_number());
            text.append(digits, end.ptr);
        } else {
            text += printed(word);
        }
    }
    of.vm.check_text_size(text.size());
    return of.vm.heap.text(std::move(text));
}

Word make_range(const Listed& of) {
    return of.vm.heap.make<Range>(number_of(of.args[0]), number_of(of.args[1]), of.ip->c != 0);
}

Word make_tuple(const Listed& of) {
    return of.vm.heap.make<Tuple>(std::vector<Word>(of.args.begin(), of.args.end()));
}

Word make_list(const Listed& of) {
    const Word list = of.vm.heap.make<List>(std::vector<Word>(of.args.begin(), of.args.end()));
    return of.vm.fitted(list, of.pointer<const TypeInfo*>());
}

Word make_map(const Listed& of) {
    auto* table = of.vm.heap.make<Table>(Kind::map);
    for (std::size_t i = 0; i + 1 < of.args.size(); i += 2) {
        of.vm.check_key(of.args[i]);
        table->set(of.args[i], of.args[i + 1]);
    }
    return of.vm.fitted(table, of.pointer<const TypeInfo*>());
}

Word make_variant(const Listed& of) {
    return of.vm.variant(of.pointer<const VariantInfo*>(), of.args);
}

Word test_variant(const Listed& of) {
    const auto& variant = as<Variant>(of.args[0], Kind::variant);
    return Word::boolean(variant.info == of.pointer<const VariantInfo*>());
}

Word make_object(const Listed& of) {
    return of.vm.create(*of.pointer<const TypeInfo*>());
}

Word read_native_field(const Listed& of) {
    return of.vm.native_field(*of.pointer<const FieldInfo*>(), of.args[0]);
}

Word test_class(const Listed& of) {
    if (!is_kind(of.args[0], Kind::instance)) return Word::boolean(false);
    const auto* wanted = of.pointer<const TypeInfo*>();
    const auto& object = *static_cast<Instance*>(of.args[0].thing());
    const auto line = line_of(object.shape->type);
    return Word::boolean(std::find(line.begin(), line.end(), wanted) != line.end());
}

Word make_failure(const Listed& of) {
    auto& variant = as<Variant>(of.args[0], Kind::variant);
    if (variant.count == 0) return of.vm.error("NoneError", "unwrapped None");
    const Word error = variant.payload()[0];
    const bool is_error = of.vm.is_error(error) || of.vm.is_cancelled(error);
    return is_error ? error : of.vm.error("Error", printed(error));
}

// Compares segment by segment; `:name` takes any one that is not empty.
Word match_route(const Listed& of) {
    const std::string& pattern = text_of(of.args[1]);
    const std::string& path = text_of(of.args[0]);
    std::vector<std::pair<std::string, std::string>> found;
    std::string_view left = pattern;
    std::string_view right = path;
    while (!left.empty() || !right.empty()) {
        const std::string_view want = left.substr(0, left.find('/'));
        const std::string_view have = right.substr(0, right.find('/'));
        const bool takes_any = want.size() > 1 && want[0] == ':' && !have.empty();
        if (!takes_any && want != have) return Word::boolean(false);
        if (takes_any) found.emplace_back(want.substr(1), have);
        if ((want.size() == left.size()) != (have.size() == right.size())) {
            return Word::boolean(false);
        }
        left.remove_prefix(std::min(left.size(), want.size() + 1));
        right.remove_prefix(std::min(right.size(), have.size() + 1));
    }
    auto* route = dynamic_cast<RoutePath*>(of.args[0].thing());
    if (route != nullptr && is_table(route->params)) {
        auto& params = *static_cast<Table*>(route->params.thing());
        for (auto& [name, value] : found) {
            params.set(of.vm.heap.text(name), of.vm.heap.text(value));
        }
    }
    return Word::boolean(true);
}

Word call_native_of(const Listed& of) {
    const auto native = of.pointer<NativeCall>();
    if (native == nullptr) of.vm.fail("Error", "this function is not part of this program");
    return native(of.vm, of.args);
}

Word begin_items(const Listed& of) {
    auto* left = of.vm.heap.make<ItemsLeft>();
    if (is_kind(of.args[0], Kind::range)) {
        const auto& range = *static_cast<Range*>(of.args[0].thing());
        left->number = range.first;
        left->number_count = range.count();
    } else {
        left->items = of.vm.items_of(of.args[0]);
        of.vm.heap.count_growth(left->outside_bytes());
    }
    return left;
}

}  // namespace

GYRE_VELA_MADE_BY(text, make_text)
GYRE_VELA_MADE_BY(range, make_range)
GYRE_VELA_MADE_BY(tuple, make_tuple)
GYRE_VELA_MADE_BY(list, make_list)
GYRE_VELA_MADE_BY(map, make_map)
GYRE_VELA_MADE_BY(variant, make_variant)
GYRE_VELA_MADE_BY(is_variant, test_variant)
GYRE_VELA_MADE_BY(create, make_object)
GYRE_VELA_MADE_BY(native_field, read_native_field)
GYRE_VELA_MADE_BY(is_class, test_class)
GYRE_VELA_MADE_BY(failure, make_failure)
GYRE_VELA_MADE_BY(matches_route, match_route)
GYRE_VELA_MADE_BY(call_native, call_native_of)
GYRE_VELA_MADE_BY(iterate, begin_items)

namespace {

Deferred& future_in(Word word) {
    const Thing* thing = word.thing();
    const bool is_it =
        thing != nullptr && (thing->kind == Kind::future || thing->kind == Kind::task_handle);
    if (!is_it) wrong_kind(word, "a Future");
    return *static_cast<Deferred*>(word.thing());
}

Word do_spawn_actor(const Listed& of) {
    return of.vm.tasks->make_actor(as<Instance>(of.args[0], Kind::instance));
}
Word do_actor_self(const Listed& of) {
    return as<Instance>(of.args[0], Kind::instance).actor;
}
Word do_open_scope(const Listed& of) {
    return of.vm.tasks->open_scope();
}
Word do_join_scope(const Listed& of) {
    return of.vm.tasks->close_scope(as<Group>(of.args[0], Kind::group), false, {});
}
Word do_cancel_scope(const Listed& of) {
    const Word error = of.args.size() > 1 ? of.args[1] : Word();
    return of.vm.tasks->close_scope(as<Group>(of.args[0], Kind::group), true, error);
}
Word do_close_stream(const Listed& of) {
    return of.vm.tasks->close(as<Stream>(of.args[0], Kind::stream));
}

}  // namespace

GYRE_VELA_MADE_BY(spawn_actor, do_spawn_actor)
GYRE_VELA_MADE_BY(actor_self, do_actor_self)
GYRE_VELA_MADE_BY(open_scope, do_open_scope)
GYRE_VELA_MADE_BY(join_scope, do_join_scope)
GYRE_VELA_MADE_BY(cancel_scope, do_cancel_scope)
GYRE_VELA_MADE_BY(close_stream, do_close_stream)

namespace {
// False if it threw: the object has no future.
[[gnu::noinline]] bool spawn_future(Vm& vm, Slot* r, const Insn* ip) {
    const Operand* operands = operands_of(ip);
    Group* group =
        ip->b > 1 ? &as<Group>(r[register_of(operands[1])].word(), Kind::group) : nullptr;
    try {
        Deferred& future = future_in(as_future(vm, r[register_of(operands[0])].word()));
        r[register_of(ip->a)].set(vm.tasks->spawn(future, group));
        return true;
    } catch (const Thrown& thrown) {
        vm.caught = thrown.error;
        return false;
    }
}
// Its operands are those of the call or the captures of the block, then the scope if `c` says so.
inline std::size_t given_count(const Insn* ip) noexcept {
    return static_cast<std::size_t>(ip->b) - ip->c;
}
[[gnu::noinline]] TaskHandle* make_handle(Vm& vm, const Function& callee) {
    return vm.heap.make<TaskHandle>(&callee);
}
[[gnu::noinline]] void queue_spawned(Vm& vm, Slot* r, const Insn* ip, TaskHandle* handle) {
    Group* group = nullptr;
    if (ip->c != 0) {
        const Operand scope = operands_of(ip)[given_count(ip)];
        group = &as<Group>(r[register_of(scope)].word(), Kind::group);
    }
    r[register_of(ip->a)].set(handle);
    vm.tasks->queue_start(*handle, group);
}
}  // namespace
GYRE_VELA_HANDLER(spawn_call) {
    const Function& callee = *extension<const Function*>(ip[1]);
    TaskHandle* const handle = make_handle(vm, callee);
    for (std::size_t i = 0; i < given_count(ip); ++i) {
        const Operand from = operands_of(ip)[i];
        handle->registers()[i] = converted(vm, r[register_of(from)], rep_of(from), callee.reps[i]);
    }
    queue_spawned(vm, r, ip, handle);
    GYRE_VELA_NEXT(r, behind(ip));
}
GYRE_VELA_HANDLER(spawn_block) {
    const Function& callee = *extension<const Function*>(ip[1]);
    TaskHandle* const handle = make_handle(vm, callee);
    for (std::size_t i = 0; i < given_count(ip); ++i) {
        const Operand from = operands_of(ip)[i];
        const std::uint16_t to = callee.captures[i];
        handle->registers()[to] =
            converted(vm, r[register_of(from)], rep_of(from), callee.reps[to]);
    }
    queue_spawned(vm, r, ip, handle);
    GYRE_VELA_NEXT(r, behind(ip));
}
GYRE_VELA_HANDLER(spawn_task) {
    if (!spawn_future(vm, r, ip)) return raise(vm, r, ip);
    GYRE_VELA_NEXT(r, behind(ip));
}

namespace {
// False if it threw: the message cannot be sent.
[[gnu::noinline]] bool send_message(Vm& vm, Slot* r, const Insn* ip) {
    const Operand* operands = operands_of(ip);
    auto& to = as<ActorRef>(word_of(vm, r, operands[0]), Kind::actor_ref);
    try {
        vm.tasks->send(to, word_of(vm, r, operands[1]));
        return true;
    } catch (const Thrown& thrown) {
        vm.caught = thrown.error;
        return false;
    }
}
}  // namespace
GYRE_VELA_HANDLER(send) {
    if (!send_message(vm, r, ip)) return raise(vm, r, ip);
    GYRE_VELA_NEXT(r, behind(ip));
}
GYRE_VELA_HANDLER(dead_letter) {
    vm.tasks->count_dead_letter();
    GYRE_VELA_NEXT(r, behind(ip));
}

namespace {
[[gnu::noinline]] Word make_closure(Vm& vm, Slot* r, const Insn* ip) {
    const auto* function = extension<const Function*>(ip[1]);
    constexpr std::size_t local_count = 8;
    Slot local[local_count];
    std::vector<Slot> many;
    std::span<Slot> captures(local, std::min<std::size_t>(ip->b, local_count));
    if (ip->b > local_count) {
        many.resize(ip->b);
        captures = many;
    }
    const Operand* operands = operands_of(ip);
    for (std::size_t i = 0; i < captures.size(); ++i) {
        const Rep wanted = function->reps[function->captures[i]];
        captures[i] = converted(vm, r[register_of(operands[i])], rep_of(operands[i]), wanted);
    }
    return vm.heap.make<Closure>(function, std::span<const Slot>(captures));
}
}  // namespace
GYRE_VELA_HANDLER(closure) {
    r[register_of(ip->a)].set(make_closure(vm, r, ip));
    GYRE_VELA_NEXT(r, behind(ip));
}

}  // namespace gyre::vela::vm
