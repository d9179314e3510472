// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/check/internal/standard.hpp"

namespace gyre::vela {

// The methods of an enum are declared in a class of its name with the suffix Members. A field may
// also be written as a call without arguments. `Eventual<T>` is a T or a Future<T>. A call of an
// overloaded method means the overload that takes a function if the call passes one. A Number, Float,
// String or Bool is a Json where one is wanted, and so are an Option, List and Map<String, _> of such.
const std::string_view standard_text = R"vela(
class void {
  private constructor() { ... }
}
class Number {
  private constructor() { ... }
  fn toFloat(self) -> Float { ... }
  fn abs(self) -> Number { ... }
}
class Float {
  private constructor() { ... }
  fn toNumber(self) -> Number { ... }
  fn abs(self) -> Float { ... }
}
class Bool {
  private constructor() { ... }
}
class Eventual<T> {
  private constructor() { ... }
}

class String {
  length: Number
  isEmpty: Bool
  private constructor() { ... }
  fn contains(self, part: String) -> Bool { ... }
  fn startsWith(self, part: String) -> Bool { ... }
  fn endsWith(self, part: String) -> Bool { ... }
  fn split(self, separator: String) -> List<String> { ... }
  fn trim(self) -> String { ... }
  fn replace(self, part: String, by: String) -> String { ... }
  fn toUpperCase(self) -> String { ... }
  fn toLowerCase(self) -> String { ... }
  fn toNumber(self) -> Result<Number, ParseError> { ... }
  fn toFloat(self) -> Result<Float, ParseError> { ... }
  fn slice(self, from: Number, to: Number) -> String { ... }
  fn chars(self) -> List<String> { ... }
  fn indexOf(self, part: String) -> Option<Number> { ... }
  fn lines(self) -> List<String> { ... }
  fn repeat(self, count: Number) -> String { ... }
  fn padStart(self, length: Number, with: String) -> String { ... }
  fn padEnd(self, length: Number, with: String) -> String { ... }
  fn codeAt(self, index: Number) -> Number { ... }
  fn toBytes(self) -> Bytes { ... }
  static fn fromCode(code: Number) -> String { ... }
}
class Bytes {
  length: Number
  isEmpty: Bool
  private constructor() { ... }
  fn get(self, index: Number) -> Option<Number> { ... }
  fn slice(self, from: Number, to: Number) -> Bytes { ... }
  fn concat(self, other: Bytes) -> Bytes { ... }
  fn toText(self) -> Result<String, Error> { ... }
  fn toBytes(self) -> Bytes { ... }
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
  fn concat(self, other: Sequence<T>) -> List<T> { ... }
  fn take(self, count: Number) -> List<T> { ... }
  fn drop(self, count: Number) -> List<T> { ... }
  fn reverse(self) -> List<T> { ... }
  fn slice(self, from: Number, to: Number) -> List<T> { ... }
  fn zip<U>(self, other: Sequence<U>) -> List<(T, U)> { ... }
  fn enumerate(self) -> List<(Number, T)> { ... }
  fn indexOf(self, value: T) -> Option<Number> { ... }
  fn first(self) -> Option<T> { ... }
  fn last(self) -> Option<T> { ... }
  fn min(self) -> Option<T> { ... }
  fn max(self) -> Option<T> { ... }
  fn sorted(self) -> List<T> { ... }
  fn sortedBy<K>(self, key: (T) -> K) -> List<T> { ... }
  fn sortedWith(self, compare: (T, T) -> Number) -> List<T> { ... }
  fn toList(self) -> List<T> { ... }
  fn sum(self) -> T { ... }
}
class List<T> extends Sequence<T> {
  fn push(self, value: T) -> void { ... }
  fn pop(self) -> Option<T> { ... }
  fn flatten<U>(self) -> List<U> { ... }
  fn sort(self) -> void { ... }
  fn sortBy<K>(self, key: (T) -> K) -> void { ... }
  fn sortWith(self, compare: (T, T) -> Number) -> void { ... }
  fn insert(self, index: Number, value: T) -> void { ... }
  fn removeAt(self, index: Number) -> T { ... }
  fn copy(self) -> List<T> { ... }
}
class Range extends Sequence<Number> {
  private constructor() { ... }
}
class Queue<T> extends Sequence<T> {
  fn push(self, value: T) -> void { ... }
  fn pop(self) -> Option<T> { ... }
}
class Set<T> extends Sequence<T> {
  fn add(self, value: T) -> void { ... }
  fn remove(self, value: T) -> Bool { ... }
  fn has(self, value: T) -> Bool { ... }
  fn union(self, other: Set<T>) -> Set<T> { ... }
  fn intersect(self, other: Set<T>) -> Set<T> { ... }
  fn minus(self, other: Set<T>) -> Set<T> { ... }
  fn copy(self) -> Set<T> { ... }
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
  fn entries(self) -> List<(K, V)> { ... }
  fn getOr(self, key: K, other: V) -> V { ... }
  fn update(self, key: K, f: (Option<V>) -> V) -> void { ... }
  fn copy(self) -> Map<K, V> { ... }
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
class IoError extends Error {
  path: String
  reason: String
  constructor(message: String = "") { ... }
}
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
  static fn fromPromise<V>(promise: PromiseLike<V>) -> Future<V> { ... }
}
interface PromiseLike<T> {
  fn resolve(self, value: T) -> void
  fn reject(self, error: Error) -> void
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
  private constructor() { ... }
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
fn assertEqual<T>(found: T, expected: T) -> void { ... }
fn abs<T>(x: T) -> T { ... }

class MathFunctions {
  pi: Float
  fn floor(self, x: Float) -> Number { ... }
  fn ceil(self, x: Float) -> Number { ... }
  fn round(self, x: Float) -> Number { ... }
  fn sqrt(self, x: Float) -> Float { ... }
  fn pow(self, x: Float, y: Float) -> Float { ... }
  fn sin(self, x: Float) -> Float { ... }
  fn cos(self, x: Float) -> Float { ... }
  fn exp(self, x: Float) -> Float { ... }
  fn log(self, x: Float) -> Float { ... }
  fn abs<T>(self, x: T) -> T { ... }
  fn min<T>(self, a: T, b: T) -> T { ... }
  fn max<T>(self, a: T, b: T) -> T { ... }
}
math: MathFunctions = MathFunctions()
class RandomNumbers {
  fn next(self) -> Float { ... }
  fn range(self, from: Number, to: Number) -> Number { ... }
  fn shuffle<T>(self, list: List<T>) -> void { ... }
}
random: RandomNumbers = RandomNumbers()

class Json {
  private constructor() { ... }
  fn isNull(self) -> Bool { ... }
  fn asNumber(self) -> Option<Number> { ... }
  fn asFloat(self) -> Option<Float> { ... }
  fn asText(self) -> Option<String> { ... }
  fn asBool(self) -> Option<Bool> { ... }
  fn asList(self) -> Option<List<Json>> { ... }
  fn asMap(self) -> Option<Map<String, Json>> { ... }
  fn get(self, key: String) -> Option<Json> { ... }
}
class JsonCodec {
  fn encode<T>(self, value: T) -> String { ... }
  fn decode(self, text: String) -> Result<Json, ParseError> { ... }
}
json: JsonCodec = JsonCodec()

class RoutePath extends String {
  private constructor() { ... }
}
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
  pieces: Option<AsyncIterator<String>>
  static fn json<T>(value: T) -> Response { ... }
  static fn text(text: String) -> Response { ... }
  static fn notFound() -> Response { ... }
  static fn status(code: Number, text: String) -> Response { ... }
  static fn stream(pieces: AsyncIterator<String>, type: String = ...) -> Response { ... }
  fn json(self) -> Result<Json, ParseError> { ... }
}
class StreamedResponse {
  status: Number
  headers: Map<String, String>
  pieces: AsyncIterator<String>
  private constructor() { ... }
}
class HttpServer {
  port: Number
  constructor(address: String) { ... }
  fn secure(self, certificate: String, key: String) -> void { ... }
  fn onRequest(self, handler: (Request) -> Eventual<Response>) -> void { ... }
  fn listen(self) -> Future<void> { ... }
  fn close(self) -> void { ... }
}
class HttpClient {
  fn get(self, url: String) -> Future<Response> { ... }
  fn post(self, url: String, body: String) -> Future<Response> { ... }
  fn open(self, url: String) -> Future<StreamedResponse> { ... }
  fn trust(self, authorities: String) -> void { ... }
}
httpClient: HttpClient = HttpClient()
)vela";

}  // namespace gyre::vela
