// SPDX-License-Identifier: Apache-2.0
// Files of messages, each about one rule of RFC 9112:
//
//     === a name: request folded_field 5.2
//     GET / HTTP/1.1\r\n
//     ...
//
// A malformed one names its refusal; a well-formed one has `fine` there, and after `---` the story
// that message_story.test.hpp tells of it. In a message only escapes count as line ends: \r \n \t
// \\ \xNN, and \{text*9} for nine times the text.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gyre::http {

struct MessageCase {
    std::string name;
    bool is_request = true;
    std::string verdict;
    std::string rule;
    std::string bytes;
    std::string story;
};

inline std::string unescaped(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n') continue;
        if (text[i] != '\\') {
            result += text[i];
            continue;
        }
        switch (text[++i]) {
            case 'r':
                result += '\r';
                break;
            case 'n':
                result += '\n';
                break;
            case 't':
                result += '\t';
                break;
            case '\\':
                result += '\\';
                break;
            case 'x':
                result +=
                    static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
                i += 2;
                break;
            case '{': {
                const std::size_t end = text.find('}', i);
                const std::size_t star = text.rfind('*', end);
                const std::string part = unescaped(text.substr(i + 1, star - i - 1));
                const int count = std::stoi(std::string(text.substr(star + 1, end - star - 1)));
                for (int n = 0; n < count; ++n) result += part;
                i = end;
                break;
            }
            default:
                throw std::invalid_argument("an escape that nobody knows: " + std::string(text));
        }
    }
    return result;
}

inline MessageCase case_of(const std::string& part) {
    MessageCase made;
    const std::string head = part.substr(0, part.find('\n'));
    const std::string rest = part.substr(head.size() + 1);
    const std::size_t colon = head.rfind(": ");
    made.name = head.substr(0, colon);
    const std::string words = head.substr(colon + 2);
    const std::size_t first = words.find(' ');
    const std::size_t second = words.find(' ', first + 1);
    made.is_request = words.substr(0, first) == "request";
    made.verdict = words.substr(first + 1, second - first - 1);
    made.rule = words.substr(second + 1);
    const std::size_t line = rest.find("---\n");
    made.bytes = unescaped(std::string_view(rest).substr(0, line));
    if (line != std::string::npos) made.story = rest.substr(line + 4);
    while (made.story.ends_with("\n\n")) made.story.pop_back();
    return made;
}

// All cases of all `.cases` files of a folder, in the order of the files' names.
inline std::vector<MessageCase> cases_of(const std::string& folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(HTTP_MESSAGES "/" + folder)) {
        if (entry.path().extension() == ".cases") paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    std::vector<MessageCase> result;
    for (const auto& path : paths) {
        std::ifstream file(path, std::ios::binary);
        std::string text = "\n";
        text.append(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        for (std::size_t begin = text.find("\n=== "); begin != std::string::npos;) {
            const std::size_t end = text.find("\n=== ", begin + 1);
            result.push_back(case_of(text.substr(begin + 5, end - begin - 4)));
            begin = end;
        }
    }
    return result;
}

}  // namespace gyre::http
