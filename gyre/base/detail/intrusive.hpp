// SPDX-License-Identifier: Apache-2.0
// Intrusive queues: the links live in the element, so queueing allocates nothing. One thread at a
// time may touch a queue and its elements.
//
//   Queue         doubly linked: an element can be taken out of the middle without knowing which
//                 queue it is in, and `is_linked()` says whether it is queued
//   ForwardQueue  singly linked: one word in the element, which may share its room with a member
//                 that is needed only while the element is not queued
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

    // Behind all elements that are not greater: a queue filled by this alone is sorted. The place is
    // sought from the end.
    template <class Less>
    void insert_sorted(T& item, Less is_less) noexcept {
        Node& node = item;
        GYRE_ASSERT(!node.is_linked(), "element is in a list already: take it out first");
        Node* before = head_.prev_;
        while (before != &head_ && is_less(item, *element(before))) before = before->prev_;
        node.prev_ = before;
        node.next_ = before->next_;
        before->next_->prev_ = &node;
        before->next_ = &node;
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

// First in, first out. `Links` has a static function `T*& next(T&) noexcept`, which gives the
// element's pointer to its successor; T may be incomplete until a function of the queue is used.
// Nothing marks an element as queued: the caller knows.
template <class T, class Links>
class ForwardQueue {
public:
    ForwardQueue() noexcept = default;
    ForwardQueue(const ForwardQueue&) = delete;
    ForwardQueue& operator=(const ForwardQueue&) = delete;

    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
    // Null when empty.
    [[nodiscard]] T* front() const noexcept { return first_; }

    // True when the queue was empty.
    [[gnu::always_inline]] bool push_back(T& item) noexcept {
        Links::next(item) = nullptr;
        T* const last = last_;
        last_ = &item;
        if (first_ != nullptr) {
            Links::next(*last) = &item;
            return false;
        }
        first_ = &item;
        return true;
    }
    void push_front(T& item) noexcept {
        Links::next(item) = first_;
        if (first_ == nullptr) last_ = &item;
        first_ = &item;
    }
    // Null when empty.
    [[gnu::always_inline]] T* pop_front() noexcept {
        T* const item = first_;
        if (item != nullptr) first_ = Links::next(*item);
        return item;
    }

    // Takes out the first elements, at most `count_max`, and gives each to the visitor, which may
    // push more and must not pop. Cheaper than pop_front for each: the visitor's pushes look only
    // at the last element, so first_ is written only when the queue becomes empty, and at the end.
    template <class Visitor>
    [[gnu::always_inline]] void take_first(std::size_t count_max, Visitor visit) noexcept {
        T* item = first_;
        for (; item != nullptr && count_max > 0; --count_max) {
            T* const next = Links::next(*item);
            if (next == nullptr) first_ = nullptr;
            visit(*item);
            item = next != nullptr ? next : first_;
        }
        first_ = item;
    }

    // Takes out an element from anywhere; walks to find it. False when it is not in the queue.
    bool remove(const T& item) noexcept {
        T* before = nullptr;
        T** at = &first_;
        for (; *at != &item; at = &Links::next(*before)) {
            if (*at == nullptr) return false;
            before = *at;
        }
        *at = Links::next(**at);
        if (last_ == &item) last_ = before;
        return true;
    }

    // Takes out an element drawn by `chance`, which has `below(count)`. Not when empty. Walks the
    // queue: for orders that are drawn in tests.
    template <class Chance>
    [[nodiscard]] T& pop_any(Chance& chance) noexcept {
        GYRE_ASSERT(!empty(), "take an element only from a queue that has one");
        T* item = first_;
        for (auto left = chance.below(count()); left > 0; --left) item = Links::next(*item);
        remove(*item);
        return *item;
    }

    // Counts by walking: for tests and reports.
    [[nodiscard]] std::size_t count() const noexcept {
        std::size_t total = 0;
        for (T* item = first_; item != nullptr; item = Links::next(*item)) ++total;
        return total;
    }

private:
    T* first_ = nullptr;
    T* last_ = nullptr;  // while it is not empty
};

}  // namespace gyre
