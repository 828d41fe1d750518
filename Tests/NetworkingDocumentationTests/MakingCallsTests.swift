import Dispatch
import FoundationEssentials
import HTTPModel
import JSONBytes
import Networking
import NetworkingSession
import NetworkingTesting
import Rx
import RxTesting
import TestSupport
import Testing

enum ZenAPI: TargetType {
    case zen

    var baseURL: String { "http://zen.test" }
    var path: RequestPath { "/zen" }
    var sampleResponse: SampleResponse { .json(#"{"text":"Keep it simple."}"#) }
}

/// Contains the code of the article verbatim.
@Suite("Making calls")
struct MakingCallsTests {
    private static let one = #"{"status":200,"data":[{"name":"Kind whale","icon":"🐳"}]}"#

    @Test("A call is sent for each subscription and cancelled with it")
    func cold() {
        let scripted = Scripted(.json(Self.one, after: .seconds(1)))
        let tags = Provider<TagAPI>(transport: scripted.transport)
        let output = Output()
        let print: @Sendable (Any) -> Void = { output.print($0) }
        let call = tags.rx.request(.list).map([Tag].self)  // nothing is sent yet

        let subscription = call.subscribe(
            onSuccess: { print($0.count) },
            onFailure: { print($0) })
        subscription.dispose()  // nobody waits any more: the connection is given up
        #expect(scripted.transport.attempts.map(\.isCancelled) == [true])
        _ = Seen(call)
        #expect(scripted.transport.attempts.count == 2)
        #expect(output.lines.isEmpty)
    }

    @Test("A task can await a call")
    func tasks() async throws {
        let scripted = Scripted(.json(Self.one))
        let tags = Provider<TagAPI>(transport: scripted.transport)
        let list = try await tags.rx.request(.list).map([Tag].self).value
        let response = try await tags.request(.list)
        #expect(list.count == 1)
        #expect(response.statusCode == 200)
    }

    @Test("Calls can run in parallel or in sequence")
    func joined() async throws {
        let scripted = Scripted(.json(Self.one))
        let tags = Provider<TagAPI>(transport: scripted.transport)
        let both = Single.zip(
            tags.rx.request(.list).map([Tag].self),
            tags.rx.request(.received(card: "c1")).map([Tag].self)
        ) { all, received in all + received }

        let first = tags.rx.request(.list).map([Tag].self).flatMap { list in
            tags.rx.request(.received(card: "c\(list.count)")).fragment()
        }
        #expect(try await both.value.count == 2)
        #expect(try await first.value.elements.count == 1)
    }

    @Test("A call reports its progress")
    func progress() async throws {
        let scripted = Scripted(.response(200, body: String(repeating: "x", count: 2500)))
        let tags = Provider<TagAPI>(transport: scripted.transport)
        let output = Output()
        let print: (Any...) -> Void = { output.print($0.map { "\($0)" }.joined(separator: " ")) }
        for try await step in tags.requestWithProgress(.list) {
            print(step.direction, step.completed, step.total ?? 0, step.isCompleted)
        }
        #expect(
            output.text == """
                download 1024 2500 false
                download 2048 2500 false
                download 2500 2500 false
                download 2500 2500 true
                """)
    }

    @Test("A stream delivers the body in pieces")
    func stream() async throws {
        let served = try Served(["GET /tags": Served.json(String(repeating: "x", count: 300_000))])
        let tags = try Provider<TagAPI>(upstream: "tags", baseURL: served.address)
        var count = 0
        let stream = try await tags.stream(.list)
        for try await piece in stream { count += piece.count }
        #expect(count == 300_000)
        #expect(stream.statusCode == 200)
    }

    @Test("Lines arrive as JSON")
    func lines() async throws {
        let scripted = Scripted(
            .response(200, body: "{\"name\":\"Kind whale\"}\n{\"name\":\"Fast tiger\"}\n"))
        let tags = Provider<TagAPI>(transport: scripted.transport)
        let output = Output()
        let print: (Any) -> Void = { output.print($0) }
        for try await line in tags.rx.lines(.list).values {
            print(line[member: "name"]?.stringValue ?? "")
        }
        #expect(output.lines == ["Kind whale", "Fast tiger"])
    }

    @Test("Events arrive until the server sends a 204")
    func events() async throws {
        let body = "retry: 10\nid: 7\ndata: {\"name\":\"Kind whale\",\ndata: \"icon\":\"W\"}\n\n"
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: \(body.utf8.count)"
        let upstream = try ScriptedUpstream([
            .answer { request in
                request.contains("Last-Event-ID: 7")
                    ? "HTTP/1.1 204 No Content\r\n\r\n" : "\(head)\r\n\r\n\(body)"
            }
        ])
        defer { upstream.stop() }
        let tags = try Provider<TagAPI>(upstream: "tags", baseURL: "http://127.0.0.1:\(upstream.port)")
        let output = Output()
        let print: (Any...) -> Void = { output.print($0.map { "\($0)" }.joined(separator: " ")) }
        for try await event in tags.rx.events(.list).values {
            print(event.event, event.id ?? "-", try event.json(as: Tag.self).name)
        }
        #expect(output.lines == ["message 7 Kind whale"])
        #expect(upstream.requests.count == 2)
        #expect(upstream.requests.allSatisfy { $0.contains("Accept: text/event-stream") })
    }

    @Test("A download is written to a file")
    func download() async throws {
        let served = try Served(["GET /tags": Served.json(Self.one)])
        let tags = try Provider<TagAPI>(upstream: "tags", baseURL: served.address)
        let file = FileManager.default.temporaryDirectory.path + "/sluice-\(UUID().uuidString).json"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let response = try await tags.download(.list, to: file)
        #expect(response.statusCode == 200)
        #expect(response.data.isEmpty)
        #expect(
            FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) } == Self.one
        )
    }

    @Test("A stubbing provider responds with samples")
    func stubs() async throws {
        let zen = Provider<ZenAPI>(stub: Provider<ZenAPI>.immediatelyStub)
        let text = try await zen.rx.request(.zen).mapString(atKeyPath: "text").value
        #expect(text == "Keep it simple.")
    }

    @Test("A stubbed call sends the default fields of the session")
    func stubbedFields() async throws {
        let served = try Served(["GET /zen": Served.json("{}")])
        let sent = Output()
        for stub in [nil, Provider<ZenAPI>.immediatelyStub] {
            let zen = try Provider<ZenAPI>(
                upstream: "zen", baseURL: served.address,
                plugins: [NetworkLogger(.requests) { sent.print($0) }], stub: stub)
            _ = try await zen.request(.zen)
        }
        #expect(sent.lines.count == 2)
        #expect(sent.lines.first == sent.lines.last)
    }

    @Test("A test scripts an upstream and controls the time")
    func script() throws {
        let time = ManualScheduler()
        let transport = StubTransport(scheduler: time)
        transport.answer("/tags", .failure(.connectionTerminated), .json(#"{"status":200,"data":[]}"#))
        let tags = Provider<TagAPI>(transport: transport)

        let seen = Seen(tags.rx.request(.list).map([Tag].self))
        time.advance(by: .seconds(1))
        #expect(seen.values.map(\.count) == [0])
        #expect(transport.attempts.map(\.call.path) == ["/tags", "/tags"])
    }

    @Test("A custom session reports its opened and reused connections")
    func session() async throws {
        let address = try Served(["GET /tags": Served.json(Self.one)]).address
        var configuration = Session.Configuration()
        configuration.loops = 2
        configuration.limits.connectionsPerUpstream = 16
        configuration.limits.idleTimeout = .seconds(600)
        let session = try Session(configuration)

        let tags = try Provider<TagAPI>(upstream: "tags", baseURL: address, session: session)
        for _ in 0..<4 { _ = try await tags.request(.list) }
        defer { session.close() }
        let report = session.report
        #expect(report.opened == 2)
        #expect(report.reused == 2)
    }

    @Test("A session sends a request without a target")
    func request() async throws {
        let address = try Served(["GET /now": Served.json(#"{"sky":"clear"}"#)]).address
        let request = HTTPRequest(url: "\(address)/now")
        let sky = Session.shared.rx.json(request: request).map { $0[member: "sky"]?.stringValue }
        #expect(try await sky.asSingle().value == "clear")
    }
}
