// SPDX-License-Identifier: Apache-2.0
// ChromeWriter: writes events in Chrome's trace event format, as JSON, to a sink in pieces. One
// thread; lives for one export.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/trace/trace.hpp"

namespace gyre::trace {

// Appends the text as a JSON string; each byte that is not UTF-8 becomes U+FFFD.
void append_json_string(std::string& to, std::string_view text);

// The row of an event in the viewer.
struct Row {
    std::uint32_t process = 0;
    std::uint32_t thread = 0;
};

class ChromeWriter {
public:
    // Times are written relative to the origin.
    ChromeWriter(TraceSink& sink, std::uint64_t origin_ns) : sink_(sink), origin_ns_(origin_ns) {}

    // An event is a begin, its fields and an end. Fields after `arguments` are its arguments.
    ChromeWriter& begin(char phase, Row row, std::string_view name);
    ChromeWriter& at(std::uint64_t time_ns);
    // The end may be before the begin when the thread changed its core; then the duration is 0.
    ChromeWriter& during(std::uint64_t begin_ns, std::uint64_t end_ns);
    ChromeWriter& text(std::string_view key, std::string_view value);
    ChromeWriter& number(std::string_view key, std::int64_t value);
    ChromeWriter& id(std::string_view key, std::uint64_t value);  // in base 16, as text
    ChromeWriter& arguments();
    void end();

    // Between events: the JSON around them.
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
