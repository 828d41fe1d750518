import COpenSSL
import Glibc
import Timers

/// The TLS state of one connection. It does no I/O: the stream feeds it bytes and reads the result, and it
/// writes through the stream, which owns it. Used and freed on the stream's loop.
final class TLSEngine {
    enum Handshake {
        case needsMore
        case done
        case failed(TLSError)
    }

    /// What follows the bytes that were read.
    enum Reading {
        /// The room is full; there may be more.
        case full
        /// Everything fed has been read.
        case needsMore
        /// There is more, but the loop's turn has taken long enough, or the peer has sent many messages
        /// without content.
        case turnIsOver
        /// The peer sent close_notify.
        case ended
        case failed(TLSError)
    }

    /// The largest plaintext of a record (RFC 8446, section 5.1).
    static let recordLimit = 16 << 10
    /// The most bytes of responses to the peer's TLS messages, such as key updates, that may wait for the
    /// socket. A peer that provokes more and reads none is disconnected.
    private static let unsolicitedOutputLimit = 64 << 10
    /// Bytes without content, such as session tickets, that may arrive in a row. More would keep the loop
    /// busy.
    static let emptyLimit = 256 << 10
    /// The same for what a client sends, which gets no tickets: a key update takes 27 bytes and 20 us.
    static let emptyLimitOfClients = 64 << 10
    /// How often OpenSSL takes input, twice a record, before `read` looks at the clock: a tiny record may
    /// cost as much as a large one.
    private static let takesPerLook = 32
    /// The same without content, which ends the turn: a key update that asks for one takes 50 us.
    private static let emptyTakesOfTurn = 8

    /// Which side of the connection this is.
    enum Role {
        /// - Parameters:
        ///   - sessionKey: identifies the server in the session cache.
        ///   - serverName: the name or address that the server must prove.
        case client(TLSContext, sessionKey: String, serverName: String)
        case server(TLSServerContext)
    }

    let role: Role
    /// The context of a server's side.
    var server: TLSServerContext? {
        if case .server(let context) = role { context } else { nil }
    }
    /// Written and not encrypted yet.
    var waiting = WriteQueue()
    /// Bytes that were taken from `waiting`.
    var takenOfWaiting: Int64 = 0
    /// Where the plaintext is in the stream's output.
    var marks = PlaintextMarks()
    /// Whether the next step of a server's handshake may be taken.
    var mayStep = false
    /// Whether fed bytes may be left unread.
    var mayHaveUnread = false
    /// Judges what a client sends in its handshake; nil on a client's side and after the handshake.
    private var helloSize: ClientHelloSize?
    /// Bytes fed since the last content.
    private var emptyCount = 0

    /// Created in `init`, freed with its BIO in `deinit`.
    private let ssl: OpaquePointer
    private unowned let stream: SocketStream
    var deadline = MonotonicTime.distantFuture
    private var timer: TimerToken?
    private var isHandshakeDone = false
    /// The protocol that the server selected by ALPN.
    private(set) var applicationProtocol: String?

    /// Fed bytes in the loop's buffer, until `keepRest`.
    private var fed = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Copies of bytes fed earlier, which are read first.
    private var kept: [UInt8] = []
    private var keptRead = 0
    private var isReading = false
    /// How often OpenSSL has taken input since `read` looked at the clock, and since content.
    private var (takes, emptyTakes) = (0, 0)
    /// Whether `read` gives OpenSSL no more input, since the turn is over.
    private var isHeld = false
    private var isWriting = false
    /// Forbids further calls of OpenSSL, even for close_notify.
    private var isBroken = false
    /// The subject of the certificate that made the verification fail. Set while OpenSSL verifies.
    var refusedSubject: String?
    private var hasSentCloseNotify = false

    /// A client's side.
    convenience init(
        _ context: TLSContext, host: String, sessionKey: String, stream: SocketStream
    ) throws(TLSError) {
        let name = context.configuration.serverName ?? host
        try self.init(
            .client(context, sessionKey: sessionKey, serverName: name), context.handle, stream: stream)
        guard TLSServerName.expect(name, on: ssl) else {
            throw TLSError(.configuration, "'\(name)' is not a server name")
        }
        SSL_set_connect_state(ssl)
        guard let session = context.sessions.take(for: sessionKey) else { return }
        SSL_set_session(ssl, session)
        SSL_SESSION_free(session)
    }

    /// A server's side.
    convenience init(_ context: TLSServerContext, stream: SocketStream) throws(TLSError) {
        try self.init(.server(context), context.handle, stream: stream)
        SSL_set_accept_state(ssl)
        helloSize = ClientHelloSize()
    }

