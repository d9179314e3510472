// SPDX-License-Identifier: Apache-2.0
// EventText: writes events of Chrome's trace event format, one after the other, as JSON. What is
// written goes to the sink in pieces. One thread; lives for one export.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/trace/sink.hpp"

namespace gyre::trace {

// Appends the text as a JSON string, whatever its bytes: what is not UTF-8 becomes U+FFFD.
void append_json_string(std::string& to, std::string_view text);

// Where an event is drawn.
struct Row {
    std::uint32_t process = 0;
    std::uint32_t thread = 0;
};

class EventText {
public:
    // Times are written as their distance from the origin.
    EventText(TraceSink& sink, std::uint64_t origin_ns) : sink_(sink), origin_ns_(origin_ns) {}

    // From begin to end, one event. Fields that follow `arguments` are its arguments.
    EventText& begin(char phase, Row row, std::string_view name);
    EventText& at(std::uint64_t time_ns);
    // From a begin to an end, which may seem to come first where a thread changed its core.
    EventText& during(std::uint64_t begin_ns, std::uint64_t end_ns);
    EventText& text(std::string_view key, std::string_view value);
    EventText& number(std::string_view key, std::int64_t value);
    EventText& id(std::string_view key, std::uint64_t value);  // in base 16, as text
    EventText& arguments();
    void end();

    // Between events: the frame around them.
    void raw(std::string_view text);
    void flush();

private:
    void append_key(std::string_view key);
    void append_microseconds(std::uint64_t ns);

    TraceSink& sink_;
    const std::uint64_t origin_ns_;
    std::string pending_;
    bool is_first_event_ = true;
    bool is_first_field_ = true;
    bool has_arguments_ = false;
};

}  // namespace gyre::trace
