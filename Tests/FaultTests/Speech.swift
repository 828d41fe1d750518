import NetworkingSession
import TestSupport

/// By what a gateway under test and its upstreams speak: the same faults are met by both.
enum Speech: String, CaseIterable, Sendable, CustomStringConvertible {
    case http, https

    /// What every sound upstream speaks TLS by: one for all, since its key takes time to make.
    static let server = TLSServer()

    /// What the gateway asks of it: that the tests' own authority has signed for it.
    static let configuration: TLSConfiguration = {
        var configuration = TLSConfiguration()
        configuration.trust = .authorities(.text(TestAuthority.shared.pem))
        return configuration
    }()

    var server: TLSServer? { self == .https ? Self.server : nil }
    var description: String { rawValue }
}
