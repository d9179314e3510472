// SPDX-License-Identifier: Apache-2.0
// Instructions on objects, calls and tasks.
#include <algorithm>

#include "lang/vela/reference/internal/lowered_machine.hpp"

namespace gyre::vela::internal {

bool LoweredFrame::objects(const Instruction& instruction) {
    Runtime& runtime = run_.runtime;
    Heap& heap = runtime.heap;
    switch (instruction.op) {
        case Op::tuple:
            set(instruction, heap.make<Tuple>(read_all(instruction)));
            return true;
        case Op::item:
            set(instruction, read(instruction, 0).as<Tuple>()->items.at(instruction.number));
            return true;
        case Op::list:
            set(instruction,
                fitted(runtime, heap.make<List>(read_all(instruction)), instruction.type));
            return true;
        case Op::map: {
            auto* made = heap.make<Map>();
            const Values values = read_all(instruction);
            for (std::size_t i = 0; i < values.size(); i += 2) {
                const auto same = std::find_if(
                    made->entries.begin(), made->entries.end(),
                    [&](const auto& entry) { return are_equal(entry.first, values[i]); });
                if (same != made->entries.end()) {
                    same->second = values[i + 1];
                } else {
                    made->entries.emplace_back(values[i], values[i + 1]);
                }
            }
            const Type* type = known(code_.registers[instruction.to].type);
            set(instruction,
                fitted(runtime, made, type->sort == TypeSort::nominal ? type->info : nullptr));
            return true;
        }
        case Op::get_index:
            set(instruction, element(runtime, read(instruction, 0), read(instruction, 1)));
            return true;
        case Op::set_index:
            set_element(runtime, read(instruction, 0), read(instruction, 1), read(instruction, 2));
            return true;
        case Op::variant:
            set(instruction, heap.variant(instruction.variant->name.text, read_all(instruction)));
            return true;
        case Op::is_variant:
            set(instruction, is_variant(read(instruction, 0), instruction.variant->name.text));
            return true;
        case Op::payload: {
            const auto* variant = read(instruction, 0).as<EnumValue>();
            if (variant->name != instruction.variant->name.text) {
                throw InternalError{"takes the payload of another variant"};
            }
            set(instruction, variant->payload.at(instruction.number));
            return true;
        }
        case Op::create:
            set(instruction, run_.create(*instruction.type));
            return true;
        case Op::get_field: {
            const std::string_view name = instruction.field->name.text;
            auto* object = read(instruction, 0).as<Object>();
            Value* field = object == nullptr ? nullptr : object->field(name);
            set(instruction,
                field != nullptr ? *field : native_field(runtime, name, read(instruction, 0)));
            return true;
        }
        case Op::set_field: {
            Value* field = read(instruction, 0).as<Object>()->field(instruction.field->name.text);
            if (field == nullptr) throw InternalError{"sets a field that is none"};
            *field = read(instruction, 1);
            return true;
        }
        case Op::is_class: {
            const auto* object = read(instruction, 0).as<Object>();
            set(instruction, object != nullptr && is_kind_of(object->type, instruction.type));
            return true;
        }
        case Op::failure: {
            const auto* variant = read(instruction, 0).as<EnumValue>();
            if (variant->name == "None") {
                set(instruction, runtime.error("NoneError", "unwrapped None"));
                return true;
            }
            const Value error = variant->payload.at(0);
            const bool is_error = runtime.is_error(error) || runtime.is_cancelled(error);
            set(instruction, is_error ? error : runtime.error("Error", printed(error)));
            return true;
        }
        default:
            return false;
    }
}

bool LoweredFrame::calls(const Instruction& instruction) {
    switch (instruction.op) {
        case Op::closure:
            set(instruction, run_.runtime.heap.make<LoweredFunction>(run_, *instruction.code,
                                                                     read_all(instruction)));
            return true;
        case Op::call:
            set(instruction, run_.call(*instruction.code, read_all(instruction), {}));
            return true;
        case Op::call_native:
            set(instruction, with_zero_of(run_.runtime,
                                          run_.call_native_function(*instruction.function,
                                                                    read_all(instruction)),
                                          code_.registers[instruction.to].type));
            return true;
        case Op::call_method:
            set(instruction, run_.call_method(*instruction.function, read_all(instruction)));
            return true;
        case Op::call_value: {
            auto* function = read(instruction, 0).as<Function>();
            if (function == nullptr) throw InternalError{"calls what is no function"};
            set(instruction, function->call(read_all(instruction, 1)));
            return true;
        }
        default:
            return false;
    }
}

bool LoweredFrame::tasks(const Instruction& instruction) {
    Runtime& runtime = run_.runtime;
    switch (instruction.op) {
        case Op::actor_self:
            set(instruction, read(instruction, 0).as<Object>()->actor);
            return true;
        case Op::spawn_task: {
            const Values values = read_all(instruction);
            auto* group = values.size() > 1 ? values[1].as<ScopeGroup>() : nullptr;
            set(instruction, runtime.spawn(*values[0].as<Future>(), group));
            return true;
        }
        case Op::spawn_actor: {
            auto* actor = read(instruction, 0).as<Object>();
            set(instruction, runtime.make_actor(*actor, run_.handler_of(*actor)));
            return true;
        }
        case Op::send:
            runtime.send(*read(instruction, 0).as<ActorRef>(), read(instruction, 1));
            return true;
        case Op::dead_letter:
            return true;
        case Op::open_scope:
            set(instruction, runtime.open_scope());
            return true;
        case Op::join_scope:
        case Op::cancel_scope: {
            const Values values = read_all(instruction);
            std::optional<Value> error;
            if (values.size() > 1) error = values[1];
            set(instruction, runtime.close_scope(*values[0].as<ScopeGroup>(),
                                                 instruction.op == Op::cancel_scope, error));
            return true;
        }
        case Op::iterate: {
            auto* left = runtime.heap.make<ItemsLeft>();
            left->items = items_of(runtime, read(instruction, 0));
            set(instruction, left);
            return true;
        }
        case Op::close_stream:
            set(instruction, runtime.close(*read(instruction, 0).as<Iterator>()));
            return true;
        default:
            return false;
    }
}

}  // namespace gyre::vela::internal
