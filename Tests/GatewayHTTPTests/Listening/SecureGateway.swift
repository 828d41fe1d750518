import EventIO
import Foundation
import GatewayCore
import HTTPModel
import HTTPOutbound
import TestSupport
import Testing

@testable import GatewayHTTP

/// A folder with the certificates of a gateway that speaks TLS.
final class CertificateFolder: Sendable {
    private let scratch = ScratchFolder()

    init(_ identity: TestIdentity = TestAuthority.shared.issue()) throws { try write(identity) }

    func path(_ name: String) -> String { scratch.file(name) }

    /// Writes a certificate and its key as other files of the same name, at once.
    ///
    /// - Parameter issuer: the certificate behind it; nil for none.
    func write(_ identity: TestIdentity, as name: String = "app", issuer: TestAuthority? = .shared) throws {
        try write(identity.certificate + (issuer?.pem ?? ""), to: "\(name).pem")
        try write(identity.key, to: "\(name).key")
        // A key that everybody may read causes a warning.
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path("\(name).key"))
    }

    func write(_ text: String, to name: String) throws {
        try text.write(toFile: path(name), atomically: true, encoding: .utf8)
    }

    func identity(_ name: String = "app") -> TLSConfiguration.Identity {
        .init(certificateChain: .file(path("\(name).pem")), privateKey: .file(path("\(name).key")))
    }

    var settings: TLSServerConfiguration { TLSServerConfiguration(certificates: [identity()]) }

    /// What a file says of the certificate: `cert: ..., key: ...`.
    var members: String { "cert: \(path("app.pem")), key: \(path("app.key"))" }

    /// Serves TLS on one loop and a free port while `body` runs, then drains. Returns the lines of the access
    /// log.
    func serve(
        errors: Int32 = 2, configure: (inout GatewayServerConfiguration) -> Void = { _ in },
        declare: (Gateway) throws -> Void = { $0.get("/x") { _ in .json(1) } },
        _ body: (GatewayServer) throws -> Void
    ) throws -> [String] {
        try withLoggedGateway(
            errors: errors,
            configure: {
                $0.tls = settings
                configure(&$0)
            }, declare: declare, body
        ).map(\.description)
    }
}

/// A client of a gateway that speaks TLS.
struct SecureClient {
    var configuration: TLSConfiguration = {
        var configuration = TLSConfiguration()
        configuration.trust = .authorities(.text(TestAuthority.shared.pem))
        return configuration
    }()

    init(as identity: TestIdentity? = nil) {
        configuration.identity = identity.map {
            .init(certificateChain: .text($0.certificate), privateKey: .text($0.key))
        }
    }

    func get(_ target: String, at port: Int, _ fields: HTTPFields = [:]) throws -> OutboundResponse {
        let origin = try #require(
            Origin(scheme: .https, host: "127.0.0.1", port: UInt16(port), tls: TLSContext(configuration)))
        return try HealthProbe.ask(
            origin, OutboundRequest(target: target, fields: fields), within: .seconds(20)
        ).get()
    }
}

extension OutboundResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}
