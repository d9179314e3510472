// SPDX-License-Identifier: Apache-2.0
// TraceSink: receives the text of an exported trace in pieces. TextSink collects it in memory.
//
//     trace::Trace trace;
//     trace::TextSink sink;
//     trace::write_chrome(trace, sink);
//     std::puts(sink.text.c_str());
//
// Thread: the thread of the export.
// Lifetime: outlives the export that writes to it.
#pragma once

#include <string>
#include <string_view>

namespace gyre::trace {

class TraceSink {
public:
    virtual void write(std::string_view piece) = 0;

protected:
    ~TraceSink() = default;
};

class TextSink final : public TraceSink {
public:
    void write(std::string_view piece) override { text += piece; }

    std::string text;
};

}  // namespace gyre::trace
