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

/// A way to share one subscription.
struct Sharing: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let share: @Sendable (Single<JSONFragment>) -> Observable<JSONFragment>

    init(_ name: String, _ share: @escaping @Sendable (Single<JSONFragment>) -> Observable<JSONFragment>) {
        testDescription = name
        self.share = share
    }

    static let all = [
        Sharing("share() of a single") { $0.share().asObservable() },
        Sharing("share()") { $0.asObservable().share() },
        Sharing("share(replay: 1)") { $0.asObservable().share(replay: 1) },
        Sharing("share(replay: 1, scope: .forever)") { $0.asObservable().share(replay: 1, scope: .forever) },
        Sharing("publish().refCount()") { $0.asObservable().publish().refCount() },
        Sharing("replay(1).refCount()") { $0.asObservable().replay(1).refCount() },
        Sharing("multicast of a BehaviorSubject") {
            $0.asObservable().multicast { BehaviorSubject<JSONFragment>(value: .null) }.refCount()
                .filter { !$0.isNull }
        },
    ]
}

@Suite("A shared call that is joined by several requests", .noLeaks, .timeLimit(.minutes(1)))
struct OutlivingStreamTests {
    private let users = TwoUsers()

    private func declare(_ value: @escaping @Sendable () -> Observable<JSONFragment>) {
        for (path, deadline) in TwoUsers.deadlines {
            users.gateway.get(path, .deadline(deadline)) { _ in .parts(value: value()) }
        }
    }

    @Test("A call shared outside of the handlers carries nothing of a request", arguments: Sharing.all)
    func sharedOutside(sharing: Sharing) async throws {
        users.forward()
        let shared = sharing.share(users.diary.rx.request(.recent).fragment())
        declare { shared }
        try await users.expectDeadlineOfAOnly()
    }

    @Test("Nor do calls that such a stream makes for its values", arguments: Sharing.all)
    func chainedOutside(sharing: Sharing) throws {
        users.forward()
        let diary = users.diary
        let shared = sharing.share(
            Single.just(1).flatMap { _ in diary.rx.request(.total).fragment() }
                .flatMap { _ in diary.rx.request(.today).fragment() })
        users.bench.upstream("/today", .data("3"))
        declare { shared }
        #expect(try users.ask("a").reply()["/data"] == #"{"value":3}"#)
        #expect(users.calls == ["total", "today"])
    }

    @Test("A connected call outside of the handlers carries nothing of the request that connects it")
    func connected() throws {
        users.forward()
        let shared = users.diary.rx.request(.total).fragment().asObservable().replay(1)
        users.gateway.get("/a") { _ in
            .parts(value: shared.do(onSubscribed: { _ = shared.connect() }))
        }
        #expect(try users.ask("a").reply()["/data"] == #"{"value":2}"#)
        #expect(users.calls == ["total"])
    }

    @Test(
        "A call that one request shares and another joins is refused with the endpoint's name",
        arguments: Sharing.all, [false, true])
    func sharedInside(sharing: Sharing, forwards: Bool) throws {
        if forwards { users.forward() }
        let kept = Lock<Observable<JSONFragment>?>(nil)
        declare { [diary = users.diary] in
            kept.withLock { kept in
                let shared = kept ?? sharing.share(diary.rx.request(.recent).fragment())
                kept = shared
                return shared
            }
        }
        let first = try users.ask("a")
        #expect(users.calls == [forwards ? "recent a Bearer a" : "recent a"])
        #expect(try users.ask("b").reply().status == 500)
        users.expectFault(of: "within a request of GET /a")
        #expect(users.bench.incidents.first?.route == "/b")
        users.bench.time.advance(by: .seconds(1))
        #expect(try first.reply().status == 504)
        // Neither does B get the kept value of A's ended request.
        #expect(try users.ask("b").reply().status == 500)
        #expect(users.calls.count == 1)
        kept.withLock { $0 = nil }
    }

