// SPDX-License-Identifier: Apache-2.0
// The stacks of errors in V8's form, which the host library and programs read: the text of the error
// comes first, and is taken when the stack is first read. QuickJS keeps the frames alone, in a slot
// of the error.
#include <string>
#include <string_view>

#include "lang/script/quickjs/internal/quickjs_engine.hpp"

namespace gyre::script::quickjs {
namespace {

constexpr std::string_view line_head = "    at ";

// A line of QuickJS, "    at name (place)" or "    at place", as V8 writes it.
std::string frame_of(std::string_view line) {
    const std::size_t open = line.rfind(" (");
    if (open == std::string_view::npos || !line.ends_with(')')) return std::string(line);
    const std::string_view name = line.substr(line_head.size(), open - line_head.size());
    std::string_view place = line.substr(open + 2, line.size() - open - 3);
    if (place == "native" || place == "missing") place = "<anonymous>";
    const bool is_nameless = name == "<anonymous>" || name == "<eval>" || name == "<module>";
    if (is_nameless) return std::string(line_head) + std::string(place);
    return std::string(line_head) + std::string(name) + " (" + std::string(place) + ")";
}

// Each frame with a line break before it.
std::string frames_of(std::string_view raw) {
    constexpr std::string_view own = "    at captureStackTrace (native)";
    std::string made;
    while (!raw.empty()) {
        const std::size_t end = std::min(raw.find('\n'), raw.size());
        const std::string_view line = raw.substr(0, end);
        raw.remove_prefix(std::min(end + 1, raw.size()));
        if (!line.starts_with(line_head) || line == own) continue;
        made += '\n';
        made += frame_of(line);
    }
    return made;
}

// The text of an error or another object: data is Error.prototype.toString.
std::string header_of(JSContext* context, JSValueConst error, JSValueConst to_text) {
    const Value text(context, JS_Call(context, to_text, error, 0, nullptr));
    if (text.is_exception()) {
        JS_FreeValue(context, JS_GetException(context));
        return "Error";
    }
    return text_of(context, text.get());
}

void define_stack(JSContext* context, JSValueConst object, JSValue stack) {
    JS_DefinePropertyValueStr(context, object, "stack", stack,
                              JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
}

enum : int { slot_getter, to_text, native_capture, data_count };

// The getter of Error.prototype.stack.
JSValue get_stack(JSContext* context, JSValueConst self, int /*count*/, JSValueConst* /*arguments*/,
                  int /*magic*/, JSValueConst* data) {
    Value raw(context, JS_Call(context, data[slot_getter], self, 0, nullptr));
    if (!JS_IsError(self) || raw.is_exception()) return raw.release();
    const bool is_plain = JS_IsUndefined(raw.get()) || JS_IsNull(raw.get());
    const std::string frames = is_plain ? std::string() : text_of(context, raw.get());
    // Error.prepareStackTrace of the script made it.
    if (!is_plain &&
        (!JS_IsString(raw.get()) || !(frames.empty() || frames.starts_with(line_head)))) {
        return raw.release();
    }
    Value stack(context,
                string(context, header_of(context, self, data[to_text]) + frames_of(frames)));
    if (!stack.is_exception()) {
        define_stack(context, self, JS_DupValue(context, stack.get()));
    }
    return stack.release();
}

JSValue set_stack(JSContext* context, JSValueConst self, int count, JSValueConst* arguments) {
    if (!JS_IsObject(self)) return JS_ThrowTypeError(context, "not an object");
    define_stack(context, self, count > 0 ? JS_DupValue(context, arguments[0]) : JS_UNDEFINED);
    return JS_UNDEFINED;
}

// Error.captureStackTrace(object, above)
JSValue capture_stack(JSContext* context, JSValueConst self, int count, JSValueConst* arguments,
                      int /*magic*/, JSValueConst* data) {
    Value result(context, JS_Call(context, data[native_capture], self, count, arguments));
    if (result.is_exception() || count < 1) return result.release();
    const Value raw(context, JS_GetPropertyStr(context, arguments[0], "stack"));
    const std::string frames = JS_IsString(raw.get()) ? text_of(context, raw.get()) : std::string();
    if (JS_IsString(raw.get()) && (frames.empty() || frames.starts_with(line_head))) {
        define_stack(
            context, arguments[0],
            string(context, header_of(context, arguments[0], data[to_text]) + frames_of(frames)));
    }
    return result.release();
}

void define_accessor(JSContext* context, JSValueConst object, const char* name, JSValue getter,
                     JSValue setter) {
    const JSAtom atom = JS_NewAtom(context, name);
    JS_DefinePropertyGetSet(context, object, atom, getter, setter, JS_PROP_CONFIGURABLE);
    JS_FreeAtom(context, atom);
}

}  // namespace

void QuickJsEngine::change_stacks(JSContext* context) {
    const Value global(context, JS_GetGlobalObject(context));
    const Value error(context, JS_GetPropertyStr(context, global.get(), "Error"));
    const Value prototype(context, JS_GetPropertyStr(context, error.get(), "prototype"));
    const Value text(context, JS_GetPropertyStr(context, prototype.get(), "toString"));
    const Value capture(context, JS_GetPropertyStr(context, error.get(), "captureStackTrace"));
    const JSAtom name = JS_NewAtom(context, "stack");
    JSPropertyDescriptor found{};
    JS_GetOwnProperty(context, &found, prototype.get(), name);
    JS_FreeAtom(context, name);
    JS_FreeValue(context, found.setter);
    JS_FreeValue(context, found.value);
    const Value getter(context, found.getter);
    // Any context's reads the frames of any error.
    if (context == context_) slot_getter_ = Value::copy(context, getter.get());
    JSValueConst data[data_count] = {getter.get(), text.get(), capture.get()};
    define_accessor(context, prototype.get(), "stack",
                    JS_NewCFunctionData(context, &get_stack, 0, 0, data_count, data),
                    JS_NewCFunction(context, &set_stack, "set stack", 1));
    JS_DefinePropertyValueStr(
        context, error.get(), "captureStackTrace",
        JS_NewCFunctionData2(context, &capture_stack, "captureStackTrace", 2, 0, data_count, data),
        JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
}

// The source line of the first frame of an error with a caret, as Node prints it: file:line, line,
// caret.
std::string QuickJsEngine::place_of(JSValueConst error) {
    if (!JS_IsError(error)) return {};
    const Value raw(context_, JS_Call(context_, slot_getter_.get(), error, 0, nullptr));
    if (!JS_IsString(raw.get())) return {};
    const std::string frames = text_of(context_, raw.get());
    std::string_view place = std::string_view(frames).substr(0, frames.find('\n'));
    if (!place.starts_with(line_head)) return {};
    place.remove_prefix(line_head.size());
    if (place.ends_with(')')) {
        place.remove_suffix(1);
        place.remove_prefix(std::min(place.rfind(" (") + 2, place.size()));
    }
    const std::size_t last = place.rfind(':');
    const std::size_t first = last == 0 || last == std::string_view::npos
                                  ? std::string_view::npos
                                  : place.rfind(':', last - 1);
    if (first == std::string_view::npos) return {};
    const std::string file(place.substr(0, first));
    const auto source = sources_.find(file);
    if (source == sources_.end()) return {};
    const auto line = static_cast<std::size_t>(std::atol(place.data() + first + 1));
    const auto column = static_cast<std::size_t>(std::atol(place.data() + last + 1));
    return shown_line(file, text_of(context_, source->second.get()), line, column);
}

std::string QuickJsEngine::shown_line(const std::string& file, std::string_view text,
                                      std::size_t line, std::size_t column) {
    for (std::size_t i = 1; i < line; ++i) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + 1);
    }
    const std::string_view shown = text.substr(0, text.find('\n'));
    std::string made = file + ":" + std::to_string(line) + "\n" + std::string(shown) + "\n";
    for (std::size_t i = 0; i + 1 < column && i < shown.size(); ++i) {
        made += shown[i] == '\t' ? '\t' : ' ';
    }
    return made + "^";
}

// placeOf(error)
JSValue QuickJsEngine::error_place(JSContext* context, JSValueConst /*self*/, int count,
                                   JSValueConst* arguments) {
    if (count < 1 || !JS_IsError(arguments[0])) return JS_UNDEFINED;
    return string(context, of(context).place_of(arguments[0]));
}

}  // namespace gyre::script::quickjs
