import FoundationEssentials
import HTTPModel
import Locking
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

/// Tests a wall clock that is set while the scheduler's time stands still.
@Suite("Wall-clock time", .noLeaks)
struct WallTimeTests {
    private let time = VirtualTime()
    private let wall = WallClock()
    private let transport: StubTransport

    init() {
        transport = StubTransport(scheduler: time) { [wall] in wall.date.withLock { $0 } }
    }

    private final class WallClock: Sendable {
        let date = Lock(Date(timeIntervalSince1970: 784_111_770))
    }

    private func set(_ seconds: Double) {
        wall.date.withLock { $0 = Date(timeIntervalSince1970: seconds) }
    }

    @Test("Cookies with Max-Age or Expires expire by the wall clock")
    func cookies() throws {
        let provider = Provider<Diary>(transport: transport, cookies: CookieJar())
        transport.answer(
            .response(
                200,
                fields: [
                    .setCookie: "a=1; Path=/; Max-Age=60",
                    .setCookie: "b=2; Path=/; Expires=Sun, 06 Nov 1994 08:49:37 GMT",
                ]), .response(200))
        func sent() -> String? {
            _ = Probe(provider.rx.request(.day("2026-11-20")))
            return transport.attempts.last?.call.allFields[.cookie]
        }
        #expect(sent() == nil)
        #expect(sent() == "a=1; b=2")
        set(784_111_770 + 20)
        #expect(sent() == "a=1")
        set(784_111_770 + 61)
        #expect(sent() == nil)
    }

    @Test("A cookie stored after the wall clock was set back expires by that clock")
    func setBack() throws {
        time.advance(by: .seconds(2_000_000))
        set(1_000_000)
        let provider = Provider<Diary>(transport: transport, cookies: CookieJar())
        transport.answer(
            .response(
                200, fields: [.setCookie: "a=1; Path=/; Expires=Thu, 15 Jan 1970 00:00:00 GMT"]),
            .response(200))
        _ = Probe(provider.rx.request(.day("2026-11-20")))
        _ = Probe(provider.rx.request(.day("2026-11-20")))
        #expect(transport.attempts.last?.call.allFields[.cookie] == "a=1")
    }

    @Test("A Retry-After date is compared with the wall clock, and the wait runs on the scheduler")
    func retryAfter() throws {
        // The Retry-After date is two seconds ahead of the wall clock and decades ahead of the scheduler.
        set(784_111_775)
        let provider = try Provider<Diary>(upstream: "diary", transport: transport, jitter: { _ in .zero })
        let busy = StubTransport.Answer.response(
            503, fields: [.retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT"])
        transport.answer(busy, .response(200))
        let probe = Probe(provider.rx.request(.day("2026-11-20")))
        time.advance(by: .milliseconds(1990))
        #expect(transport.attempts.count == 1)
        time.advance(by: .milliseconds(20))
        #expect(transport.attempts.count == 2)
        #expect(probe.value?.statusCode == 200)
    }

    @Test("A failure's retryAfter is measured from the wall clock when its response arrived")
    func reported() throws {
        set(784_111_770)
        var policy = CallPolicy()
        policy.retry = .never
        let provider = try Provider<Diary>(upstream: "diary", transport: transport, policy: policy)
        transport.answer(.response(503, fields: [.retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT"]))
        let probe = Probe(provider.rx.request(.day("2026-11-20")).checkStatusCode())
        set(0)
        let error = try #require(probe.error as? NetworkError)
        #expect(error.retryAfter == .seconds(7))
    }

    @Test("In virtual time, the scheduler's clock is the wall clock")
    func virtual() {
        let transport = StubTransport(scheduler: time)
        time.advance(by: .seconds(100))
        #expect(transport.wallTime == time.now)
    }
}