    private init(_ role: Role, _ context: OpaquePointer, stream: SocketStream) throws(TLSError) {
        self.role = role
        self.stream = stream
        ERR_clear_error()
        guard let ssl = SSL_new(context) else {
            throw TLSError(.protocolError, TLSError.openSSLReason)
        }
        self.ssl = ssl
        guard TLSStreamBIO.attach(self, to: ssl),
            SSL_set_ex_data(ssl, Self.slot, Unmanaged.passUnretained(self).toOpaque()) == 1
        else { throw TLSError(.protocolError, TLSError.openSSLReason) }
    }

    deinit {
        SSL_free(ssl)
    }

    /// The ex_data slot that refers to the engine, unretained: the engine owns the SSL.
    private static let slot: Int32 = 0

    static func of(_ ssl: OpaquePointer) -> TLSEngine? {
        SSL_get_ex_data(ssl, slot).map { Unmanaged<TLSEngine>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: Handshake

    /// Starts the deadline of the handshake.
    func begin() {
        timer = stream.loop.setTimer(at: deadline, target: self)
    }

    func stopWaiting() {
        if let timer { stream.loop.cancelTimer(timer) }
        timer = nil
    }

    func handshake() -> Handshake {
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        guard result != 1 else {
            stopWaiting()
            isHandshakeDone = true
            helloSize = nil
            applicationProtocol = selectedProtocol
            if let failure = refusedProtocol { return .failed(failure) }
            return .done
        }
        let code = SSL_get_error(ssl, result)
        if helloSize?.isTooLarge == true {
            isBroken = true
            return .failed(
                TLSError(
                    .protocolError, "the ClientHello is larger than \(ClientHelloSize.largest >> 10) KiB"))
        }
        return code == SSL_ERROR_WANT_READ ? .needsMore : .failed(failure(code))
    }

    private var selectedProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        return name.map {
            String(decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self)
        }
    }

    /// Nil before the end of the handshake.
    var version: TLSConfiguration.Version? {
        isHandshakeDone ? TLSConfiguration.Version(code: UInt16(truncatingIfNeeded: SSL_version(ssl))) : nil
    }

    /// Whether the handshake resumed an earlier session.
    var isResumed: Bool { isHandshakeDone && SSL_session_reused(ssl) == 1 }

    /// What the client's certificate says; nil without one. Parses it.
    var clientCertificate: TLSClientCertificate? {
        guard isHandshakeDone, case .server = role else { return nil }
        return SSL_get0_peer_certificate(ssl).map { TLSClientCertificate($0) }
    }

    /// OpenSSL accepts a protocol that was not offered, which RFC 7301, section 3.1, forbids.
    private var refusedProtocol: TLSError? {
        guard case .client(let context, _, _) = role, let chosen = applicationProtocol,
            !context.configuration.applicationProtocols.contains(chosen)
        else { return nil }
        return TLSError(.protocolError, "the server chose the protocol \(chosen), which was not offered")
    }

    // MARK: Reading

    var hasInput: Bool { !fed.isEmpty || keptRead < kept.count }

    /// Provides input. The bytes must stay valid until `keepRest`.
    func feed(_ bytes: UnsafeRawBufferPointer) {
        fed = bytes
        emptyCount &+= bytes.count
    }

    var emptyMessagesError: TLSError? {
        guard emptyCount > (server == nil ? Self.emptyLimit : Self.emptyLimitOfClients) else { return nil }
        return TLSError(.protocolError, "the peer sends TLS messages without content")
    }

    func keep(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        kept.removeFirst(keptRead)
        keptRead = 0
        kept.append(contentsOf: bytes)
        mayHaveUnread = true
    }

    /// Copies unread input, since the loop's buffer is reused after this.
    func keepRest() {
        let rest = fed
        fed = UnsafeRawBufferPointer(start: nil, count: 0)
        keep(rest)
    }

    /// Reads until `room` is full, the input is used up, or the turn is over: a read of the socket may hold
    /// thousands of records.
    func read(into room: UnsafeMutableRawBufferPointer) -> (count: Int, then: Reading) {
        (takes, emptyTakes, isReading) = (0, 0, true)
        defer { (isReading, isHeld) = (false, false) }
        var count = 0
        while count < room.count {
            ERR_clear_error()
            var read = 0
            let result = SSL_read_ex(ssl, room.baseAddress.map { $0 + count }, room.count - count, &read)
            guard result != 1 else {
                count += read
                emptyCount = 0
                emptyTakes = 0
                continue
            }
            switch SSL_get_error(ssl, result) {
            case SSL_ERROR_WANT_READ: return (count, isHeld ? .turnIsOver : .needsMore)
            case SSL_ERROR_ZERO_RETURN: return (count, .ended)
            case let code: return (count, .failed(failure(code)))
            }
        }
        return (count, .full)
    }

    /// Whether the input holds neither a byte of content nor an end.
    var isSilent: Bool {
        ERR_clear_error()
        var byte: UInt8 = 0
        var read = 0
        let result = SSL_peek_ex(ssl, &byte, 1, &read)
        return result != 1 && SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ
    }

    /// Called by OpenSSL: copies input to `room`. Returns 0 when none is left, none may be read, or the turn
    /// is over.
    func takeInput(_ room: UnsafeMutableRawBufferPointer) -> Int {
        if mustHold() { return 0 }
        let count = copyInput(to: room)
        return helloSize == nil || mayRead(UnsafeRawBufferPointer(rebasing: room[..<count])) ? count : 0
    }

    /// Whether the next bytes of a client's handshake may be read.
    private func mayRead(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // By TLS 1.2 only the first ClientHello comes in plaintext, and by TLS 1.3 also the second one.
        if helloSize?.isComplete == true, SSL_version(ssl) != TLS1_3_VERSION { helloSize = nil }
        helloSize?.received(bytes)
        return helloSize?.isTooLarge != true
    }

    private func copyInput(to room: UnsafeMutableRawBufferPointer) -> Int {
        if keptRead < kept.count {
            let count = min(room.count, kept.count - keptRead)
            kept.withUnsafeBytes {
                room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[keptRead..<keptRead + count]))
            }
            keptRead += count
            if keptRead == kept.count { (kept, keptRead) = ([], 0) }
            return count
        }
        let count = min(room.count, fed.count)
        guard count > 0 else { return 0 }
        room.copyBulk(from: UnsafeRawBufferPointer(rebasing: fed[..<count]))
        fed = UnsafeRawBufferPointer(rebasing: fed[count...])
        return count
    }

    private func mustHold() -> Bool {
        guard isReading, hasInput, !isHeld else { return isHeld }
        takes &+= 1
        emptyTakes &+= 1
        if emptyTakes > Self.emptyTakesOfTurn {
            isHeld = true
        } else if takes > Self.takesPerLook {
            takes = 1
            isHeld = stream.loop.checkTurn()
        }
        return isHeld
    }

    // MARK: Writing

    /// Encrypts bytes and writes them to the stream. Write `waiting` first.
    func encrypt(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
        ERR_clear_error()
        isWriting = true
        defer { isWriting = false }
        let start = stream.wireCount
        var written = 0
        let result = SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &written)
        // The stream accepts any amount, so a write succeeds completely or fails.
        guard result == 1 else { throw failure(SSL_get_error(ssl, result)) }
        marks.recordsWritten(from: start, to: stream.wireCount, plaintext: bytes.count)
        if marks.isFull { marks.forget(before: stream.wireAcknowledged) }
    }

    /// Called by OpenSSL: writes to the stream. Returns false when the limit is reached.
    func putOutput(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard isWriting || stream.queue.byteCount < Self.unsolicitedOutputLimit else { return false }
        stream.writeWire(bytes)
        return true
    }

    /// Sends close_notify once, if the handshake is done and the connection works.
    func sendCloseNotify() {
        guard isHandshakeDone, !isBroken, !hasSentCloseNotify else { return }
        hasSentCloseNotify = true
        ERR_clear_error()
        isWriting = true
        SSL_shutdown(ssl)
        isWriting = false
    }

    /// The connection is gone, so nothing more may be sent.
    func markBroken() { isBroken = true }

    // MARK: -

    private func failure(_ code: Int32) -> TLSError {
        isBroken = true
        let error = ERR_peek_error()
        let reason = ERR_GET_REASON(error)
        if code == SSL_ERROR_SSL, reason == SSL_R_CERTIFICATE_VERIFY_FAILED {
            let result = SSL_get_verify_result(ssl)
            return TLSError(
                .certificateError, explanation(of: Int32(truncatingIfNeeded: result)), code: result,
                subject: refusedSubject)
        }
        if code == SSL_ERROR_SSL, reason >= SSL_AD_REASON_OFFSET, reason < SSL_AD_REASON_OFFSET + 256 {
            let number = Int(reason - SSL_AD_REASON_OFFSET)
            return TLSError(.alertReceived, TLSError.alertName(number), code: number)
        }
        return TLSError(
            .protocolError, error == 0 ? "the peer provokes responses and reads none" : TLSError.openSSLReason
        )
    }
}

extension TLSEngine {
    private func explanation(of result: Int32) -> String {
        let words = String(cString: X509_verify_cert_error_string(Int(result)))
        switch result {
        case X509_V_ERR_APPLICATION_VERIFICATION:
            if case .server = role { return "no name in the client's certificate is allowed" }
            return "no key in the server's chain is pinned"
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            guard case .client(_, _, let name) = role else { return words }
            return "\(words): the certificate is not for \(name)"
        default: return words
        }
    }
}

extension TLSEngine: TimerTarget {
    func timerFired(_ token: TimerToken) {
        timer = nil
        stream.handshakeTimedOut()
    }
}
