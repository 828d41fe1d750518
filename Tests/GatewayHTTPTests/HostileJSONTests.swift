import Foundation
import GatewayCore
import GatewayTesting
import HTTPModel
import Locking
import Networking
import Rx
import Testing

/// Sends extreme numbers in a client's body and an upstream's response.
@Suite("Hostile JSON", .timeLimit(.minutes(1)))
struct HostileJSONTests {
    private struct Model: Codable, JSONRepresentable {
        var int: Int?
        var byte: UInt8?
        var wide: Int128?
        var unsigned: UInt64?
        var double: Double?
        var float: Float?
        var decimal: Decimal?
        var date: Date?
        var url: URL?
        var uuid: UUID?
        var data: Data?

        static let names = [
            "int", "byte", "wide", "unsigned", "double", "float", "decimal", "date", "url", "uuid", "data",
        ]
    }

    private static let numbers = [
        "1e-9223372036854775808", "0e-9223372036854775808", "1e9223372036854775807", "1e9223372036854775808",
        "1e99999999999999999999999", "-1e-99999999999999999999999", "1e2147483648", "1e-2147483648", "1e128",
        "1e-1000001", "340282366920938463463374607431768211456", "-9223372036854775809", "1e400", "1e-400",
    ]

    private static let bodies = Model.names.flatMap { name in numbers.map { "{\"\(name)\":\($0)}" } }

    @Test("A request body with an extreme exponent gets 200 or 400, and the gateway keeps serving")
    func requestBodies() async throws {
        try await withGateway(declare: { gateway in
            gateway.post("/model") { request in .json(try request.json(as: Model.self)) }
        }) { client in
            for body in Self.bodies {
                let status = try await client.post("/model", json: body).status
                #expect(status == .ok || status == .badRequest, "\(body)")
            }
            #expect(
                try await client.post("/model", json: #"{"int":1e-9223372036854775808}"#).status
                    == .badRequest)
            #expect(try await client.post("/model", json: #"{"int":0e-9223372036854775808}"#).status == .ok)
        }
    }

    @Test(
        "An upstream response with an extreme exponent gives 200 or 502, and the gateway keeps serving"
    )
    func upstreamAnswers() async throws {
        let body = Lock("{}")
        let parts = StubUpstream { _ in .json(body.withLock { $0 }) }
        try await withGateway(
            upstreams: ["parts": parts],
            declare: { gateway in
                let provider = gateway.provider(PartsAPI.self, upstream: "parts")
                gateway.get("/model") { _ in .parts(model: provider.rx.request(.first).map(Model.self)) }
            }
        ) { client in
            for hostile in Self.bodies {
                body.withLock { $0 = hostile }
                let status = try await client.get("/model").status
                #expect(status == .ok || status == .badGateway, "\(hostile)")
            }
            body.withLock { $0 = #"{"int":1e-9223372036854775808}"# }
            #expect(try await client.get("/model").status == .badGateway)
            body.withLock { $0 = #"{"int":7}"# }
            #expect(try await client.get("/model").status == .ok)
        }
    }
}
