// SPDX-License-Identifier: Apache-2.0
// Intrusive circular lists: the links are part of the element, so queueing allocates nothing and an
// element can be removed from the middle without knowing which list it is in. `is_linked()` tells
// whether it is in a list. One thread at a time may use a list and its elements.
#pragma once

#include <cstddef>

#include "gyre/base/assert.hpp"

namespace gyre {

// An element that can be in several lists at once has one Link for each, distinguished by a tag.
template <class Tag>
class Link {
public:
    Link() noexcept : prev_(nullptr) {}
    // Leaves the links uninitialized: for an element that is only queued by push_fresh, and whose
    // is_linked() is not called while it is in no list.
    struct Fresh {};
    explicit Link(Fresh /*tag*/) noexcept {}
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    [[nodiscard]] bool is_linked() const noexcept { return prev_ != nullptr; }

    // Removes the element from its list and marks it as unlinked.
    void unlink() noexcept {
        take_out();
        clear();
    }
    // Removes the element without marking it as unlinked: for one whose is_linked() is not called
    // again.
    void take_out() noexcept {
        prev_->next_ = next_;
        next_->prev_ = prev_;
    }

private:
    template <class, class>
    friend class Queue;
    friend class Inbox;   // links by prev_ alone while an element is between two threads
    friend class Timers;  // walks a slot from both ends

    void clear() noexcept { next_ = prev_ = nullptr; }

    Link* next_;  // valid while linked
    Link* prev_;
};

// A FIFO queue. T derives from Link<Tag>.
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
    // push_back for an element whose links are uninitialized or stale (see Link::Fresh).
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

    // Null if empty.
    [[gnu::always_inline]] T* pop_front() noexcept {
        T* item = take_front();
        if (item != nullptr) static_cast<Node&>(*item).clear();
        return item;
    }
    // pop_front without marking the element as unlinked, which saves the writes: for an element
    // whose is_linked() is not called again.
    [[gnu::always_inline]] T* take_front() noexcept {
        if (empty()) return nullptr;
        Node* node = head_.next_;
        head_.next_ = node->next_;
        node->next_->prev_ = &head_;
        return element(node);
    }

    // Removes all elements, as take_front does, and passes each to the visitor, which must not
    // change the list.
    template <class Visitor>
    void take_each(Visitor visit) noexcept {
        for (Node* node = head_.next_; node != &head_;) {
            Node* next = node->next_;
            visit(*element(node));
            node = next;
        }
        reset();
    }

    // Moves all elements of `other` to the end of this queue, in O(1).
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

    // The visitor may unlink the element it is given, and no other.
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

    // O(n), for tests and reports.
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

}  // namespace gyre