    @Test(
        "A call shared in a request carries nothing once another request has joined",
        arguments: [false, true])
    func joinedFirst(forwards: Bool) throws {
        if forwards { users.forward() }
        let kept = Lock<Observable<JSONFragment>?>(nil)
        users.gateway.get("/a") { [diary = users.diary] _ in
            kept.withLock { $0 = diary.rx.request(.total).fragment().asObservable().share(replay: 1) }
            return .json(0)
        }
        users.gateway.get("/b") { _ in .parts(value: kept.withLock { $0 } ?? .empty()) }
        #expect(try users.ask("a").reply().status == 200)
        let pending = try users.ask("b")
        users.bench.time.advance(by: .zero)
        let reply = try pending.reply()
        if forwards {
            #expect(reply.status == 500)
            #expect(users.calls.isEmpty)
            #expect(users.bench.incidents.first?.description.contains("GET /a: a call to diary") == true)
        } else {
            #expect(reply["/data"] == #"{"value":2}"#)
            #expect(users.calls == ["total"])
        }
        kept.withLock { $0 = nil }
    }

    @Test("Parts of one request share a call with its credentials", arguments: Sharing.all.dropLast())
    func withinRequest(sharing: Sharing) throws {
        users.forward()
        users.gateway.get("/a") { [diary = users.diary] _ in
            let shared = sharing.share(diary.rx.request(.recent).fragment())
            return .parts(
                first: shared,
                second: shared.asSingle().flatMap { _ in diary.rx.request(.total).fragment() })
        }
        let pending = try users.ask("a")
        users.bench.time.advance(by: .seconds(1))
        #expect(try pending.reply()["/data"] == #"{"first":1,"second":2}"#)
        #expect(users.calls == ["recent a Bearer a", "total a Bearer a"])
    }

    // MARK: - Subjects

    private static let subjects: [@Sendable () -> AnySubject] = [
        { AnySubject(PublishSubject()) }, { AnySubject(BehaviorSubject(value: .null)) },
        { AnySubject(ReplaySubject.create(bufferSize: 1)) }, { AnySubject(AsyncSubject()) },
    ]

    @Test("A subscriber to a subject calls with the credentials of its own request", arguments: 0..<4)
    func subject(index: Int) throws {
        users.forward()
        let diary = users.diary
        let subject = Self.subjects[index]()
        users.gateway.get("/b") { _ in
            .parts(
                value: subject.stream.filter { !$0.isNull }.take(1).asSingle()
                    .flatMap { _ in diary.rx.request(.total).fragment() })
        }
        users.gateway.get("/a") { _ in
            .parts(value: diary.rx.request(.recent).fragment().do(onSuccess: { subject.send($0) }))
        }
        let (b, a) = (try users.ask("b"), try users.ask("a"))
        users.bench.time.advance(by: .seconds(1))
        #expect(try a.reply()["/data"] == #"{"value":1}"#)
        #expect(try b.reply()["/data"] == #"{"value":2}"#)
        #expect(users.calls == ["recent a Bearer a", "total b Bearer b"])
    }

    // MARK: - Calls that are kept

    @Test("A call made in one request and subscribed to in another belongs to the subscriber's")
    func keptCall() throws {
        users.forward()
        let kept = Lock<Single<JSONFragment>?>(nil)
        declare { [diary = users.diary] in
            kept.withLock { kept in
                let call = kept ?? diary.rx.request(.total).fragment()
                kept = call
                return call.asObservable()
            }
        }
        #expect(try users.ask("a").reply().status == 200)
        #expect(try users.ask("b").reply().status == 200)
        #expect(users.calls == ["total a Bearer a", "total b Bearer b"])
        kept.withLock { $0 = nil }
    }

    @Test("The forwarded fields of the first request do not change a kept call for the second")
    func keptFields() throws {
        users.gateway.defaults(.forwards(.accept, .via))
        let call = Lock<Single<JSONFragment>?>(nil)
        declare { [diary = users.diary] in
            call.withLock { call in
                let kept = call ?? diary.rx.request(.authorized).fragment()
                call = kept
                return kept.asObservable()
            }
        }
        users.bench.upstream("/authorized", .data("1"))
        _ = try users.ask("a", [.accept: "text/a"]).reply()
        _ = try users.ask("b").reply()
        let sent = users.bench.transport.attempts.map { $0.call.allFields.values(of: .accept) }
        #expect(sent == [["text/a"], ["application/json"]])
        call.withLock { $0 = nil }
    }

