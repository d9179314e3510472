// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/check/internal/standard.hpp"

namespace gyre::vela {

// The methods of an enum are declared in a class of its name with the suffix Members. A field may
// also be written as a call without arguments. `Eventual<T>` is a T or a Future<T>. A call of an
// overloaded method means the overload that takes a function if the call passes one.
const std::string_view standard_text = R"vela(
class void { }
class Number { }
class Float { }
class Bool { }
class Eventual<T> { }

class String {
  length: Number
  isEmpty: Bool
  fn contains(self, part: String) -> Bool { ... }
  fn startsWith(self, part: String) -> Bool { ... }
  fn endsWith(self, part: String) -> Bool { ... }
  fn split(self, separator: String) -> List<String> { ... }
  fn trim(self) -> String { ... }
  fn replace(self, part: String, by: String) -> String { ... }
  fn toUpperCase(self) -> String { ... }
  fn toLowerCase(self) -> String { ... }
  fn toNumber(self) -> Result<Number, ParseError> { ... }
}

abstract class Sequence<T> {
  length: Number
  isEmpty: Bool
  fn get(self, index: Number) -> Option<T> { ... }
  fn map<U>(self, f: (T) -> U) -> List<U> { ... }
  fn filter(self, f: (T) -> Bool) -> List<T> { ... }
  fn reduce<U>(self, f: (U, T) -> U, first: U) -> U { ... }
  fn reduce<U>(self, first: U, f: (U, T) -> U) -> U { ... }
  fn forEach(self, f: (T) -> void) -> void { ... }
  fn forEachIndexed(self, f: (Number, T) -> void) -> void { ... }
  fn find(self, f: (T) -> Bool) -> Option<T> { ... }
  fn any(self, f: (T) -> Bool) -> Bool { ... }
  fn every(self, f: (T) -> Bool) -> Bool { ... }
  fn contains(self, value: T) -> Bool { ... }
  fn join(self, separator: String = "") -> String { ... }
  fn chunk(self, size: Number) -> List<List<T>> { ... }
  fn concat(self, other: List<T>) -> List<T> { ... }
  fn take(self, count: Number) -> List<T> { ... }
  fn drop(self, count: Number) -> List<T> { ... }
  fn reverse(self) -> List<T> { ... }
  fn sum(self) -> T { ... }
}
class List<T> extends Sequence<T> {
  fn push(self, value: T) -> void { ... }
  fn pop(self) -> Option<T> { ... }
  fn flatten<U>(self) -> List<U> { ... }
}
class Range extends Sequence<Number> { }
class Queue<T> extends Sequence<T> {
  fn push(self, value: T) -> void { ... }
  fn pop(self) -> Option<T> { ... }
}
class Set<T> extends Sequence<T> {
  fn add(self, value: T) -> void { ... }
  fn remove(self, value: T) -> Bool { ... }
  fn has(self, value: T) -> Bool { ... }
}
class Map<K, V> {
  length: Number
  isEmpty: Bool
  fn get(self, key: K) -> Option<V> { ... }
  fn set(self, key: K, value: V) -> void { ... }
  fn remove(self, key: K) -> Option<V> { ... }
  fn has(self, key: K) -> Bool { ... }
  fn keys(self) -> List<K> { ... }
  fn values(self) -> List<V> { ... }
}
type Dict<K, V> = Map<K, V>
type Int = Number
type int = Number
type float = Float
type string = String
type bool = Bool

enum Option<T> { Some(T), None }
class OptionMembers<T> {
  isSome: Bool
  isNone: Bool
  fn unwrap(self) -> T { ... }
  fn unwrapOr(self, other: T) -> T { ... }
  fn map<U>(self, f: (T) -> U) -> Option<U> { ... }
  fn okOr<E>(self, error: E) -> Result<T, E> { ... }
}
enum Result<T, E> { Ok(T), Err(E) }
class ResultMembers<T, E> {
  isOk: Bool
  isErr: Bool
  fn unwrap(self) -> T { ... }
  fn unwrapOr(self, other: T) -> T { ... }
  fn map<U>(self, f: (T) -> U) -> Result<U, E> { ... }
  fn mapErr<F>(self, f: (E) -> F) -> Result<T, F> { ... }
}
enum Poll<T> { Ready(T), Pending }

class Error {
  message: String
  constructor(message: String = "") { ... }
}
class NetworkError extends Error { }
class TimeoutError extends Error { }
class ParseError extends Error { }
class NoneError extends Error { }
class AssertionError extends Error { }
class OverflowError extends Error { }
class StackOverflowError extends Error { }
class CancelledError {
  message: String
}

interface Waker {
  fn wake(self) -> void
}
class Future<T> {
  private constructor() { ... }
  fn poll(self, waker: Waker) -> Poll<T> { ... }
  fn map<U>(self, f: (T) -> U) -> Future<U> { ... }
  fn flatMap<U>(self, f: (T) -> Future<U>) -> Future<U> { ... }
  fn then<U>(self, f: (T) -> U) -> Future<U> { ... }
  fn catch(self, f: (Error) -> Eventual<T>) -> Future<T> { ... }
  fn and<U>(self, other: Future<U>) -> Future<(T, U)> { ... }
  fn or(self, other: Future<T>) -> Future<T> { ... }
  static fn ready<V>(value: V) -> Future<V> { ... }
  static fn reject<V>(error: Error) -> Future<V> { ... }
  static fn pending<V>() -> Future<V> { ... }
  static fn all<V>(futures: Sequence<Future<V>>) -> Future<List<V>> { ... }
  static fn race<V>(futures: Sequence<Future<V>>) -> Future<V> { ... }
  static fn timeout<V>(future: Future<V>, ms: Number) -> Future<Result<V, TimeoutError>> { ... }
  static fn fromPromise<V, P>(promise: P) -> Future<V> { ... }
}
class Promise<T> {
  isSettled: Bool
  fn future(self) -> Future<T> { ... }
  fn resolve(self, value: T) -> void { ... }
  fn reject(self, error: Error) -> void { ... }
  fn send(self, value: T) -> void { ... }
}
class TaskHandle<T> extends Future<T> {
  isDone: Bool
  isCancelled: Bool
  fn cancel(self) -> Bool { ... }
  fn onComplete(self, f: () -> void) -> void { ... }
}
class AsyncIterator<T> {
  private constructor() { ... }
  fn next(self) -> Future<Option<T>> { ... }
  fn map<U>(self, f: (T) -> U) -> AsyncIterator<U> { ... }
  fn filter(self, f: (T) -> Bool) -> AsyncIterator<T> { ... }
  fn take(self, count: Number) -> AsyncIterator<T> { ... }
  fn collect(self) -> Future<List<T>> { ... }
  static fn fromList<V>(list: Sequence<V>) -> AsyncIterator<V> { ... }
  static fn interval(ms: Number, count: Number) -> AsyncIterator<Number> { ... }
}
class ActorRef<A> {
  private constructor() { ... }
}
interface Sender<T> {
  fn send(self, value: T) -> void
}

class Timer { }
fn print<T>(value: T = ...) -> void { ... }
fn println<T>(value: T = ...) -> void { ... }
fn sleep(ms: Number) -> Future<void> { ... }
fn now() -> Number { ... }
fn setTimeout(f: () -> void, ms: Number) -> Timer { ... }
fn clearTimeout(timer: Timer) -> void { ... }
fn panic(text: String) -> never { ... }
fn assert(condition: Bool, text: String = "") -> void { ... }

class Json { }
class JsonCodec {
  fn encode<T>(self, value: T) -> String { ... }
  fn decode(self, text: String) -> Result<Json, ParseError> { ... }
}
json: JsonCodec = JsonCodec()

class RoutePath extends String { }
class Request {
  method: String
  path: RoutePath
  params: Map<String, String>
  query: Map<String, String>
  headers: Map<String, String>
  body: String
}
class Response {
  status: Number
  body: String
  headers: Map<String, String>
  static fn json<T>(value: T) -> Response { ... }
  static fn text(text: String) -> Response { ... }
  static fn notFound() -> Response { ... }
  static fn status(code: Number, text: String) -> Response { ... }
  fn json(self) -> Result<Json, ParseError> { ... }
}
class HttpServer {
  port: Number
  constructor(address: String) { ... }
  fn onRequest(self, handler: (Request) -> Eventual<Response>) -> void { ... }
  fn listen(self) -> Future<void> { ... }
  fn close(self) -> void { ... }
}
class HttpClient {
  fn get(self, url: String) -> Future<Response> { ... }
  fn post(self, url: String, body: String) -> Future<Response> { ... }
}
httpClient: HttpClient = HttpClient()
)vela";

}  // namespace gyre::vela
