import Dispatch
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Whether a failed part may be requested again", .noLeaks)
struct RepeatedPartTests {
    private enum NotesAPI: TargetType {
        case add
        case list

        var baseURL: String { "http://notes.test:9001" }
        var path: RequestPath { self == .add ? "/add" : "/list" }
        var method: HTTPMethod { self == .add ? .post : .get }
    }

    private let bench = Bench()
    private let notes: Provider<NotesAPI>

    init() {
        notes = bench.gateway.provider(NotesAPI.self, upstream: "notes")
    }

    /// Returns `retryable` of a page with this part.
    private func retryable(
        _ part: @escaping @Sendable (Provider<NotesAPI>) -> Single<JSONFragment>
    ) throws -> String? {
        bench.gateway.post("/page", .deadline(.seconds(2))) { [notes] _ in .parts(notes: part(notes)) }
        let pending = try bench.ask(.post, "/page")
        bench.time.advance(by: .seconds(20))
        return try pending.reply()["/errors/0/retryable"]
    }

    @Test("A POST that the request's deadline cuts off may have been processed", arguments: [true, false])
    func deadline(isPost: Bool) throws {
        bench.transport.answer("/add", .silence)
        bench.transport.answer("/list", .silence)
        let retryable = try retryable { $0.rx.request(isPost ? .add : .list).fragment() }
        #expect(retryable == (isPost ? "false" : "true"))
    }

    @Test(
        "A part whose POST succeeded may not be requested again after a later call", arguments: [true, false])
    func laterCall(isPost: Bool) throws {
        bench.transport.answer("/add", .json("1"))
        bench.transport.answer("/list", .json("1"), .failure(.connectionRefused))
        if isPost { bench.transport.answer("/list", .failure(.connectionRefused)) }
        let retryable = try retryable { notes in
            notes.rx.request(isPost ? .add : .list).fragment().flatMap { _ in
                notes.rx.request(.list).fragment()
            }
        }
        #expect(retryable == (isPost ? "false" : "true"))
    }

    @Test("A POST that the part's own timeout ends may have been processed", arguments: [true, false])
    func ownTimeout(isPost: Bool) throws {
        bench.transport.answer("/add", .silence)
        bench.transport.answer("/list", .silence)
        let time = bench.time
        let retryable = try retryable {
            $0.rx.request(isPost ? .add : .list).fragment().timeout(.seconds(1), scheduler: time)
        }
        #expect(retryable == (isPost ? "false" : "true"))
    }
}
