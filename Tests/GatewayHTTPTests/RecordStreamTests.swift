import GatewayCore
import Glibc
import HTTPModel
import JSONBytes
import Locking
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Events and lines over sockets", .timeLimit(.minutes(1)))
struct RecordStreamTests {
    private struct Failure: Error {}

    private func serve(
        deadline: Duration = .seconds(15), _ answer: @escaping @Sendable () -> Answer,
        _ body: (GatewayServer) throws -> Void
    ) throws -> [JSONFragment] {
        let messages = RawPipe()
        defer {
            close(messages.writer)
            close(messages.reader)
        }
        return try withLoggedGateway(
            errors: messages.writer, configure: { $0.inbound.discardTime = .milliseconds(200) },
            declare: { gateway in gateway.get("/page", .deadline(deadline)) { _ in answer() } }, body)
    }

    private func ask(_ server: GatewayServer, version: String = "1.1") throws -> RawClient {
        let client = try RawClient(port: server.port)
        client.send("GET /page HTTP/\(version)\r\nHost: test\r\n\r\n")
        return client
    }

    @Test("A failure after the first event resets the connection, and the log says aborted")
    func failure() throws {
        let subject = ReplaySubject<ServerSentEvent>.create(bufferSize: 1)
        subject.onNext(ServerSentEvent("a"))
        let lines = try serve({ .events(subject) }) { server in
            let client = try ask(server)
            #expect(try client.read(through: "data: a\n\n").contains("200 OK"))
            subject.onError(Failure())
            #expect(client.readToEnd().end == .reset)
        }
        #expect(lines.ends == ["aborted"])
    }

