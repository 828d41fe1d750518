import GatewayCore
import GatewayHTTP
import GatewayTesting
import HTTPModel
import Locking
import Networking
import NetworkingSession
import Testing

/// Compiles and runs the code of the article.
@Suite("Types of a gateway by example")
struct TypesByExampleTests {
    func behindBalancer(_ configuration: inout GatewayServerConfiguration) throws {
        let balancer: IPNetwork? = IPNetwork("10.1.0.0/16")
        configuration.clients = ClientSettings()
        configuration.clients.trusted = try TrustedProxies(balancer.map { [$0.description] } ?? [])
        configuration.clients.requestID = RequestIDSource.trusted
        configuration.clients.scheme = URLScheme.https
        configuration.hosts = try HostNames(["shop.example"])
        configuration.admin = AdminSettings()
        configuration.admin.listen = [AdminAddress.loopback(port: 9902)]
    }

    func isTrusted(_ client: String, by proxies: TrustedProxies) -> Bool {
        IPAddress(client).map { proxies.contains($0) } ?? false
    }

    func withPage(_ configuration: inout GatewayServerConfiguration, _ html: String) {
        let page = BuiltInFile(path: "index.html", bytes: Array(html.utf8))
        configuration.files = .builtIn([page], modified: 1_764_000_000)
    }

    func isOld(_ request: GatewayRequest) -> Bool { request.head.version == HTTPVersion.http10 }

    @Test("A program behind a proxy trusts its network")
    func proxies() throws {
        var configuration = GatewayServerConfiguration()
        try behindBalancer(&configuration)
        #expect(configuration.clients.trusted.description == "10.1.0.0/16")
        #expect(configuration.clients.requestID == .trusted)
        #expect(configuration.clients.scheme == .https)
        #expect(isTrusted("10.1.2.3", by: configuration.clients.trusted))
        #expect(!isTrusted("10.2.2.3", by: configuration.clients.trusted))
    }

    func overTLS(_ configuration: inout GatewayServerConfiguration, _ folder: String) {
        var tls = TLSServerConfiguration(certificates: [
            .init(certificateChain: .file("\(folder)/app.pem"), privateKey: .file("\(folder)/app.key"))
        ])
        tls.clients = TLSServerConfiguration.Clients(
            authorities: .file("\(folder)/partners.pem"), names: ["*.partner.example"], isRequired: false)
        configuration.tls = tls
        configuration.strictTransportSecurity = StrictTransportSecurity(maxAge: .seconds(3600))
        configuration.redirect = RedirectSettings(port: 80)
    }

    func partners(_ names: [String]) -> AuthMethod {
        .clientCertificate(ClientCertificateSettings(names: names))
    }

    func fingerprint(_ request: GatewayRequest) -> String? {
        request.clientCertificate.map { (certificate: ClientCertificate) in certificate.sha256 }
    }

    @Test("A gateway that speaks TLS has certificates, a redirect, and clients with certificates")
    func certificates() async throws {
        var configuration = GatewayServerConfiguration()
        overTLS(&configuration, "/etc/tls")
        #expect(configuration.tls?.certificates.count == 1)
        #expect(configuration.tls?.clients?.isRequired == false)
        #expect(configuration.redirect?.port == 80)
        #expect(configuration.strictTransportSecurity?.includesSubdomains == false)
        #expect(partners(["a.example"]) == .clientCertificate(names: ["a.example"]))
        try await withGateway(declare: { gateway in
            gateway.get("/x") { request in .json(fingerprint(request) ?? "none") }
        }) { client in
            let response = try await client.get("/x")
            #expect(try response.json[member: "data"]?.stringValue == "none")
        }
    }

    func addressesOutOfService(in reports: [String: UpstreamReport]) -> [String] {
        reports.flatMap { upstream, report in
            report.addresses.filter { $0.value != AddressState.inService }.map { "\(upstream): \($0.key)" }
        }.sorted()
    }

    func busyConnections(_ report: GatewayReport) -> Int {
        let calls: PoolReport = report.calls
        let shed: ShedCounts = report.shed
        return calls.leased + shed.refused
    }

    func forgottenUpstreams(_ before: UpstreamTables, _ after: UpstreamTables) -> Int {
        max(0, before.upstreams - after.upstreams)
    }

    func failedReloads(_ report: GatewayReport) -> Int {
        let configuration: ConfigurationReport? = report.configuration
        return configuration?.failedReloads ?? 0
    }

