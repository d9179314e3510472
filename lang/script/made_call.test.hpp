// SPDX-License-Identifier: Apache-2.0
// For tests of natives without an engine: a call with the arguments of a test, which keeps the result.
// One thread.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lang/script/engine.hpp"

namespace gyre::script::test {

using Bytes = std::vector<std::byte>;
using Given = std::variant<double, std::string, Bytes*>;

// A call with the arguments of a test. A truth is a number.
class MadeCall final : public NativeCall {
public:
    explicit MadeCall(std::vector<Given> arguments) : arguments_(std::move(arguments)) {}

    std::size_t count() const noexcept override { return arguments_.size(); }
    double number(std::size_t index) override {
        const double* found = of<double>(index);
        return found == nullptr ? std::numeric_limits<double>::quiet_NaN() : *found;
    }
    bool truth(std::size_t index) override {
        const double* found = of<double>(index);
        return found != nullptr && *found != 0;
    }
    std::string text(std::size_t index) override {
        const std::string* found = of<std::string>(index);
        return found == nullptr ? std::string() : *found;
    }
    std::span<std::byte> bytes(std::size_t index) override {
        Bytes* const* found = of<Bytes*>(index);
        return found == nullptr ? std::span<std::byte>() : std::span<std::byte>(**found);
    }
    std::shared_ptr<SharedMemory> shared_memory(std::size_t /*index*/) override { return nullptr; }
    void give_number(double given) override { given_number = given; }
    void give_truth(bool truth) override { given_number = truth ? 1 : 0; }
    void give_text(std::string_view text) override { given_text = text; }
    void give_shared_memory(const std::shared_ptr<SharedMemory>& /*memory*/) override {}
    void fail(std::string_view type, std::string_view message) override {
        failure = std::string(type) + ": " + std::string(message);
    }

    std::optional<double> given_number;
    std::optional<std::string> given_text;
    std::string failure;

private:
    template <class Kind>
    const Kind* of(std::size_t index) const {
        return index < arguments_.size() ? std::get_if<Kind>(&arguments_[index]) : nullptr;
    }
    std::vector<Given> arguments_;
};

}  // namespace gyre::script::test