    @Test("A silent stream has heartbeats, also after the deadline, and a gap between events does not end it")
    func heartbeats() throws {
        let events = PublishSubject<ServerSentEvent>()
        let lines = try serve(
            deadline: .milliseconds(200), { .events(events, heartbeat: .milliseconds(100)) }
        ) { server in
            // HTTP/1.0: up to the end of the connection, without chunks.
            let client = try ask(server, version: "1.0")
            let head = try client.read(through: "\r\n\r\n")
            #expect(head.contains("Content-Type: text/event-stream\r\n"))
            #expect(head.contains("X-Accel-Buffering: no\r\n"))
            for _ in 1...3 { #expect(try client.read(through: "\n\n") == ":\n\n") }
            events.onNext(ServerSentEvent("a"))
            #expect(try client.read(through: "data: a\n\n").hasSuffix("data: a\n\n"))
            #expect(try client.read(through: "\n\n") == ":\n\n")
            events.onCompleted()
            let (rest, end) = client.readToEnd()
            #expect(end == .fin)
            #expect(String(decoding: rest, as: UTF8.self).replacing(":\n\n", with: "") == "")
        }
        #expect(lines.ends == ["complete"])
    }

    @Test("Lines have empty lines as heartbeats, which a reader skips")
    func emptyLines() throws {
        let values = PublishSubject<Int>()
        _ = try serve(
            deadline: .milliseconds(200), { .lines(values, heartbeat: .milliseconds(100)) }
        ) { server in
            let client = try ask(server, version: "1.0")
            #expect(try client.read(through: "\r\n\r\n").contains("application/x-ndjson\r\n"))
            #expect(try client.read(count: 2) == Array("\n\n".utf8))
            values.onNext(7)
            #expect(try client.read(through: "7\n").hasSuffix("7\n"))
            values.onCompleted()
            #expect(client.readToEnd().end == .fin)
        }
    }

    @Test("A client that leaves cancels the source; HEAD has the head alone")
    func leaves() throws {
        let events = PublishSubject<ServerSentEvent>()
        let lines = try serve({ .events(events.startWith(ServerSentEvent("a"))) }) { server in
            let client = try ask(server)
            _ = try client.read(through: "data: a\n\n")
            #expect(events.hasObservers)
            client.reset()
            try spin(while: events.hasObservers) { "the source is still subscribed to" }
            let other = try RawClient(port: server.port)
            other.send("HEAD /page HTTP/1.1\r\nHost: test\r\n\r\n")
            let reply = try other.reply(toHead: true)
            #expect(reply.value("Content-Type") == "text/event-stream")
            try spin(while: events.hasObservers) { "HEAD is still subscribed" }
        }
        #expect(lines.ends == ["client_gone", "complete"])
    }

    @Test("Events end at the drain, with a time to wait at random; lines go on to their end")
    func drain() throws {
        let events = PublishSubject<ServerSentEvent>()
        let values = PublishSubject<Int>()
        let lines = try withLoggedGateway(
            configure: { $0.inbound.discardTime = .milliseconds(200) },
            declare: { gateway in
                gateway.get("/page") { _ in .events(events.startWith(ServerSentEvent("a", id: "1"))) }
                gateway.get("/lines") { _ in .lines(values.startWith(1)) }
            }
        ) { server in
            let client = try ask(server)
            _ = try client.read(through: "data: a\n\n")
            let other = try RawClient(port: server.port)
            other.send("GET /lines HTTP/1.0\r\nHost: test\r\n\r\n")
            _ = try other.read(through: "1\n")
            server.drain()
            let rest = try client.read(through: "\r\n0\r\n\r\n")
            let wait = rest.split(separator: "retry: ").last?.prefix { $0.isNumber }
            #expect(wait.flatMap { Int($0) }.map { (1_000...5_000).contains($0) } == true, "\(rest)")
            try spin(while: events.hasObservers) { "the source of the events is still subscribed to" }
            #expect(values.hasObservers)
            values.onNext(2)
            values.onCompleted()
            #expect(String(decoding: other.readToEnd().bytes, as: UTF8.self) == "2\n")
        }
        #expect(lines.ends == ["complete", "complete"])
    }

    @Test("Compressed events arrive one by one")
    func compressed() throws {
        let events = PublishSubject<ServerSentEvent>()
        _ = try serve({ .events(events.startWith(ServerSentEvent("a"))) }) { server in
            let client = try RawClient(port: server.port)
            client.send("GET /page HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n")
            #expect(try client.read(through: "\r\n\r\n").contains("Content-Encoding: gzip\r\n"))
            // The first event is flushed before the second one exists.
            _ = try client.read(through: "\r\n")
            #expect(try !client.read(count: 16).isEmpty)
            events.onNext(ServerSentEvent("b"))
            events.onCompleted()
            _ = try client.read(through: "\r\n0\r\n\r\n")
        }
    }

    // MARK: Both halves

    /// A gateway's own events.
    private struct Feed: TargetType {
        var id: String?
        var baseURL: String { "http://feed.test" }
        var path: RequestPath { "/page" }
        var headers: HTTPFields {
            guard let id else { return HTTPFields() }
            return ["Last-Event-ID": id]
        }
    }

    /// Serves a gateway that passes on what `answer` sends, each time that it is asked.
    private func relay(
        _ answer: @escaping @Sendable (_ number: Int, _ id: String?) -> Answer,
        _ body: (GatewayServer) throws -> Void
    ) throws {
        let count = Lock(0)
        _ = try withLoggedGateway(
            configure: { _ in },
            declare: { gateway in
                gateway.get("/page") { request in
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    return answer(number, request.header("Last-Event-ID"))
                }
            }
        ) { source in
            _ = try withLoggedGateway(
                configure: { $0.upstreams["feed"] = "http://127.0.0.1:\(source.port)" },
                declare: { gateway in
                    let feed = gateway.provider(Feed.self, upstream: "feed")
                    gateway.get("/page", .deadline(.milliseconds(900))) { request in
                        .events(feed.rx.events(Feed(id: request.header("Last-Event-ID"))))
                    }
                    gateway.get("/lines") { _ in .lines(feed.rx.lines(Feed())) }
                }, body)
        }
    }

    @Test("What a gateway sends as events, another one reads and passes on, and connects again for the rest")
    func roundTrip() throws {
        let ids = Lock<[String?]>([])
        try relay { number, id in
            ids.withLock { $0.append(id) }
            switch number {
            case 1: return .events(Observable.from([ServerSentEvent("a\nb", event: "add", id: "8")]))
            case 2: return .events(Observable.from([ServerSentEvent(" c", id: "8"), ServerSentEvent("")]))
            default: return .status(.noContent)
            }
        } _: { server in
            let client = try RawClient(port: server.port)
            client.send("GET /page HTTP/1.0\r\nHost: test\r\nLast-Event-ID: 7\r\n\r\n")
            _ = try client.read(through: "\r\n\r\n")
            // The next connection is made after the deadline.
            let first = try client.read(through: "data: b\n\n")
            #expect(first == "event: add\nid: 8\ndata: a\ndata: b\n\n")
            #expect(try client.read(through: "data: \n\n") == "data:  c\n\ndata: \n\n")
        }
        #expect(Array(ids.withLock { $0 }.prefix(2)) == ["7", "8"])
    }

    @Test("A client with an id that the upstream does not know gets the upstream's status")
    func unknownID() throws {
        try relay { _, _ in
            .status(.notFound)
        } _: { server in
            let client = try RawClient(port: server.port)
            #expect(client.get("/page")?.status == 404)
        }
    }

    @Test("Lines pass through both gateways")
    func lines() throws {
        try relay { _, _ in
            .lines(Observable.from([1, 2]))
        } _: { server in
            let client = try RawClient(port: server.port)
            #expect(client.get("/lines")?.text == "1\n2\n")
        }
    }

    // MARK: curl

    @Test("curl -N shows the events, and reports an end that comes too early")
    func curl() throws {
        let folder = ScratchFolder()
        let fails = Lock(false)
        _ = try serve({
            let events = Observable.from([ServerSentEvent("a"), ServerSentEvent("b", id: "2")])
            return .events(
                fails.withLock { $0 } ? events.concat(Observable<ServerSentEvent>.error(Failure())) : events)
        }) { server in
            let curl = Curl(base: server.url, in: folder)
            let answer = try curl.get("/page", "-N", "-H", "Accept: text/event-stream")
            #expect(answer.status == 200)
            #expect(String(decoding: answer.body, as: UTF8.self) == "data: a\n\nid: 2\ndata: b\n\n")
            fails.withLock { $0 = true }
            #expect(try curl.run(["-N", "--max-time", "20", server.url + "/page"]) != 0)
        }
    }
}
