public import HTTPModel
public import JSONBytes
import Locking

/// A stub that lacks its answer.
public struct UnansweredStub: Sendable {
    private let upstream: StubUpstream
    private let pattern: StubPattern

    init(_ upstream: StubUpstream, _ pattern: StubPattern) {
        self.upstream = upstream
        self.pattern = pattern
    }

    /// Answers every call with `answer`.
    @discardableResult
    public func answer(_ answer: StubUpstream.Answer) -> Stub { add { _, _ in answer } }

    /// Answers every call with this JSON text.
    @discardableResult
    public func answer(json: String, status: HTTPStatus = .ok) -> Stub {
        answer(.json(json, status: status))
    }

    /// Answers every call with JSON written as a literal: `json: ["id": 1]`.
    @discardableResult
    @_disfavoredOverload
    public func answer(json: JSONLiteral, status: HTTPStatus = .ok) -> Stub {
        answer(.json(json, status: status))
    }

    /// Answers calls one after the other. The last answer repeats.
    @discardableResult
    public func answers(_ first: StubUpstream.Answer, _ others: StubUpstream.Answer...) -> Stub {
        let all = [first] + others
        return add { _, number in all[min(number, all.count - 1)] }
    }

    /// Answers calls with what a closure makes of the request. It must not block.
    @discardableResult
    public func answer(_ answer: @escaping @Sendable (StubUpstream.Request) -> StubUpstream.Answer) -> Stub {
        add { request, _ in answer(request) }
    }

    private func add(
        _ answer: @escaping @Sendable (StubUpstream.Request, _ number: Int) -> StubUpstream.Answer
    ) -> Stub {
        let stub = Stub(pattern, record: upstream.record, answer)
        upstream.add(stub)
        return stub
    }
}

/// A declared answer of an upstream, and the calls that got it.
///
///     let orders = upstreams["orders"].on(.post, "/orders").answer(.status(.created))
///     ...
///     #expect(orders.requests.count == 1)
public final class Stub: Sendable, CustomStringConvertible {
    let pattern: StubPattern
    private let record: StubRecord
    private let answer: @Sendable (StubUpstream.Request, Int) -> StubUpstream.Answer
    private let calls = Lock(0)

    init(
        _ pattern: StubPattern, record: StubRecord,
        _ answer: @escaping @Sendable (StubUpstream.Request, Int) -> StubUpstream.Answer
    ) {
        self.pattern = pattern
        self.record = record
        self.answer = answer
    }

    /// The requests that this stub answered so far, in order.
    public var requests: [StubUpstream.Request] { record.all.filter { $0.stub == ObjectIdentifier(self) } }

    /// The conditions of the stub: `GET /weights/{date} with query half=am`.
    public var description: String { pattern.description }

    func answer(to request: StubUpstream.Request) -> StubUpstream.Answer {
        let number = calls.withLock { calls in
            defer { calls += 1 }
            return calls
        }
        return answer(request, number)
    }
}
