import NetworkingSession
import TestSupport

/// The protocol between a gateway under test and its upstreams. The same faults run over both.
enum UpstreamScheme: String, CaseIterable, Sendable, CustomStringConvertible {
    case http, https

    /// The TLS options of every sound upstream. They are shared, because generating a key takes time.
    static let server = TLSServer()

    /// The gateway's TLS configuration, which trusts the tests' own authority.
    static let configuration: TLSConfiguration = {
        var configuration = TLSConfiguration()
        configuration.trust = .authorities(.text(TestAuthority.shared.pem))
        return configuration
    }()

    var server: TLSServer? { self == .https ? Self.server : nil }
    var description: String { rawValue }
}
