public import HTTPModel
public import JSONBytes
import Locking

/// An upstream of a gateway under test: answers calls as its stubs say, and records them.
///
///     let diary = StubUpstream()
///     diary.on(.get, "/weights/{date}").answer { request in
///         .json(#"{"date":"\#(request.parameters["date"] ?? "")"}"#)
///     }
///     diary.on(.get, "/weights/2026-11-20").answers(.status(.serviceUnavailable), .json("{}"))
///
/// Of the stubs that match a call, the one with the most literal path segments answers; among those, the one
/// with the most other conditions; among those, the one declared last.
public final class StubUpstream: Sendable {
    private struct State: Sendable {
        var stubs: [Stub] = []
        var fault: Fault?
        var nextWatcher = 0
        var watchers: [Int: @Sendable (Fault?) -> Void] = [:]
    }

    private let state = Lock(State())
    let record = StubRecord()

    /// Creates an upstream without stubs.
    public init() {}

    /// Creates an upstream that answers calls without a stub by a closure, which must not block.
    public convenience init(_ answer: @escaping @Sendable (Request) -> Answer) {
        self.init()
        onAny.answer(answer)
    }

    // MARK: - Stubs

    /// Begins a stub for the calls that meet all conditions. It counts once it has an answer.
    ///
    /// - Parameters:
    ///   - method: the method. GET matches HEAD too, whose answer has no body.
    ///   - path: literal segments and parameters, `/weights/{date}`, not percent-encoded. A parameter matches
    ///     one segment.
    ///   - query: decoded values of the query. The call may have others.
    ///   - json: text of the same JSON as the whole body's. The order of members and the spelling of numbers
    ///     do not count. `on(_:_:query:jsonContaining:)` compares a part of the body.
    public func on(
        _ method: HTTPMethod, _ path: String, query: [String: String] = [:], json: String? = nil
    ) -> UnansweredStub {
        UnansweredStub(self, StubPattern(method, path, query, json.map { .init($0, .whole) }))
    }

    /// Begins a stub for calls with exactly this JSON body, written as a literal: `json: ["item": 12]`.
    @_disfavoredOverload
    public func on(
        _ method: HTTPMethod, _ path: String, query: [String: String] = [:], json: JSONLiteral
    ) -> UnansweredStub {
        UnansweredStub(self, StubPattern(method, path, query, .json(json.fragment, .whole)))
    }

    /// Begins a stub for calls whose JSON body contains this JSON.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - path: literal segments and parameters, `/orders/{id}`.
    ///   - query: decoded values of the query. The call may have others.
    ///   - json: JSON text. Objects of the body may have further members, at any depth. Arrays have as many
    ///     elements as here, and each contains its element here. All other values are equal.
    public func on(
        _ method: HTTPMethod, _ path: String, query: [String: String] = [:], jsonContaining json: String
    ) -> UnansweredStub {
        UnansweredStub(self, StubPattern(method, path, query, .init(json, .containing)))
    }

    /// Begins a stub for calls whose body contains this JSON, written as a literal:
    /// `jsonContaining: ["item": 12]`.
    @_disfavoredOverload
    public func on(
        _ method: HTTPMethod, _ path: String, query: [String: String] = [:], jsonContaining json: JSONLiteral
    ) -> UnansweredStub {
        UnansweredStub(self, StubPattern(method, path, query, .json(json.fragment, .containing)))
    }

    /// Begins a stub for calls with exactly this body.
    public func on(
        _ method: HTTPMethod, _ path: String, query: [String: String] = [:], body: some Sequence<UInt8>
    ) -> UnansweredStub {
        UnansweredStub(self, StubPattern(method, path, query, .bytes(Array(body))))
    }

    /// Begins a stub for every call that no other stub matches.
    public var onAny: UnansweredStub { UnansweredStub(self, StubPattern()) }

    /// The requests received so far, in order.
    public var requests: [Request] { record.all }

    // MARK: - Faults

    /// What is wrong with the whole upstream; nil if nothing is. May change during a test: a refusing
    /// upstream recovers.
    ///
    ///     upstreams["diary"].fault = .refusesConnections
    public var fault: Fault? {
        get { state.withLock { $0.fault } }
        set {
            let watchers = state.withLock { state in
                state.fault = newValue
                return Array(state.watchers.values)
            }
            for watcher in watchers { watcher(newValue) }
        }
    }

    /// Calls `changed` with each new fault, until the returned number is passed to `unwatch`.
    func watchFault(_ changed: @escaping @Sendable (Fault?) -> Void) -> Int {
        state.withLock { state in
            state.nextWatcher += 1
            state.watchers[state.nextWatcher] = changed
            return state.nextWatcher
        }
    }

    func unwatch(_ watcher: Int) {
        _ = state.withLock { $0.watchers.removeValue(forKey: watcher) }
    }

    // MARK: - Answering

    func add(_ stub: Stub) {
        state.withLock { $0.stubs.append(stub) }
    }

    /// Records a call and returns its place in the record and its answer.
    func answer(to request: Request, _ unmatched: UnmatchedCalls.Log) -> (index: Int, answer: Answer) {
        let (stubs, fault) = state.withLock { ($0.stubs, $0.fault) }
        var request = request
        let matches = stubs.map { (stub: $0, match: $0.pattern.match(request)) }
        var best: (stub: Stub, parameters: [String: String], rank: StubPattern.Rank)?
        for case (let stub, .matched(let parameters, let rank)) in matches
        where best.map({ $0.rank <= rank }) ?? true {
            best = (stub, parameters, rank)
        }
        request.parameters = best?.parameters ?? [:]
        request.stub = best.map { ObjectIdentifier($0.stub) }
        let index = record.append(request)
        guard let best else {
            let call = UnmatchedCalls.Call(request, stubs: matches.map { ($0.stub.pattern, $0.match) })
            unmatched.add(call)
            let body = JSONLiteral(call.description).description
            return (index, Answer.json(body, status: .notImplemented))
        }
        let answer = best.stub.answer(to: request)
        return (index, fault?.applied(to: answer) ?? answer)
    }
}
