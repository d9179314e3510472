// SPDX-License-Identifier: Apache-2.0
// A tree of segments.
#include "gyre/http/internal/route_table.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/base/failure.hpp"

namespace gyre::http {

struct RouteTable::Node {
    std::string name;                          // the word, or the name after `:` or `*`
    std::vector<std::unique_ptr<Node>> words;  // in the order of comes_before
    std::unique_ptr<Node> any;
    std::unique_ptr<Node> rest;
    std::array<std::optional<std::size_t>, 10> routes;  // by method
    std::string allowed;

    [[nodiscard]] bool has_routes() const noexcept { return !allowed.empty(); }
    // Null if the segment is none of the words.
    [[nodiscard]] Node* word(std::string_view segment) const noexcept;
    // Of the first word that does not come before the segment.
    [[nodiscard]] std::size_t place_for(std::string_view segment) const noexcept;
};

namespace {

// So many words are compared one by one: halving takes longer.
constexpr std::size_t few_words = 8;

// By length first: most words differ in it.
bool comes_before(std::string_view a, std::string_view b) noexcept {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

constexpr std::size_t place_of(Method method) noexcept {
    return static_cast<std::size_t>(method);
}

[[noreturn]] void refuse(std::string_view pattern, std::string_view why) {
    throw Failure("the route " + std::string(pattern) + " " + std::string(why));
}

// Removes and returns the text up to the next slash.
std::string_view take_segment(std::string_view& path, bool& has_more) noexcept {
    const std::size_t end = path.find('/');
    const std::string_view segment = path.substr(0, end);
    has_more = end != std::string_view::npos;
    path.remove_prefix(has_more ? end + 1 : path.size());
    return segment;
}

}  // namespace

RouteTable::Node* RouteTable::Node::word(std::string_view segment) const noexcept {
    if (words.size() <= few_words) {
        for (const auto& each : words) {
            if (each->name == segment) return each.get();
        }
        return nullptr;
    }
    const std::size_t place = place_for(segment);
    const bool is_word = place < words.size() && words[place]->name == segment;
    return is_word ? words[place].get() : nullptr;
}

std::size_t RouteTable::Node::place_for(std::string_view segment) const noexcept {
    const auto name_of_child = [](const auto& child) -> std::string_view { return child->name; };
    const auto place = std::ranges::lower_bound(words, segment, comes_before, name_of_child);
    return static_cast<std::size_t>(place - words.begin());
}

RouteTable::RouteTable() : root_(std::make_unique<Node>()) {}
RouteTable::~RouteTable() = default;
RouteTable::RouteTable(RouteTable&&) noexcept = default;
RouteTable& RouteTable::operator=(RouteTable&&) noexcept = default;

std::size_t RouteTable::add(Method method, std::string_view pattern) {
    if (!pattern.starts_with('/')) refuse(pattern, "must begin with a slash");
    Node* node = root_.get();
    std::string_view rest = pattern.substr(1);
    std::size_t param_count = 0;
    std::size_t segment_count = 0;
    for (bool has_more = true; has_more;) {
        const std::string_view segment = take_segment(rest, has_more);
        if (++segment_count > route_segment_count_max) refuse(pattern, "has too many segments");
        const bool is_param = segment.starts_with(':') || segment.starts_with('*');
        if (is_param && ++param_count > route_param_count_max)
            refuse(pattern, "has too many parameters");
        if (segment.starts_with('*') && has_more) refuse(pattern, "has segments after its *");
        node = &child_for(*node, segment, pattern);
    }
    auto& route = node->routes[place_of(method)];
    if (route) refuse(pattern, "is registered already");
    route = count_;
    if (node->has_routes()) node->allowed += ", ";
    node->allowed += method == Method::get ? "GET, HEAD" : name_of(method);
    return count_++;
}

RouteTable::Node& RouteTable::child_for(Node& parent, std::string_view segment,
                                        std::string_view pattern) {
    if (segment.starts_with(':') || segment.starts_with('*')) {
        const std::string_view name = segment.substr(1);
        if (name.empty()) refuse(pattern, "needs a name after its : or *");
        auto& child = segment.front() == ':' ? parent.any : parent.rest;
        if (!child) child = std::make_unique<Node>();
        if (child->name.empty()) child->name = name;
        if (child->name != name) refuse(pattern, "renames a parameter of another route");
        return *child;
    }
    if (Node* const word = parent.word(segment)) return *word;
    const std::size_t place = parent.place_for(segment);
    auto child = std::make_unique<Node>();
    child->name = segment;
    const auto at = parent.words.begin() + static_cast<std::ptrdiff_t>(place);
    return **parent.words.insert(at, std::move(child));
}

void RouteTable::find(Method method, std::string_view path, RouteMatch& found) const noexcept {
    if (!path.starts_with('/')) return;
    const Node* node = nullptr;
    if (!match(*root_, path.substr(1), true, found, node)) return;
    auto route = node->routes[place_of(method)];
    if (!route && method == Method::head) route = node->routes[place_of(Method::get)];
    found.kind = route ? RouteMatch::Kind::found : RouteMatch::Kind::no_method;
    found.route = route.value_or(0);
    GYRE_ASSERT(found.route < count_, "a path leads to a route that was never added");
    found.allowed = node->allowed;
}

bool RouteTable::match(const Node& node, std::string_view path, bool has_rest, RouteMatch& found,
                       const Node*& at) noexcept {
    if (!has_rest) {
        at = &node;
        return node.has_routes();
    }
    std::string_view after = path;
    bool has_more = false;
    const std::string_view segment = take_segment(after, has_more);
    const Node* const word = node.word(segment);
    if (word != nullptr && match(*word, after, has_more, found, at)) return true;
    const std::size_t count = found.param_count_;
    if (node.any && !segment.empty()) {
        found.add(node.any->name, segment);
        if (match(*node.any, after, has_more, found, at)) return true;
        found.param_count_ = count;
    }
    if (!node.rest) return false;
    GYRE_ASSERT(count < route_param_count_max, "a match has more parameters than add() allows");
    found.add(node.rest->name, path);
    at = node.rest.get();
    return true;
}

}  // namespace gyre::http
