import AccessControl
import Crypto
import HTTPModel
import Locking

/// The tokens that one loop has verified. It outlives the generations of the gateway.
package final class AccessLoop: Sendable {
    /// Nobody but the loop takes the lock, as a rule.
    private let tokens = Lock(VerifiedTokens<Identity>())
    private let certificates = Lock(KnownCertificates())

    /// No token has been verified.
    package init() {}

    /// - Parameters:
    ///   - digest: the digest of the token's text.
    ///   - keys: `SigningKeys.number(at:)`.
    ///   - wall: seconds since 1970.
    func find(_ digest: SHA256Digest, keys: UInt64, at wall: Int64) -> Identity? {
        tokens.withLock { $0.find(digest, keys: keys, at: wall) }
    }

    /// Returns whom an entry knows by a certificate; nil if it does not know it.
    func identity(
        of certificate: ClientCertificate, by entry: AuthEntry, _ certificates: CertificateEntry
    ) -> Identity? {
        self.certificates.withLock { $0.identity(of: certificate, by: entry, certificates) }
    }

    func insert(_ identity: Identity, for digest: SHA256Digest, keys: UInt64, until: Int64, at wall: Int64) {
        tokens.withLock { $0.insert(identity, for: digest, keys: keys, until: until, at: wall) }
    }
}
