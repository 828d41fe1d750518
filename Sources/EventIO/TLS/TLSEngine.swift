import COpenSSL
import Glibc
import Rx

/// One connection's TLS, between its stream and the socket. It waits for nothing and calls nobody but the stream's writing:
/// what it needs is fed to it, what comes of that is asked for.
///
/// Confined to its stream's loop, and freed there: the stream has it until it is closed.
final class TLSEngine {
    enum Handshake {
        case needsMore
        case done
        case failed(TLSError)
    }

    /// What came after the bytes that were read.
    enum Reading {
        /// As much as there was room for; there may be more.
        case full
        /// All that was fed is read.
        case needsMore
        /// The peer's close_notify.
        case ended
        case failed(TLSError)
    }

    /// The most that one record carries (RFC 8446 5.1).
    static let recordLimit = 16 << 10
    /// What may wait for the socket of answers that nobody asked us for (to key updates): a peer that provokes them and
    /// reads none is broken off.
    private static let unaskedLimit = 64 << 10
    /// Bytes that may come one after the other without content, session tickets for example: a peer that sends nothing
    /// else would keep the loop busy for as long as it likes.
    static let emptyLimit = 256 << 10

    let context: TLSContext
    /// By what its sessions are kept.
    let sessionKey: String
    /// What was written and is not encrypted yet.
    var waiting = WriteQueue()
    /// Fed bytes may be left that were not read.
    var isBehind = false
    /// Bytes fed since there was content last.
    private var emptyCount = 0

    /// Whom the certificate has to be for.
    private let serverName: String
    /// Made by `SSL_new` in `init`, freed by `SSL_free` in `deinit`, with its BIO.
    private let ssl: OpaquePointer
    private unowned let stream: SocketStream
    /// The end of the handshake.
    var deadline = MonotonicTime.distantFuture
    private var timer: TimerToken?
    private var began = MonotonicTime(nanoseconds: 0)
    private(set) var details: TLSDetails?

    /// What the loop's buffer has for it, until `keepRest`.
    private var fed = UnsafeRawBufferPointer(start: nil, count: 0)
    /// What was left of it, before that: read first.
    private var kept: [UInt8] = []
    private var keptRead = 0
    private var isWriting = false
    /// It may not be used any more, not even to say goodbye.
    private var isBroken = false
    private var saidGoodbye = false

    /// - Parameter host: the server's name or address, where the configuration has none in its place.
    init(_ context: TLSContext, host: String, sessionKey: String, stream: SocketStream) throws(TLSError) {
        self.context = context
        self.sessionKey = sessionKey
        self.stream = stream
        serverName = context.configuration.serverName ?? host
        ERR_clear_error()
        guard let ssl = SSL_new(context.handle) else {
            throw TLSError(.protocolError, TLSError.openSSLReason)
        }
        self.ssl = ssl
        guard TLSBytes.attach(self, to: ssl),
            SSL_set_ex_data(ssl, Self.slot, Unmanaged.passUnretained(self).toOpaque()) == 1
        else { throw TLSError(.protocolError, TLSError.openSSLReason) }
        guard TLSServerName.expect(serverName, on: ssl) else {
            throw TLSError(.configuration, "'\(serverName)' is no name of a server")
        }
        SSL_set_connect_state(ssl)
        guard let session = context.sessions.take(for: sessionKey) else { return }
        SSL_set_session(ssl, session)
        SSL_SESSION_free(session)
    }

    deinit {
        SSL_free(ssl)
    }

    /// Where an SSL refers to its engine: the slot of SSL_set_app_data.
    private static let slot: Int32 = 0

