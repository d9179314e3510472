// SPDX-License-Identifier: Apache-2.0
// Turns the steps of a failed run into lines of text.
#include "trace.hpp"

#include <array>
#include <cstdio>

namespace model {
namespace {

std::string hexadecimal(std::uint64_t value) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
    return text.data();
}

}  // namespace

const char* name_of(std::memory_order order) noexcept {
    switch (order) {
        case std::memory_order_relaxed:
            return "relaxed";
        case std::memory_order_consume:
            return "consume";
        case std::memory_order_acquire:
            return "acquire";
        case std::memory_order_release:
            return "release";
        case std::memory_order_acq_rel:
            return "acq_rel";
        case std::memory_order_seq_cst:
            return "seq_cst";
    }
    return "?";
}

void Trace::begin_run() {
    steps_.clear();
    names_.clear();
    thread_names_.assign(1, "scenario");
}

void Trace::set_thread_name(std::size_t thread, std::string_view name) {
    if (thread_names_.size() <= thread) thread_names_.resize(thread + 1);
    thread_names_[thread] = name;
}

void Trace::set_name(const void* object, std::size_t size_bytes, std::string_view name) {
    names_.push_back({reinterpret_cast<std::uintptr_t>(object), size_bytes, std::string(name)});
}

const Trace::Name* Trace::find(std::uintptr_t address) const noexcept {
    for (const Name& name : names_) {
        if (address >= name.begin && address - name.begin < name.size_bytes) return &name;
    }
    return nullptr;
}

std::string Trace::name_of_address(const void* address) const {
    const auto number = reinterpret_cast<std::uintptr_t>(address);
    const Name* name = find(number);
    if (name == nullptr) return hexadecimal(number);
    if (number == name->begin) return name->text;
    return name->text + "+" + std::to_string(number - name->begin);
}

std::string Trace::name_of_value(std::uint64_t value) const {
    const Name* name = find(static_cast<std::uintptr_t>(value));
    if (name != nullptr) {
        const std::uint64_t offset = value - name->begin;
        return "&" + name->text + (offset == 0 ? "" : "+" + std::to_string(offset));
    }
    constexpr std::uint64_t decimal_max = 4096;
    return value <= decimal_max ? std::to_string(value) : hexadecimal(value);
}

std::string Trace::line(const Step& step) const {
    std::string text = thread_names_[step.thread] + ": " + step.operation;
    if (step.shape == Step::Shape::bare) return text;
    text += " " + name_of_address(step.object);
    switch (step.shape) {
        case Step::Shape::reads:
            text += " = " + name_of_value(step.before);
            break;
        case Step::Shape::writes:
            text += " := " + name_of_value(step.after);
            break;
        case Step::Shape::changes:
            text += " " + name_of_value(step.before) + " -> " + name_of_value(step.after);
            break;
        case Step::Shape::bare:
        case Step::Shape::on_object:
            break;
    }
    if (*step.order != '\0') text += std::string(" (") + step.order + ")";
    if (step.age > 0) text += ", " + std::to_string(step.age) + " older than the newest";
    return text;
}

std::string Trace::text() const {
    std::string text;
    for (const Step& step : steps_) text += line(step) + "\n";
    return text;
}

}  // namespace model
