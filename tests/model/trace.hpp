// SPDX-License-Identifier: Apache-2.0
// Trace: the steps of the threads of one run. Belongs to one exploration; steps are recorded as
// numbers and formatted as text only for a failed run.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace model {

struct Step {
    enum class Shape : std::uint8_t { bare, on_object, reads, writes, changes };

    std::size_t thread = 0;
    const char* operation = "";
    Shape shape = Shape::bare;
    const void* object = nullptr;
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    const char* order = "";
    std::size_t age = 0;  // how many stores older than the newest the value read was
};

const char* name_of(std::memory_order order) noexcept;

class Trace {
public:
    void begin_run();
    void add(const Step& step) { steps_.push_back(step); }
    void set_thread_name(std::size_t thread, std::string_view name);

    // From now on addresses in these bytes, and values that are such addresses, print as `name`.
    void set_name(const void* object, std::size_t size_bytes, std::string_view name);

    std::string thread_name(std::size_t thread) const { return thread_names_[thread]; }
    std::string name_of_address(const void* address) const;
    std::string text() const;

private:
    struct Name {
        std::uintptr_t begin;
        std::size_t size_bytes;
        std::string text;
    };
    const Name* find(std::uintptr_t address) const noexcept;
    std::string name_of_value(std::uint64_t value) const;
    std::string line(const Step& step) const;

    std::vector<Step> steps_;
    std::vector<std::string> thread_names_;
    std::vector<Name> names_;
};

}  // namespace model
