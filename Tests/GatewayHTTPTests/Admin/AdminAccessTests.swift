import EventIO
import GatewayCore
import HTTPModel
import TestSupport
import Testing

@testable import GatewayHTTP

/// Who may use the admin listener.
@Suite("Access to the admin listener", .timeLimit(.minutes(1)))
struct AdminAccessTests {
    private static let token = "0123456789abcdef"

    private static func code(
        of address: String, token: String? = nil, isOpen: Bool = false, hosts: HostNames? = nil,
        _ fields: HTTPFields
    ) throws -> String? {
        let access = AdminAccess(
            to: try #require(AdminAddress(address)).socketAddress, token: token.flatMap { AdminToken($0) })
        let head = HTTPRequestHead(
            method: .get, target: try #require(RequestTarget("/status")), fields: fields)
        do throws(GatewayError) {
            try access.check(head, isOpen: isOpen, hosts: hosts)
            return nil
        } catch {
            return error.code.name
        }
    }

    @Test("Without a token, loopback and Unix addresses answer anyone, others only what is open")
    func withoutToken() throws {
        for address in ["127.0.0.1:1", "[::1]:1", "unix:/run/a.sock"] {
            #expect(try Self.code(of: address, [.host: "localhost"]) == nil)
        }
        for address in ["0.0.0.0:1", "[::]:1", "10.0.0.7:1"] {
            #expect(try Self.code(of: address, [.host: "a.example"]) == "FORBIDDEN")
            #expect(try Self.code(of: address, isOpen: true, [.host: "a.example"]) == nil)
        }
    }

    @Test("With a token, every address needs it, except for what is open")
    func withToken() throws {
        for address in ["127.0.0.1:1", "unix:/run/a.sock", "0.0.0.0:1"] {
            func code(_ authorization: String..., isOpen: Bool = false) throws -> String? {
                var fields: HTTPFields = [.host: "localhost"]
                for value in authorization { fields.append(.authorization, value) }
                return try Self.code(of: address, token: Self.token, isOpen: isOpen, fields)
            }
            #expect(try code() == "UNAUTHORIZED")
            #expect(try code(isOpen: true) == nil)
            for wrong in [
                "", "Bearer", "Bearer ", "Basic \(Self.token)", Self.token, "Bearer \(Self.token)0",
                "Bearer 0123456789abcde", "Bearer 0123456789abcdeF", "Bearer \(Self.token)\(Self.token)",
            ] {
                #expect(try code(wrong) == "UNAUTHORIZED", "\(wrong)")
            }
            #expect(try code("Bearer \(Self.token)", "Bearer \(Self.token)") == "UNAUTHORIZED")
            #expect(try code("Bearer \(Self.token)") == nil)
            #expect(try code("bearer  \(Self.token)") == nil)
        }
    }

    @Test("On loopback a request names an IP address, localhost or a host of the gateway: no rebinding")
    func hosts() throws {
        for host in ["localhost", "LOCALHOST:9901", "localhost.", "127.0.0.1:9901", "[::1]:9901", "10.0.0.7"]
        {
            #expect(try Self.code(of: "127.0.0.1:1", [.host: host]) == nil, "\(host)")
        }
        for host in ["evil.example", "localhost.evil.example", ""] {
            #expect(try Self.code(of: "127.0.0.1:1", isOpen: true, [.host: host]) == "MISDIRECTED", "\(host)")
        }
        let names = try HostNames(["app.example"])
        #expect(try Self.code(of: "127.0.0.1:1", hosts: names, [.host: "app.example"]) == nil)
        #expect(try Self.code(of: "127.0.0.1:1", hosts: names, [.host: "localhost"]) == nil)
        // A gateway that answers for any name has no name of its own.
        #expect(try Self.code(of: "127.0.0.1:1", hosts: .any, [.host: "evil.example"]) == "MISDIRECTED")
        // No web page can connect there by a name.
        #expect(try Self.code(of: "unix:/run/a.sock", [.host: "anything"]) == nil)
        #expect(try Self.code(of: "127.0.0.1:1", [:]) == nil)
    }

    @Test("A page of another origin or site is refused on every address, also where no token is needed")
    func origins() throws {
        for address in ["127.0.0.1:1", "unix:/run/a.sock", "0.0.0.0:1"] {
            func code(_ fields: HTTPFields) throws -> String? {
                var fields = fields
                fields.append(.host, "localhost:9901")
                return try Self.code(of: address, isOpen: true, fields)
            }
            for origin in [
                "null", "http://evil.example", "http://localhost:3000", "http://localhost",
                "http://localhost:9901.evil.example", "",
            ] {
                #expect(try code([.origin: origin]) == "FORBIDDEN", "\(origin)")
            }
            #expect(try code([.origin: "http://localhost:9901"]) == nil)
            #expect(try code([.origin: "https://LOCALHOST:9901"]) == nil)
            #expect(try code(["Sec-Fetch-Site": "cross-site"]) == "FORBIDDEN")
            #expect(try code(["Sec-Fetch-Site": "same-origin"]) == nil)
            #expect(try code(["Sec-Fetch-Site": "none"]) == nil)
        }
        // Without Host no origin is the gateway's own.
        #expect(try Self.code(of: "127.0.0.1:1", [.origin: "http://localhost"]) == "FORBIDDEN")
    }

    @Test("An address on all interfaces is closed to clients of the same machine, too")
    func allInterfaces() throws {
        try withAdminGateway(listen: ["0.0.0.0:0"]) { _, admin in
            let status = try admin.ask("GET /status")
            #expect(status.status == 403)
            #expect(try status.code() == "FORBIDDEN")
            #expect(try admin.post("/drain").status == 403)
            for path in ["/health/ready", "/metrics"] {
                #expect(try admin.ask("GET \(path)").status == 200)
            }
        }
        try withAdminGateway(listen: ["0.0.0.0:0"], token: Self.token) { _, admin in
            let status = try admin.ask("GET /status", "Authorization: Bearer \(Self.token)")
            #expect(status.status == 200)
        }
    }

    @Test("A refusal tells over HTTP how to go on, in the envelope, and is never cached")
    func refusals() throws {
        try withAdminGateway(token: Self.token) { _, admin in
            let missing = try admin.ask("GET /status")
            #expect(missing.status == 401)
            #expect(missing.value("WWW-Authenticate") == "Bearer")
            #expect(missing.value("Cache-Control") == "no-store")
            #expect(try missing.code() == "UNAUTHORIZED")
            #expect(try missing.json()[member: "meta"]?[member: "requestId"] != nil)
            let wrong = try admin.ask("GET /status", "Authorization: Bearer 0123456789abcdeg")
            #expect(wrong.value("WWW-Authenticate") == "Bearer error=\"invalid_token\"")
            // Whoever has no token does not learn which paths exist.
            #expect(try admin.ask("GET /nothing").status == 401)
            #expect(try admin.ask("GET /status", "Authorization: Bearer \(Self.token)").status == 200)
            #expect(try admin.ask("GET /health/ready").status == 200)
            #expect(try admin.ask("GET /health/ready", host: "evil.example").status == 421)
        }
    }
}
