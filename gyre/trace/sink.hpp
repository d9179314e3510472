// SPDX-License-Identifier: Apache-2.0
// TraceSink: where the text of a trace goes, piece by piece, so that a long one need not be in
// memory twice. One thread; outlives the export that writes to it.
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

// All of it, in memory.
class TextSink final : public TraceSink {
public:
    void write(std::string_view piece) override { text += piece; }

    std::string text;
};

}  // namespace gyre::trace
