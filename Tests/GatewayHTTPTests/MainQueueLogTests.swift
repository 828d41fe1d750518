import Dispatch
import GatewayCore
import Glibc
import JSONBytes
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The log of the main queue", .timeLimit(.minutes(1)))
struct MainQueueLogTests {
    @MainActor private static func onMainActor() -> Int { 1 }

    @Test("A warning names each endpoint that uses the main queue, once")
    func names() throws {
        let errors = RawPipe()
        defer { close(errors.reader) }
        _ = try withLoggedGateway(
            errors: errors.writer, configure: { $0.logLevel = .warning },
            declare: { gateway in
                gateway.get("/observed") { _ in
                    .parts(one: Single.just(1).observe(on: MainScheduler.instance))
                }
                gateway.get("/delayed") { _ in
                    .parts(one: Single.just(1).delay(.milliseconds(1), scheduler: MainScheduler.instance))
                }
                gateway.get("/queue") { _ in
                    let queue = SerialDispatchQueueScheduler(queue: .main, internalSerialQueueName: "queue")
                    return .parts(one: Single.just(1).observe(on: queue))
                }
                gateway.get("/actor") { _ async throws -> Answer in .json(await Self.onMainActor()) }
                gateway.get("/other") { _ in
                    .parts(one: Single.just(1).observe(on: SerialDispatchQueueScheduler(qos: .default)))
                }
                gateway.get("/task") { _ async throws -> Answer in
                    await Task.yield()
                    return .json(1)
                }
            },
            { server in
                let client = try RawClient(port: server.port)
                for path in ["/observed", "/delayed", "/queue", "/actor", "/other", "/task"] {
                    for _ in 0..<2 { #expect(client.get(path)?.status == 200, "\(path)") }
                }
            })
        close(errors.writer)
        let lines = try errors.readAll().split(separator: "\n").map {
            try JSONFragment(validating: Array($0.utf8)[...])
        }.filter { $0[member: "message"]?.stringValue == "main queue used" }
        let names = lines.compactMap { $0[member: "by"]?.stringValue }
        #expect(names.sorted() == ["GET /actor", "GET /delayed", "GET /observed", "GET /queue"])
        #expect(lines.allSatisfy { $0[member: "level"]?.stringValue == "warning" })
        // The main thread of the tests does not wait for the gateway.
        #expect(
            lines.first?[member: "what"]?.stringValue
                == names.first.map { MainQueueLog.description(of: $0, isServed: false) })
    }

    @Test("The warning says whether the gateway serves the main queue")
    func description() {
        #expect(
            MainQueueLog.description(of: "GET /a", isServed: true)
                == "GET /a changes to the main thread and back, and all loops share that thread")
        #expect(
            MainQueueLog.description(of: "GET /a", isServed: false)
                == "GET /a waits for the main queue, which the gateway does not serve: the program has to")
    }
}
