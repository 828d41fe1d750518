import COpenSSL
import Glibc
import Locking

/// The keys of session tickets. All server contexts of a process share them, so that tickets are good on
/// every loop and outlive a reload. They never leave its memory.
public final class TicketKeys: Sendable {
    /// The keys of this process.
    public static let process = TicketKeys()

    private let ring = Lock(TicketKeyRing())
    private let clock: @Sendable () -> MonotonicTime
    /// The seconds since 1970, by which certificates expire.
    let wallClock: @Sendable () -> Int

    /// - Parameters: for tests.
    init(
        clock: @escaping @Sendable () -> MonotonicTime = { .clock() },
        wallClock: @escaping @Sendable () -> Int = { time(nil) }
    ) {
        self.clock = clock
        self.wallClock = wallClock
    }

    fileprivate func keyForNewTicket() -> TicketKeyRing.Key? {
        let now = clock()
        return ring.withLock { ring in
            ring.key(at: now) {
                var bytes = [UInt8](repeating: 0, count: TicketKeyRing.Key.length)
                guard RAND_bytes(&bytes, Int32(bytes.count)) == 1 else { return nil }
                return TicketKeyRing.Key(bytes)
            }
        }
    }

    fileprivate func key(named name: UnsafeRawBufferPointer) -> (key: TicketKeyRing.Key, isCurrent: Bool)? {
        let now = clock()
        return ring.withLock { $0.key(named: name, at: now) }
    }
}

/// Called by OpenSSL to encrypt (`encrypts` is 1) or to decrypt a ticket. Returns 1 or, if a decrypted ticket
/// must be replaced, 2; 0 for no ticket, or for one of an unknown key; -1 for an error.
func tlsTicketKey(
    _ ssl: OpaquePointer?, _ name: UnsafeMutablePointer<UInt8>?, _ vector: UnsafeMutablePointer<UInt8>?,
    _ cipher: OpaquePointer?, _ mac: OpaquePointer?, _ encrypts: Int32
) -> Int32 {
    guard let ssl, let name, let vector, let server = TLSEngine.of(ssl)?.server else { return -1 }
    if encrypts == 1 {
        guard let key = server.tickets.keyForNewTicket() else { return 0 }
        guard RAND_bytes(vector, EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())) == 1,
            EVP_EncryptInit_ex(cipher, EVP_aes_256_cbc(), nil, key.cipher, vector) == 1,
            setKey(of: mac, to: key.mac)
        else { return -1 }
        for (index, byte) in key.name.enumerated() { name[index] = byte }
        return 1
    }
    let wanted = UnsafeRawBufferPointer(start: name, count: TicketKeyRing.Key.nameLength)
    guard let (key, isCurrent) = server.tickets.key(named: wanted) else { return 0 }
    guard setKey(of: mac, to: key.mac),
        EVP_DecryptInit_ex(cipher, EVP_aes_256_cbc(), nil, key.cipher, vector) == 1
    else { return -1 }
    // A client of TLS 1.3 uses a ticket once (RFC 8446, appendix C.4), so it gets another one.
    return isCurrent && SSL_version(ssl) < TLS1_3_VERSION ? 1 : 2
}

private func setKey(of mac: OpaquePointer?, to key: [UInt8]) -> Bool {
    var key = key
    return copenssl_MAC_set_key(mac, &key, key.count) == 1
}
