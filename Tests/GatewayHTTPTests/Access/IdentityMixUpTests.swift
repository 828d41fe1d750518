import Dispatch
import Foundation
import GatewayConfig
import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import Locking
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

/// `make soak` runs longer.
@Suite("Identities of many callers", .timeLimit(.minutes(2)))
struct IdentityMixUpTests {
    private static let callers = 1000

    @Test(
        "No answer, no field to an upstream and no line of the log has the claim or the key of another caller"
    )
    func noMixUps() throws {
        let mixed = Lock<[String]>([])
        let file = try MixedCallers()
        let lines = try file.serve { port in
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                guard let client = try? RawClient(port: port) else {
                    return mixed.withLock { $0.append("no connection") }
                }
                for request in 0..<500 {
                    let caller = Int.random(in: 0..<Self.callers)
                    let target = "/who?caller=\(caller)&request=\(thread)-\(request)"
                    let reply = try? client.reply(to: target, file.field(of: caller))
                    // The upstream answers with the fields that it got.
                    let id = "user-\(caller)"
                    let expected = #"{"claim":"\#(id)","user":{"told":"\#(id)","path":"/users/\#(id)"}}"#
                    if reply?.data != expected {
                        mixed.withLock { $0.append("\(caller): \(reply.map { "\($0)" } ?? "no answer")") }
                    }
                }
                client.close()
            }
        }
        #expect(mixed.withLock { Array($0.prefix(5)) } == [])
        #expect(lines.count == 4000)
        for line in lines {
            // A caller with an odd number has a key, whose name is in the line.
            let number = line[member: "fields"]?[member: "X-Caller"]?.stringValue
            let caller = try #require(number.flatMap { Int($0) }, "\(line)")
            let key = line[member: "key"]?.stringValue
            let auth = line[member: "auth"]?.stringValue
            let isKnown =
                auth == (caller % 2 == 0 ? "mobile" : "partners")
                && key == (caller % 2 == 0 ? nil : "user-\(caller)")
                && line[member: "authResult"]?.stringValue == "ok"
            try #require(isKnown, "\(line)")
        }
    }

    /// Callers, of whom every other one has a token, and the others a key.
    private final class MixedCallers: Sendable {
        private let provider: IdentityProvider
        private let fields: [String]
        private let lines: [String]

        init() throws {
            let provider = try IdentityProvider()
            self.provider = provider
            var (fields, lines): ([String], [String]) = ([], [])
            for caller in 0..<IdentityMixUpTests.callers {
                let number = "X-Caller: \(caller)\r\n"
                if caller % 2 == 0 {
                    fields.append(try provider.field("user-\(caller)") + number)
                } else {
                    let key = try TestAPIKey("user-\(caller)")
                    lines.append(key.line)
                    fields.append("X-API-Key: \(key.key)\r\n" + number)
                }
            }
            self.fields = fields
            self.lines = lines
        }

        func field(of caller: Int) -> String { fields[caller] }

        /// Serves on four loops while `body` runs. Returns the lines of the access log.
        func serve(_ body: (Int) throws -> Void) throws -> [JSONFragment] {
            let upstream = try ScriptedUpstream([
                .answer { request in
                    let told = request.firstMatch(of: /X-User-Id: ([^\r]*)/)?.output.1 ?? ""
                    let path = request.split(separator: " ")[1]
                    return FileGateway.ok(#"{"told":"\#(told)","path":"\#(path)"}"#)
                }
            ])
            defer {
                upstream.stop()
                provider.stop()
            }
            let users = "http://127.0.0.1:\(upstream.port)"
            return try withLoggedGateway { configuration in
                configuration.loops = 4
                configuration.logFields = (try? LoggedFields(["X-Caller"])) ?? .none
                configuration.upstreams = [
                    "id": ["http://127.0.0.1:\(provider.port)"], "users": [users],
                ]
            } declare: { gateway in
                let send: KeyValuePairs<HTTPFieldName, String> = ["X-User-Id": "{claims.sub}"]
                gateway.auth("mobile", .jwt(IdentityProvider.settings), send: send)
                gateway.auth("partners", .apiKeys(APIKeySettings(lines: lines)), send: send)
                gateway.rateLimit("each", RateLimit(key: [.identity], rate: 100_000, per: .seconds(60)))
                let users = gateway.provider(UserAPI.self, upstream: "users")
                gateway.get("/who", .require("mobile", "partners"), .rateLimits("each")) { request in
                    let claim = try request.claim("sub", as: String.self)
                    return .parts(claim: claim, user: users.rx.request(UserAPI(id: claim)).fragment())
                }
            } _: { server throws in
                try body(server.port)
            }
        }
    }

    private struct UserAPI: TargetType {
        let id: String

        var baseURL: String { "http://127.0.0.1:1" }
        var path: RequestPath { "/users/\(id)" }
    }
}
