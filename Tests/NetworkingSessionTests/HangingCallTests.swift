import EventIO
import HTTPOutbound
import Networking
import NetworkingTesting
import Resilience
import Rx
import Testing

@testable import NetworkingSession

/// The attempts end at given times, so no machine is too busy for them. `HangingUpstreamTests` of the gateway
/// lets real ones end.
@Suite("The circuit of an upstream whose calls hang")
struct HangingCallTests {
    /// What ends an attempt.
    enum End: CaseIterable, Sendable {
        /// A limit of the attempt, such as `timeouts.firstByte`.
        case limit
        /// The time of its request is over, and the upstream was silent.
        case request
        /// The request is over, but the upstream was heard, so that nothing is known of it.
        case heard
    }

    private struct API: TargetType {
        var baseURL: String { "http://127.0.0.1:1" }
        var path: RequestPath { "/page" }
    }

    /// Returns a call that no test sends.
    private static func makeCall() throws -> TransportCall {
        let stub = StubTransport(scheduler: ManualScheduler())
        stub.answer(by: { _ in .silence })
        // Only an upstream with a name has a circuit.
        let work = try Provider<API>(upstream: "hanging", transport: stub).rx.request(API()).subscribe()
        defer { work.dispose() }
        return try #require(stub.attempts.first?.call)
    }

    private static let policy: UpstreamPolicy = {
        var breaker = CircuitBreakerPolicy()
        breaker.minimumCalls = 5
        breaker.open = .seconds(300)
        breaker.maxOpen = .seconds(300)
        var policy = UpstreamPolicy()
        policy.breaker = breaker
        return policy
    }()

    /// Ends attempts at each second, until one is refused or 20 have ended. Returns how many were admitted,
    /// and how often the circuit has opened.
    private func run(_ ends: [End]) throws -> (admitted: Int, openings: Int) {
        let call = try Self.makeCall()
        let group = try EventLoopGroup(count: 1, name: "circuit")
        defer { group.shutdown() }
        let loop = group.loops[0]
        let result = loop.runBlocking { () -> Result<[Int], TransportError> in
            let client = LoopClient(
                HTTPClient(loop: loop), protections: UpstreamProtections(standard: Self.policy, loops: 1))
            defer { client.close() }
            var admitted = 0
            do throws(TransportError) {
                let upstream = try client.open(call.upstream)
                for second in 0..<20 {
                    let now = MonotonicTime(nanoseconds: Int64(100 + second) * 1_000_000_000)
                    var permit: AttemptPermit
                    do throws(TransportError) {
                        permit = try AttemptPermit(of: upstream, for: call, at: now)
                    } catch {
                        guard error.reason == .circuitOpen else { throw error }
                        break
                    }
                    admitted += 1
                    let end = now + .milliseconds(80)
                    switch ends[second % ends.count] {
                    case .limit: permit.attemptFailed(.connectionReadTimeout, call, at: end)
                    case .request: permit.attemptTimedOut(call, at: end)
                    case .heard: permit.drop(call, at: end)
                    }
                }
                return .success([admitted, upstream.circuit?.openingCount ?? 0])
            } catch {
                return .failure(error)
            }
        }
        let numbers = try result.get()
        return (numbers[0], numbers[1])
    }

    @Test(
        "It opens at the fifth call in a row that hangs, and the sixth is refused without an attempt",
        arguments: [[.limit], [.request], [.limit, .request]] as [[End]])
    func fifth(_ ends: [End]) throws {
        let (admitted, openings) = try run(ends)
        #expect(admitted == 5)
        #expect(openings == 1)
    }

    @Test("A call that says nothing of its upstream is not one of the five")
    func silentCalls() throws {
        // Of each three calls, two hang: the fifth one that hangs is the seventh call.
        let (admitted, openings) = try run([.limit, .heard, .request])
        #expect(admitted == 7)
        #expect(openings == 1)
        let (all, none) = try run([.heard])
        #expect(all == 20)
        #expect(none == 0)
    }
}
