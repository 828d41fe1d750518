import Foundation
import GatewayCore
import Glibc
import HTTPOutbound
import TestSupport
import Testing

@testable import EventIO
@testable import GatewayConfig
@testable import GatewayHTTP

@Suite("The addresses of the admin listener", .timeLimit(.minutes(1)))
struct AdminAddressTests {
    private func isReady(_ path: String) -> String? {
        guard let origin = Origin(unixSocket: path) else { return "no origin" }
        return HealthProbe.check(origin)
    }

    private func start(_ configuration: GatewayServerConfiguration) throws -> GatewayServer {
        try GatewayServer.start(configuration) { $0.get("/quick") { _ in .json(1) } }
    }

    private func mode(_ path: String) -> mode_t {
        var status = Glibc.stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test("A Unix address is for its owner and group, replaces a stale socket, and is gone after the end")
    func unix() throws {
        let folder = ScratchFolder()
        let path = folder.file("admin.sock")
        // A process that was killed leaves its socket behind.
        let stale = try Descriptor.socket(AF_UNIX)
        let address = try SocketAddress(unixPath: path)
        #expect(address.withUnsafeSockaddr { bind(stale, $0, $1) } == 0)
        close(stale)
        try withAdminGateway(listen: ["unix:\(path)"]) { server, _ in
            #expect(mode(path) == 0o660)
            #expect(isReady(path) == nil)
        }
        #expect(mode(path) == 0)
    }

    @Test("A file of another kind at a Unix address stays, and ends the start")
    func otherFile() throws {
        let folder = ScratchFolder()
        let path = folder.file("admin.sock")
        try "text".write(toFile: path, atomically: true, encoding: .utf8)
        let error = try #require(throws: GatewayStartError.self) {
            try start(try adminConfiguration(["unix:\(path)"]))
        }
        #expect(error.description == "--admin unix:\(path) is taken: another program listens there")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "text")
    }

    @Test("A named address that is taken ends the start, and the default one only warns")
    func taken() throws {
        let other = try Listener(bind: .loopback())
        let configuration = try adminConfiguration(["\(other.address)"]) {
            $0.occupantTimeout = .milliseconds(20)
        }
        let error = try #require(throws: GatewayStartError.self) { try start(configuration) }
        #expect(error.description == "--admin \(other.address) is taken: another program listens there")
        let pipe = RawPipe()
        let change = { (configuration: inout GatewayServerConfiguration) in
            configuration.admin.listen = nil
            configuration.admin.fallback = [AdminAddress(other.address)]
            configuration.occupantTimeout = .milliseconds(20)
            configuration.logLevel = .warning
        }
        try withAdminGateway(configure: change, errors: pipe.writer) { server, _ in
            #expect(RawClient.answers(server.port))
            #expect(server.admin?.addresses.isEmpty == true)
        }
        close(pipe.writer)
        let log = pipe.readAll()
        close(pipe.reader)
        #expect(
            log.contains(
                #""level":"warning","message":"no admin listener","what":"--admin \#(other.address) is taken"#
            ))
    }

    @Test("Each address that is bound is in the log with its port")
    func announced() throws {
        let folder = ScratchFolder()
        let pipe = RawPipe()
        var bound: [SocketAddress] = []
        try withAdminGateway(
            listen: ["127.0.0.1:0", "unix:\(folder.file("admin.sock"))"], configure: { $0.logLevel = .info },
            errors: pipe.writer
        ) { server, _ in
            bound = try #require(server.admin).addresses
        }
        close(pipe.writer)
        let lines = pipe.readAll().split(separator: "\n").filter { $0.contains("admin listening") }
        close(pipe.reader)
        try #require(lines.count == 2 && bound.count == 2)
        for (line, address) in zip(lines, bound) {
            #expect(line.hasSuffix(#","level":"info","message":"admin listening","address":"\#(address)"}"#))
        }
        #expect(bound[0].port ?? 0 > 0)
    }

    @Test("A successor takes over the address of a draining gateway once that has ended")
    func takeover() throws {
        let folder = ScratchFolder()
        for address in ["127.0.0.1:0", "unix:\(folder.file("admin.sock"))"] {
            let held = Signal()
            var configuration = try adminConfiguration([address])
            configuration.limits.deadline = .seconds(60)
            let old = try GatewayServer.start(configuration) { gateway in
                gateway.get("/held") { _ in
                    try await held.wait()
                    return .json(1)
                }
            }
            let bound = try #require(old.admin?.addresses.first)
            configuration.admin.listen = [AdminAddress(bound)]
            #expect(throws: GatewayStartError.self) { try start(configuration) }
            let client = try RawClient(port: old.port)
            client.send("GET /held HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try spin(while: old.report.requests == 0) { "the request has not begun" }
            old.drain()
            let new = try start(configuration)
            #expect(new.admin?.addresses == [])
            held.fire()
            #expect(client.receive()?.status == 200)
            client.close()
            old.waitUntilStopped()
            try spin(while: new.admin?.addresses != [bound]) { "\(new.admin?.addresses ?? [])" }
            let origin = try #require(HealthProbe.origin(of: bound))
            #expect(HealthProbe.check(origin) == nil)
            new.stop()
            new.waitUntilStopped()
        }
    }

    @Test("A list of addresses refuses invalid ones, off with others, and repetitions")
    func lists() throws {
        #expect(try AdminAddress.list(["off"]).isEmpty)
        let texts = ["127.0.0.1:9901", "[::1]:9901", "0.0.0.0:0", "unix:/run/admin.sock"]
        #expect(try AdminAddress.list(texts).map(\.description) == texts)
        #expect(try AdminAddress.list(["localhost:1"]).map(\.description) == ["127.0.0.1:1"])
        for wrong in [
            "", "9901", ":9901", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:70000", "127.0.0.1:+1",
            "::1:9901", "example.com:80", "unix:", "unix:run/admin.sock", "http://127.0.0.1:1",
            "unix:/" + String(repeating: "a", count: 107),
        ] {
            #expect(throws: AdminAddress.Fault.self, "\(wrong)") { try AdminAddress.list([wrong]) }
        }
        #expect(throws: AdminAddress.Fault.self) { try AdminAddress.list(["off", "127.0.0.1:1"]) }
        #expect(throws: AdminAddress.Fault.self) { try AdminAddress.list(["127.0.0.1:1", "localhost:1"]) }
        #expect(throws: AdminAddress.Fault.self) { try AdminAddress.list((1...9).map { "127.0.0.1:\($0)" }) }
    }

    @Test("A token has 16 to 256 visible ASCII characters, and is not printed")
    func tokens() throws {
        for wrong in [
            "", "0123456789abcde", "0123456789 abcdef", "0123456789abcdef\n", "0123456789abcdé\u{7f}",
            String(repeating: "a", count: 257),
        ] {
            #expect(AdminToken(wrong) == nil, "\(wrong)")
        }
        let token = try #require(AdminToken("0123456789abcdef"))
        #expect("\(token)" == "***")
        #expect(AdminToken(String(repeating: "a", count: 256)) != nil)
    }
}

extension RawClient {
    /// Whether a gateway answers there.
    fileprivate static func answers(_ port: Int) -> Bool {
        (try? RawClient(port: port))?.get("/quick")?.status == 200
    }
}
