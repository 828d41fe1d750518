import Foundation
import GatewayCore
import GatewayHTTP
import GatewayTesting
import HTTPModel
import Networking
import Rx
import TestSupport
import Testing

/// Compiles and runs the code of the article "A gateway from a file".
@Suite("The article on files, about Swift beside a file")
struct FileArticleTests {
    enum DiaryAPI: TargetType {
        case day(CalendarDate)

        var baseURL: String { "" }

        var path: RequestPath {
            switch self {
            case .day(let date): "/food-diary/weights/\(date)"
            }
        }
    }

    @Sendable
    static func declareChange(on gateway: Gateway) {
        let diary = gateway.provider(DiaryAPI.self, upstream: "diary")
        gateway.get("/change/{from}/{to}") { request in
            let from = try request.path("from", as: CalendarDate.self)
            let to = try request.path("to", as: CalendarDate.self)
            return .parts(
                from: diary.rx.request(.day(from)).fragment(),
                to: diary.rx.request(.day(to)).fragment())
        }
    }

    private static func run() -> Int32 {
        GatewayServer.run(file: "screen.yaml", declare: declareChange)
    }

    private static let file = """
        version: 1
        upstreams:
          diary: {url: "https://diary.internal/v1", timeouts: {total: 900ms}}
        endpoints:
        - get: /day/{date}
          parts: {day: {upstream: diary, get: "/food-diary/weights/{path.date}"}}

        """

    @Test("The test of the article passes in both worlds", arguments: GatewayWorld.allCases)
    func change(world: GatewayWorld) async throws {
        let folder = ScratchFolder()
        let path = folder.file("screen.yaml")
        try Self.file.write(toFile: path, atomically: true, encoding: .utf8)
        let declareChange = Self.declareChange

        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/food-diary/weights/2026-11-19").answer(json: ["am": 72.4])
        upstreams["diary"].on(.get, "/food-diary/weights/2026-11-20").answer(.hangs)

        try await withGateway(world, file: path, upstreams: upstreams, declare: declareChange) { client in
            let day = try await client.get("/day/2026-11-19")
            #expect(day.status == .ok)
            // The time limit is the file's.
            let change = try await client.get("/change/2026-11-19/2026-11-20")
            #expect(change.status == .gatewayTimeout)
        }
    }

    @Test("A path in both is an error with the file's place")
    func pathInBoth() async throws {
        let folder = ScratchFolder()
        let path = folder.file("sluice.yaml")
        try "version: 1\nendpoints:\n- get: /a/{x}\n  parts: {is: {value: 1}}\n"
            .write(toFile: path, atomically: true, encoding: .utf8)
        let expected = """
            sluice.yaml:3:3: error: GET /a/{x} is declared in Swift, too
            """
        await #expect {
            try await withGateway(.virtualTime, file: path) { gateway in
                gateway.get("/a/{y}") { _ in Answer.json(1) }
            } _: { _ in
            }
        } throws: { error in
            "\(error)".hasSuffix(expected)
        }
    }

    @Test("A program without its file ends with 1 and the reason")
    func program() async {
        let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            exit(Self.run())
        }
        let errors = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
        #expect(errors == "screen.yaml:1:1: error: the file cannot be read: no such file\n")
    }
}
