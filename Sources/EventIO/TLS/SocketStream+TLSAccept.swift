import Glibc

extension SocketStream {
    /// Encrypts everything that follows, as the server. Call it on an open stream before anything is written.
    /// `streamConnected` is called after the handshake. If that fails, the client gets an alert, the stream
    /// is closed, and `streamFailed` is called with the `TLSError`. The owner limits the time, and by
    /// `streamMayHandshake` the work.
    ///
    /// - Parameters:
    ///   - context: the certificates and the policy.
    ///   - received: bytes of the client that were already read and belong to TLS.
    public func acceptTLS(
        _ context: TLSServerContext,
        received: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
        precondition(tls == nil, "TLS can be started only once")
        guard state == .open else { return }
        do throws(TLSError) {
            let engine = try TLSEngine(context, stream: self)
            tls = engine
            state = .securing
            engine.keep(received)
            // No edge reports what is in the socket or was read already.
            runLater(.read)
        } catch {
            failLater(SocketError(error, .handshake))
        }
    }

    /// Takes the next step of a handshake that `streamMayHandshake` held.
    public func continueHandshake() {
        guard state == .securing, let tls else { return }
        tls.mayStep = true
        receive(seesEnd: hasPeerLeft)
    }

    /// Whether the input of a handshake may be used now. If not, it stays in the engine.
    func mayStep(_ tls: TLSEngine) -> Bool {
        guard tls.server != nil, !tls.mayStep, handler?.streamMayHandshake() == false else {
            tls.mayStep = false
            return true
        }
        tls.mayHaveUnread = true
        mayHaveMore = true
        return false
    }

    /// Whether the peer has sent bytes that the stream has not read. Costs a system call.
    package var hasUnreadBytes: Bool {
        guard isUp else { return false }
        var byte: UInt8 = 0
        while true {
            let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }

    /// Whether anything was written to the peer, also by TLS.
    package var hasSent: Bool { wireCount > 0 }

    /// The version of TLS; nil before the end of the handshake and without TLS.
    public var tlsVersion: TLSConfiguration.Version? { tls?.version }

    /// Whether the handshake resumed an earlier session.
    public var isResumed: Bool { tls?.isResumed ?? false }

    /// What the client's certificate says; nil without one. Parses the certificate, so call it once.
    public var clientCertificate: TLSClientCertificate? { tls?.clientCertificate }
}
