import Dispatch
import EventIO
import GatewayCore
import Glibc
import HTTPModel
import JSONBytes
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Code that blocks a loop", .timeLimit(.minutes(1)))
struct BlockedLoopTests {
    private struct Page: TargetType {
        let baseURL: String
        var path: RequestPath { "/page" }
    }

    /// Holds its thread for longer than the limit, as a C library may.
    @Sendable
    private static func block() { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.6) }

    @Test(
        "A warning names the endpoint whose code has blocked its loop, wherever that was",
        arguments: ["/sync", "/async", "/resumed", "/part", "/pipeline", "/lines"])
    func names(path: String) throws {
        let upstream = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"), .again,
        ])
        defer { upstream.stop() }
        let target = Page(baseURL: "http://127.0.0.1:\(upstream.port)")
        let errors = RawPipe()
        defer { close(errors.reader) }
        _ = try withLoggedGateway(
            errors: errors.writer, configure: { $0.logLevel = .warning },
            declare: { gateway in
                let pages = gateway.provider(Page.self, upstream: "page")
                gateway.get("/sync") { _ in
                    Self.block()
                    return .json(1)
                }
                gateway.get("/async") { _ in
                    Self.block()
                    await Task.yield()
                    return .json(1)
                }
                gateway.get("/resumed") { _ in
                    await Task.yield()
                    Self.block()
                    await Task.yield()
                    return .json(1)
                }
                gateway.get("/part") { _ in
                    .parts(
                        one: Part.task {
                            await Task.yield()
                            Self.block()
                            return 1
                        })
                }
                gateway.get("/pipeline") { _ in
                    .parts(
                        page: pages.rx.request(target).fragment().map { page in
                            Self.block()
                            return page
                        })
                }
                gateway.get("/lines") { _ in
                    .parts(
                        page: pages.rx.lines(target).map { line in
                            Self.block()
                            return line
                        }.asSingle())
                }
            },
            { server in
                let client = try RawClient(port: server.port)
                #expect(client.get(path)?.status == 200)
            })
        close(errors.writer)
        let lines = try errors.readAll().split(separator: "\n").map {
            try JSONFragment(validating: Array($0.utf8)[...])
        }.filter { $0[member: "by"]?.stringValue == "GET \(path)" }
        #expect(lines.count == 1)
        let line = try #require(lines.first)
        #expect(line[member: "level"]?.stringValue == "warning")
        #expect(line[member: "message"]?.stringValue == "loop blocked")
        #expect(line[member: "loop"]?.stringValue == "sluice-0")
        let time = try #require(line[member: "elapsedMs"]?.intValue)
        #expect(time >= 500)
        #expect(
            line[member: "what"]?.stringValue == BlockedLoopLog.description(time, by: "GET \(path)"))
    }

    @Test("A warning names a shared value whose closure has blocked its loop")
    func sharedValue() throws {
        let errors = RawPipe()
        defer { close(errors.reader) }
        _ = try withLoggedGateway(
            errors: errors.writer, configure: { $0.logLevel = .warning },
            declare: { gateway in
                let rates = gateway.shared("rates", for: .seconds(60)) { () async throws -> Int in
                    Self.block()
                    return 1
                }
                gateway.get("/rates") { _ async throws -> Answer in .json(try await rates.value) }
            },
            { server in
                let client = try RawClient(port: server.port)
                #expect(client.get("/rates")?.status == 200)
            })
        close(errors.writer)
        let lines = errors.readAll().split(separator: "\n").filter { $0.contains("loop blocked") }
        #expect(lines.count == 1)
        #expect(lines.allSatisfy { $0.contains(#","by":"the shared value rates","#) })
    }

    @Test("The warning says for how long and by what")
    func description() {
        #expect(
            BlockedLoopLog.description(1549, by: "GET /report") == "loop blocked for 1.5 s by GET /report")
        #expect(
            BlockedLoopLog.description(500, by: nil) == "loop blocked for 0.5 s by code outside of endpoints")
    }

    @Test("Each endpoint has a line a minute, which counts the blocks that had none")
    func schedule() {
        func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }
        var schedule = BlockSchedule()
        #expect(schedule.mayWrite("GET /a", at: at(0)) == 0)
        #expect(schedule.mayWrite("GET /b", at: at(1)) == 0)
        #expect(schedule.mayWrite("GET /a", at: at(59)) == nil)
        #expect(schedule.mayWrite("GET /a", at: at(59)) == nil)
        #expect(schedule.mayWrite("GET /a", at: at(60)) == 2)
        #expect(schedule.mayWrite("GET /a", at: at(61)) == nil)
        for number in 0..<2 * BlockSchedule.mostNames {
            #expect(schedule.mayWrite("GET /\(number)", at: at(62)) == 0)
        }
    }

    @Test("While blocking work waits, its loop answers others, and the deadline ends the wait")
    func blockingWork() throws {
        let (began, release) = (Signal(), DispatchSemaphore(value: 0))
        let work: @Sendable () -> Int = {
            began.fire()
            _ = release.wait(timeout: .now() + 30)
            return 7
        }
        _ = try withLoggedGateway(
            configure: { _ in },
            declare: { gateway in
                gateway.get("/report") { request in .json(try await request.blocking(work)) }
                gateway.get("/late", .deadline(.milliseconds(50))) { request in
                    let number = try await request.blocking(work)
                    return .json(number)
                }
                gateway.get("/quick") { _ in .json(1) }
            },
            { server in
                defer { for _ in 0..<2 { release.signal() } }
                let (waiting, other) = (try RawClient(port: server.port), try RawClient(port: server.port))
                waiting.send("GET /report HTTP/1.1\r\nHost: test\r\n\r\n")
                try began.waitBlocking()
                #expect(other.get("/quick")?.status == 200)
                #expect(other.get("/late")?.status == 504)
                release.signal()
                release.signal()
                #expect(try waiting.reply().status == 200)
            })
    }
}
