// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/syntax/diagnostic.hpp"

#include <algorithm>
#include <tuple>

namespace gyre::vela {

Diagnostic& Diagnostic::note(const Source& where, Span place, std::string text) {
    notes.push_back({&where, place, std::move(text)});
    return *this;
}

Diagnostic& Diagnostic::note(std::string text) {
    notes.push_back({nullptr, {}, std::move(text)});
    return *this;
}

Diagnostic& Diagnostic::suggest(Span place, std::string replacement, std::string text) {
    fix = Fix{place, std::move(replacement), std::move(text)};
    return *this;
}

Diagnostic& Diagnostics::error(std::string_view code, const Source& source, Span span,
                               std::string message) {
    if (is_full()) {
        overflow_ = {};
        return overflow_;
    }
    ++error_count_;
    return add(Severity::error, code, source, span, std::move(message));
}

Diagnostic& Diagnostics::warning(std::string_view code, const Source& source, Span span,
                                 std::string message) {
    return add(Severity::warning, code, source, span, std::move(message));
}

Diagnostic& Diagnostics::add(Severity severity, std::string_view code, const Source& source,
                             Span span, std::string message) {
    Diagnostic diagnostic;
    diagnostic.severity = severity;
    diagnostic.code = code;
    diagnostic.source = &source;
    diagnostic.span = span;
    diagnostic.message = std::move(message);
    return all_.emplace_back(std::move(diagnostic));
}

std::vector<Diagnostic> Diagnostics::sorted() const {
    std::vector<const Source*> files;
    for (const Diagnostic& diagnostic : all_) {
        if (std::find(files.begin(), files.end(), diagnostic.source) == files.end()) {
            files.push_back(diagnostic.source);
        }
    }
    // The index last: diagnostics of one place stay in the order in which they were found.
    std::vector<std::size_t> order(all_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto key = [&](std::size_t i) {
        const Diagnostic& d = all_[i];
        return std::tuple(std::find(files.begin(), files.end(), d.source) - files.begin(),
                          d.span.begin, d.severity, i);
    };
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    std::vector<Diagnostic> result;
    for (const std::size_t i : order) result.push_back(all_[i]);
    const auto is_same = [](const Diagnostic& a, const Diagnostic& b) {
        return a.source == b.source && a.span.begin == b.span.begin && a.code == b.code;
    };
    result.erase(std::unique(result.begin(), result.end(), is_same), result.end());
    return result;
}

}  // namespace gyre::vela
