import EventIO
import TestSupport

extension TLSConfiguration.Identity {
    /// - Parameter chain: certificates behind the leaf.
    init(_ identity: TestIdentity, chain: [String] = [], password: String? = nil) {
        self.init(
            certificateChain: .text(([identity.certificate] + chain).joined()),
            privateKey: .text(identity.key), password: password)
    }
}

extension TLSServerContext {
    /// A context with these certificates.
    static func serving(
        _ identities: TestIdentity..., tickets: TicketKeys = .process,
        change: (inout TLSServerConfiguration) -> Void = { _ in }
    ) throws -> TLSServerContext {
        var configuration = TLSServerConfiguration(certificates: identities.map { .init($0) })
        change(&configuration)
        return try TLSServerContext(configuration, tickets: tickets)
    }
}

extension TLSClient {
    convenience init(_ change: (inout Options) -> Void) {
        var options = Options()
        change(&options)
        self.init(options)
    }
}

extension RawClient {
    /// Why the handshake fails; empty if it succeeds.
    func handshakeFailure(_ client: TLSClient) -> String {
        do {
            try startTLS(client)
            return ""
        } catch {
            return "\(error)"
        }
    }
}

/// Runs `body` with a stream that accepts TLS, and the client that is to connect by `startTLS`.
@discardableResult
func withSecured<Result>(
    _ context: TLSServerContext, loop: EventLoop, receiveBuffer: Int32? = nil,
    onEvent: (@Sendable (SocketStream, StreamEvent) -> Void)? = nil,
    _ body: (StreamDriver, RawClient) async throws -> Result
) async throws -> Result {
    let (listening, address) = RawSocket.listening()
    defer { listening.close() }
    let client = try RawClient(port: address.port ?? 0, receiveBuffer: receiveBuffer)
    let accepted = listening.accept()
    accepted.makeNonBlocking()
    let driven = try await StreamDriver.adopting(accepted.descriptor, loop: loop, onEvent: onEvent)
    try await driven.on { $0.acceptTLS(context) }
    let result = try await body(driven, client)
    try await loop.perform { driven.stream?.close() }
    return result
}