    /// The engine that has this SSL.
    static func of(_ ssl: OpaquePointer) -> TLSEngine? {
        SSL_get_ex_data(ssl, slot).map { Unmanaged<TLSEngine>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: Handshake

    /// Begins to measure, and to wait no longer than to the deadline.
    func begin() {
        began = stream.loop.wakeTime
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
            details = TLSDetails(ssl, began: began, finished: stream.loop.wakeTime)
            if let failure = refusedProtocol { return .failed(failure) }
            return .done
        }
        let code = SSL_get_error(ssl, result)
        return code == SSL_ERROR_WANT_READ ? .needsMore : .failed(failure(code))
    }

    /// OpenSSL lets a server choose a protocol that nobody offered (RFC 7301 3.1 does not).
    private var refusedProtocol: TLSError? {
        guard let chosen = details?.applicationProtocol,
            !context.configuration.applicationProtocols.contains(chosen)
        else { return nil }
        return TLSError(.protocolError, "the server chose the protocol \(chosen), which was not offered")
    }

    // MARK: Reading

    /// Whether bytes were fed that are not read.
    var hasInput: Bool { !fed.isEmpty || keptRead < kept.count }

    /// Has these bytes read, which stay where they are until `keepRest`.
    func feed(_ bytes: UnsafeRawBufferPointer) {
        fed = bytes
        emptyCount &+= bytes.count
    }

    /// Why the peer is to be broken off, if it sends too much without content.
    var excess: TLSError? {
        guard emptyCount > Self.emptyLimit else { return nil }
        return TLSError(.protocolError, "the peer sends no content, only messages of TLS")
    }

    /// Keeps a copy of bytes for the next reading.
    func keep(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        kept.removeFirst(keptRead)
        keptRead = 0
        kept.append(contentsOf: bytes)
        isBehind = true
    }

    /// Keeps what was fed and not read: the loop's buffer is another's from here on.
    func keepRest() {
        let rest = fed
        fed = UnsafeRawBufferPointer(start: nil, count: 0)
        keep(rest)
    }

    /// Reads as much as there is room for.
    func read(into room: UnsafeMutableRawBufferPointer) -> (count: Int, then: Reading) {
        var count = 0
        while count < room.count {
            ERR_clear_error()
            var read = 0
            let result = SSL_read_ex(ssl, room.baseAddress.map { $0 + count }, room.count - count, &read)
            guard result != 1 else {
                count += read
                emptyCount = 0
                continue
            }
            switch SSL_get_error(ssl, result) {
            case SSL_ERROR_WANT_READ: return (count, .needsMore)
            case SSL_ERROR_ZERO_RETURN: return (count, .ended)
            case let code: return (count, .failed(failure(code)))
            }
        }
        return (count, .full)
    }

    /// Whether all that was fed brings neither a byte nor an end.
    var isSilent: Bool {
        ERR_clear_error()
        var byte: UInt8 = 0
        var read = 0
        let result = SSL_peek_ex(ssl, &byte, 1, &read)
        return result != 1 && SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ
    }

    /// For OpenSSL: fills `room` with bytes that were fed; 0 where none are left.
    func takeInput(_ room: UnsafeMutableRawBufferPointer) -> Int {
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

    // MARK: Writing

    /// Encrypts bytes and writes them to the stream. What else waits has to be written before.
    func encrypt(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
        ERR_clear_error()
        isWriting = true
        defer { isWriting = false }
        var written = 0
        let result = SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &written)
        // The stream takes whatever comes, so that a write is whole or has failed.
        guard result == 1 else { throw failure(SSL_get_error(ssl, result)) }
    }

    /// For OpenSSL: writes to the stream. False where nothing more may be.
    func putOutput(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard isWriting || stream.queue.byteCount < Self.unaskedLimit else { return false }
        stream.writeWire(bytes)
        return true
    }

    /// Says that nothing follows (close_notify), once, where there is a connection to say it on.
    func sayGoodbye() {
        guard details != nil, !isBroken, !saidGoodbye else { return }
        saidGoodbye = true
        ERR_clear_error()
        isWriting = true
        SSL_shutdown(ssl)
        isWriting = false
    }

    /// The connection is gone: nothing is to be said on it.
    func broke() { isBroken = true }

    // MARK: -

    private func failure(_ code: Int32) -> TLSError {
        isBroken = true
        let error = ERR_peek_error()
        let reason = ERR_GET_REASON(error)
        if code == SSL_ERROR_SSL, reason == SSL_R_CERTIFICATE_VERIFY_FAILED {
            let result = SSL_get_verify_result(ssl)
            return TLSError(.certificateError, words(for: Int32(truncatingIfNeeded: result)), code: result)
        }
        if code == SSL_ERROR_SSL, reason >= SSL_AD_REASON_OFFSET, reason < SSL_AD_REASON_OFFSET + 256 {
            let number = Int(reason - SSL_AD_REASON_OFFSET)
            return TLSError(.alertReceived, TLSError.alertName(number), code: number)
        }
        return TLSError(
            .protocolError, error == 0 ? "the peer provokes answers and reads none" : TLSError.openSSLReason)
    }
}

extension TLSEngine {
    /// Why a certificate is not accepted.
    private func words(for result: Int32) -> String {
        let words = String(cString: X509_verify_cert_error_string(Int(result)))
        switch result {
        case X509_V_ERR_APPLICATION_VERIFICATION: return "no key in the server's chain is one of the pinned"
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            return "\(words): the certificate is none for \(serverName)"
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
