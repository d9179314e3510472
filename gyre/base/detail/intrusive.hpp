// SPDX-License-Identifier: Apache-2.0
// Intrusive circular lists: the links live in the element, so queueing allocates nothing and an
// element can be taken out of the middle without knowing which list it is in. `is_linked()` is the
// queued mark. One thread at a time may touch a list and its elements.
#pragma once

#include <cstddef>

#include "gyre/base/assert.hpp"

namespace gyre {

// An element that can stand in several lists at once has one Link for each, told apart by a tag.
template <class Tag>
class Link {
public:
    Link() noexcept : prev_(nullptr) {}
    // Without the mark: for an element that goes into lists by push_fresh, and of which nobody asks
    // whether it is linked but while it is.
    struct Fresh {};
    explicit Link(Fresh /*tag*/) noexcept {}
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    [[nodiscard]] bool is_linked() const noexcept { return prev_ != nullptr; }

    // Takes the element out of whatever list it is in.
    void unlink() noexcept {
        take_out();
        clear();
    }
    // The same for a fresh one, of which nobody asks again whether it is linked.
    void take_out() noexcept {
        prev_->next_ = next_;
        next_->prev_ = prev_;
    }

private:
    template <class, class>
    friend class Queue;
    friend class Inbox;   // chains by prev_ alone while an element is between two threads
    friend class Timers;  // walks a slot from both ends

    void clear() noexcept { next_ = prev_ = nullptr; }

    Link* next_;  // while it is linked
    Link* prev_;
};

// First in, first out. T derives from Link<Tag>.
template <class T, class Tag>
class Queue {
    using Node = Link<Tag>;

public:
    Queue() noexcept { reset(); }
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    [[nodiscard]] bool empty() const noexcept { return head_.next_ == &head_; }
    [[nodiscard]] T* front() noexcept { return empty() ? nullptr : element(head_.next_); }

    void push_back(T& item) noexcept {
        Node& node = item;
        GYRE_ASSERT(!node.is_linked(), "element is in a list already: take it out first");
        push_fresh(item);
    }
    // The same for a fresh one.
    void push_fresh(T& item) noexcept {
        Node& node = item;
        node.prev_ = head_.prev_;
        node.next_ = &head_;
        head_.prev_->next_ = &node;
        head_.prev_ = &node;
    }

    void push_front(T& item) noexcept {
        Node& node = item;
        GYRE_ASSERT(!node.is_linked(), "element is in a list already: take it out first");
        node.prev_ = &head_;
        node.next_ = head_.next_;
        head_.next_->prev_ = &node;
        head_.next_ = &node;
    }

    // Null when empty.
    [[gnu::always_inline]] T* pop_front() noexcept {
        T* item = take_front();
        if (item != nullptr) static_cast<Node&>(*item).clear();
        return item;
    }
    // The same for a fresh one, of which nobody asks again whether it is linked: nothing is
    // written.
    [[gnu::always_inline]] T* take_front() noexcept {
        if (empty()) return nullptr;
        Node* node = head_.next_;
        head_.next_ = node->next_;
        node->next_->prev_ = &head_;
        return element(node);
    }

    // Takes out all there are, as take_front does, and gives each to the visitor, which must leave
    // the list alone.
    template <class Visitor>
    void take_each(Visitor visit) noexcept {
        for (Node* node = head_.next_; node != &head_;) {
            Node* next = node->next_;
            visit(*element(node));
            node = next;
        }
        reset();
    }

    // Moves all of `other` behind what is here, in one step.
    void take_all(Queue& other) noexcept {
        if (other.empty()) return;
        Node* first = other.head_.next_;
        Node* last = other.head_.prev_;
        first->prev_ = head_.prev_;
        head_.prev_->next_ = first;
        last->next_ = &head_;
        head_.prev_ = last;
        other.reset();
    }

    // The visitor may take out the element it is given, and no other.
    template <class Visitor>
    void for_each(Visitor visit) {
        for (Node* node = head_.next_; node != &head_;) {
            Node* next = node->next_;
            visit(*element(node));
            node = next;
        }
    }

    template <class Visitor>
    void for_each(Visitor visit) const {
        for (const Node* node = head_.next_; node != &head_; node = node->next_) {
            visit(*static_cast<const T*>(node));
        }
    }

    // Counts by walking: for tests and reports.
    [[nodiscard]] std::size_t count() const noexcept {
        std::size_t total = 0;
        for (const Node* node = head_.next_; node != &head_; node = node->next_) ++total;
        return total;
    }

private:
    friend class Inbox;
    friend class Timers;

    static T* element(Node* node) noexcept { return static_cast<T*>(node); }
    void reset() noexcept { head_.next_ = head_.prev_ = &head_; }

    Node head_;
};

// Takes an element, drawn by `chance`, out of a singly linked list that is not empty. The list ends
// with a null `next`; `last` has no meaning in an empty list. Walks the list: for tests.
template <class T, class Chance>
[[nodiscard]] T& take_any(T*& first, T*& last, T* T::* next, Chance& chance) noexcept {
    GYRE_ASSERT(first != nullptr, "take an element only from a list that has one");
    std::size_t count = 0;
    for (const T* element = first; element != nullptr; element = element->*next) ++count;
    T* before = nullptr;
    T* taken = first;
    for (auto left = chance.below(count); left > 0; --left) {
        before = taken;
        taken = taken->*next;
    }
    (before == nullptr ? first : before->*next) = taken->*next;
    if (taken == last) last = before;
    return *taken;
}

}  // namespace gyre