    @Test("A call that begins after the end of its request carries nothing", arguments: [false, true])
    func afterEnd(forwards: Bool) throws {
        if forwards { users.forward() }
        let late = Lock<Single<JSONFragment>?>(nil)
        users.gateway.get("/a") { [diary = users.diary] _ in
            late.withLock { $0 = diary.rx.request(.total).fragment() }
            return .json(0)
        }
        #expect(try users.ask("a").reply().status == 200)
        let result = Lock<Result<JSONFragment, any Error>?>(nil)
        let call = try #require(late.withLock { $0.take() })
        _ = call.subscribe { event in result.withLock { $0 = event } }
        users.bench.time.advance(by: .milliseconds(1))
        if forwards {
            #expect(throws: CallOutsideRequest.self) { try result.withLock { try $0?.get() } }
            users.expectFault(of: "GET /a: a call to diary began after the end")
            #expect(users.calls.isEmpty)
        } else {
            #expect(try result.withLock { try $0?.get().description } == "2")
            #expect(users.calls == ["total"])
        }
    }

    // MARK: - Parts and timelines

    @Test("A named part that requests share has the deadline of neither")
    func namedPart() async throws {
        let shared = users.diary.rx.request(.recent).fragment().part("recent").share()
        for (path, deadline) in TwoUsers.deadlines {
            users.gateway.get(path, .deadline(deadline)) { _ in shared.map { .parts($0) } }
        }
        try await users.expectDeadlineOfAOnly()
    }

    @Test("Each request has its own named part of a shared call")
    func ownPart() throws {
        let shared = users.diary.rx.request(.recent).fragment().share()
        for (path, deadline) in TwoUsers.deadlines {
            users.gateway.get(path, .deadline(deadline)) { _ in shared.part("recent").map { .parts($0) } }
        }
        let (a, b) = (try users.ask("a"), try users.ask("b"))
        users.bench.time.advance(by: .milliseconds(300))
        let late = try a.reply()
        #expect(late.status == 504)
        #expect(late["/errors/0/part"] == #""recent""#)
        #expect(late["/errors/0/reason"] == #""deadline_exceeded""#)
        users.bench.time.advance(by: .milliseconds(700))
        #expect(try b.reply()["/data"] == #"{"recent":1}"#)
        #expect(users.calls == ["recent"])
    }

    @Test("A shared call is in no request's timeline, and the parts are in each")
    func timeline() throws {
        let users = TwoUsers(.timed())
        let shared = users.diary.rx.request(.recent).fragment().share()
        for path in ["/a", "/b"] {
            users.gateway.get(path) { [diary = users.diary] _ in
                .parts(
                    recent: shared.flatMap { _ in diary.rx.request(.total).fragment() },
                    total: diary.rx.request(.total).fragment())
            }
        }
        let fields: HTTPFields = [.prefer: "timeline"]
        let (a, b) = (try users.ask("a", fields), try users.ask("b", fields))
        users.bench.time.advance(by: .seconds(1))
        let expected = [
            "recent 0-1000", "  diary GET: 1000 new 1000 1000 1000 200 -",
            "total 0-0", "  diary GET: 0 new 0 0 0 200 -",
        ]
        #expect(try a.reply().timeline == expected)
        #expect(try b.reply().timeline == expected)
        #expect(users.calls.filter { $0.hasPrefix("recent") } == ["recent"])
        #expect(
            users.calls.filter { $0.hasPrefix("total") }.sorted()
                == ["a", "a", "b", "b"].map { "total \($0)" })
    }
}

/// A subject of any kind.
private struct AnySubject: Sendable {
    let stream: Observable<JSONFragment>
    private let observer: AnyObserver<JSONFragment>

    init<Subject: SubjectType>(_ subject: Subject)
    where Subject.Element == JSONFragment, Subject.Observer.Element == JSONFragment {
        stream = subject.asObservable()
        observer = AnyObserver(subject.asObserver())
    }

    /// Sends the value and the end.
    func send(_ value: JSONFragment) {
        observer.onNext(value)
        observer.onCompleted()
    }
}