    @Test("A server that has just started has no address out of service and no failed reload")
    func reports() throws {
        let server = try GatewayServer.start(Self.configuration) { gateway in
            gateway.get("/version") { _ in 1 }
        }
        #expect(addressesOutOfService(in: server.report.upstreams).isEmpty)
        #expect(failedReloads(server.report) == 0)
        #expect(busyConnections(server.report) == 0)
        #expect(forgottenUpstreams(server.report.tables, server.report.tables) == 0)
        #expect(reload(server) == "reloaded")
        server.drain()
        server.waitUntilStopped()
    }

    /// One loop at a free port, without an admin listener, which stops at once.
    private static var configuration: GatewayServerConfiguration {
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.loops = 1
        configuration.admin.listen = []
        configuration.drainDelay = .zero
        return configuration
    }

    func failedAttempts(_ request: FinishedRequest) -> [String] {
        let calls = (request.summary?.parts ?? []).flatMap(\.calls)
        return calls.flatMap { call in
            call.tries.compactMap { (attempt: UpstreamTrySummary) in
                attempt.reason.map { "\(call.upstream): \($0)" }
            }
        }
    }

    @Test("The observer gets the attempts of a call that was retried")
    func attempts() async throws {
        let upstreams = StubUpstreams()
        upstreams["catalog"].onAny.answers(.status(.serviceUnavailable), .json("1"))
        let seen = Lock<[String]>([])
        var configuration = GatewayServerConfiguration()
        configuration.observer = { request in
            let attempts = failedAttempts(request)
            seen.withLock { $0 += attempts }
        }
        try await withGateway(
            .sockets, upstreams: upstreams, configuration: configuration,
            declare: { gateway in
                let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")
                gateway.get("/total") { _ in .parts(total: catalog.rx.request(.total).fragment()) }
            }
        ) { client in
            let response = try await client.get("/total")
            #expect(response.status == .ok)
        }
        #expect(seen.withLock { $0 } == ["catalog: upstream_status"])
    }

    func start(_ configuration: GatewayServerConfiguration) -> String {
        do {
            let server = try GatewayServer.start(configuration) { gateway in
                gateway.get("/version") { _ in 1 }
            }
            server.drain()
            server.waitUntilStopped()
            return "started on port \(server.port)"
        } catch let error as GatewayDeclarationError {
            return error.faults.joined(separator: "\n")
        } catch let error as GatewayStartError {
            return "cannot start: \(error)"
        } catch {
            return "\(error)"
        }
    }

    @Test("A gateway that cannot listen throws why, and others start")
    func starts() {
        var configuration = Self.configuration
        #expect(start(configuration).hasPrefix("started on port "))
        configuration.host = "not an address"
        #expect(
            start(configuration) == "cannot start: 'not an address' is not a numeric address to listen on")
    }

    func reload(_ server: GatewayServer) -> String {
        do {
            try server.reload()
            return "reloaded"
        } catch let error as GatewayReloadError {
            return error.problems.joined(separator: "\n")
        } catch {
            return "\(error)"
        }
    }

    func meaning(of error: any Error) -> String {
        switch error {
        case let broken as BrokenStream: "\(broken.received) bytes arrived, then \(broken.reason)"
        case let calls as UnmatchedCalls: "\(calls.count) calls matched no stub"
        case let leak as GatewayLeak: "the gateway did not end: \(leak)"
        case let stalled as VirtualTimeStalled: "another clock decides: \(stalled)"
        default: "\(error)"
        }
    }

    @Test("Errors of tests have a meaning")
    func errors() async throws {
        let error = await #expect(throws: BrokenStream.self) {
            try await withGateway(
                .virtualTime,
                declare: { gateway in
                    gateway.get("/cut") { _ in
                        .stream(
                            AsyncThrowingStream<[UInt8], any Error> { pieces in
                                pieces.yield(Array("ab".utf8))
                                pieces.finish(throwing: GatewayError.conflict("cut"))
                            }, contentType: "text/plain")
                    }
                }
            ) { client in
                let stream = try await client.stream(.get, "/cut")
                for try await _ in stream.pieces {}
            }
        }
        let broken = try #require(error)
        #expect(meaning(of: broken) == "2 bytes arrived, then http_response_incomplete")
    }

    private enum CatalogAPI: TargetType {
        case total

        var baseURL: String { "http://catalog.test" }
        var path: RequestPath { "/total" }
    }
}
