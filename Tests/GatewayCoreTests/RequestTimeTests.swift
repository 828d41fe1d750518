import Dispatch
import GatewayCore
import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingTesting
import Rx
import RxTesting
import TestWaiting
import Testing

@Suite("Time in handlers", .noLeaks)
struct RequestTimeTests {
    private let bench = Bench()

    @Test(
        "Outside a request, an operator without a scheduler fails with its name and what to pass",
        arguments: ["delay(_:)", "timeout(_:)", "retry(_:)", "interval(_:)", "timer(_:period:)"])
    func outside(name: String) {
        let one = Single.just(1)
        let streams: [String: Observable<Int>] = [
            "delay(_:)": one.delay(.seconds(1)).asObservable(),
            "timeout(_:)": one.timeout(.seconds(1)).asObservable(),
            "retry(_:)": one.retry(RetryPolicy()).asObservable(),
            "interval(_:)": Observable<Int>.interval(.seconds(1)),
            "timer(_:period:)": Observable<Int>.timer(.seconds(1)),
        ]
        let failure = Lock("")
        let subscription = streams[name]?.subscribe(onError: { error in
            failure.withLock { $0 = "\(error)" }
        })
        subscription?.dispose()
        let expected = "without a scheduler was subscribed to outside a request; pass gateway.scheduler"
        #expect(failure.withLock { $0 } == "\(name) \(expected)")
    }

    @Test("Such an operator in a stream that is shared outside the handlers is 500 and an incident")
    func shared() throws {
        let late = Observable.just(1).delay(.seconds(1)).share()
        bench.gateway.get("/page") { _ in .parts(late: late) }
        #expect(try bench.answer(.get, "/page").status == 500)
        #expect(bench.incidents.count == 1)
    }

    @Test("A timeout without a scheduler fails the part with http_response_timeout and 504")
    func timeout() throws {
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(a: diary.rx.request(.recent).fragment().timeout(.seconds(2)))
        }
        bench.gateway.get("/other") { [diary = bench.diary] _ in
            .parts(
                a: diary.rx.request(.recent).fragment().timeout(
                    .seconds(2), other: .just(JSONFragment(string: "late"))))
        }
        bench.upstream("/recent", .data("1", after: .seconds(3)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(2))
        let reply = try pending.reply()
        #expect(reply.status == 504)
        #expect(reply["/errors/0/reason"] == #""http_response_timeout""#)
        let other = try bench.ask(.get, "/other")
        bench.time.advance(by: .seconds(2))
        #expect(try other.reply()["/data/a"] == #""late""#)
        #expect(bench.transport.inFlight == 0)
        #expect(bench.time.pending == 0)
    }

    @Test("A delayed part takes its time, and a client that leaves cancels the timer")
    func delay() throws {
        bench.gateway.get("/page") { _ in .parts(a: Single.just(1).delay(.seconds(2))) }
        let left = try bench.ask(.get, "/page")
        left.dispose()
        #expect(bench.time.pending == 0)
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .milliseconds(1_999))
        #expect(pending.count == 0)
        bench.time.advance(by: .milliseconds(1))
        #expect(try pending.reply()["/data/a"] == "1")
        #expect(bench.time.pending == 0)
    }

    @Test("A call that follows a wait belongs to the request, with the request's scheduler as well")
    func context() throws {
        bench.gateway.get("/operator") { [diary = bench.diary] _ in
            .parts(a: Single.just(1).delay(.seconds(1)).flatMap { _ in diary.rx.request(.recent).fragment() })
        }
        bench.gateway.get("/scheduler") { [diary = bench.diary] request in
            .parts(
                a: Single<Int>.timer(.seconds(1), scheduler: request.scheduler)
                    .flatMap { _ in diary.rx.request(.recent).fragment() })
        }
        bench.upstream("/recent", .data("1"))
        for path in ["/operator", "/scheduler"] {
            let pending = try bench.ask(.get, path, fields: [.xRequestID: "r-9"])
            bench.time.advance(by: .seconds(1))
            #expect(try pending.reply()["/data/a"] == "1")
            #expect(bench.transport.attempts.last?.call.contextFields[.xRequestID] == "r-9")
        }
    }

    @Test("The gateway's scheduler is the scheduler of its transport")
    func gatewayScheduler() {
        let scheduler = bench.gateway.scheduler
        #expect(ObjectIdentifier(scheduler) == ObjectIdentifier(bench.time))
    }

    @Test("A handler that sleeps when the client leaves is cancelled, and its timer is gone")
    func sleep() async throws {
        let (started, ended) = (Signal(), Signal())
        bench.gateway.get("/page") { request async throws -> Answer in
            started.fire()
            defer { ended.fire() }
            try await request.sleep(for: .seconds(5))
            return .json(1)
        }
        let pending = try bench.ask(.get, "/page")
        try await started.wait()
        pending.dispose()
        try await ended.wait()
        #expect(pending.count == 0)
        #expect(bench.incidents.isEmpty)
    }
}
