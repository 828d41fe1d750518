import AccessControl
import JSONBytes
import Networking
import Resilience

/// Why a token cannot be verified now, though it may be good. `next`: nanoseconds until the next fetch of
/// keys may begin.
enum KeysMissing: Hashable {
    /// No keys have been fetched, or they are too old.
    case noKeys(next: Int64)
    /// The token's key is unknown, and the last fetch failed.
    case noNewerKeys(next: Int64)
    /// The token's key is unknown, and another unknown key has caused a fetch lately.
    case tooEarly(next: Int64)
    /// The fetch in progress takes too long to wait for it.
    case slowFetch
    /// Too many requests wait for the fetch already.
    case crowd

    /// When it makes sense to try again, in seconds.
    var retryAfter: Int {
        switch self {
        case .noKeys(let next), .noNewerKeys(let next), .tooEarly(let next):
            max(1, Int(RateLimitPolicy.seconds(next)))
        case .slowFetch, .crowd: 1
        }
    }
}

extension KeysMissing: CustomStringConvertible {
    var description: String {
        switch self {
        case .noKeys(let next): "the gateway has no signing keys; \(Self.nextFetch(next))"
        case .noNewerKeys(let next):
            "the key is unknown, and newer keys could not be fetched; \(Self.nextFetch(next))"
        case .tooEarly(let next): "the key is unknown and may be new; \(Self.nextFetch(next))"
        case .slowFetch:
            "the fetch of signing keys takes longer than \(KeyFetches.Limits.patience.components.seconds) s"
        case .crowd: "too many requests wait for signing keys"
        }
    }

    /// - Parameter next: nanoseconds from now.
    static func nextFetch(_ next: Int64) -> String {
        next > 0
            ? "the next fetch can begin in \(RateLimitPolicy.seconds(next)) s"
            : "the next fetch can begin now"
    }
}

extension UnverifiedToken {
    /// Returns when the token existed at the latest, by `iat`, in nanoseconds on the clock of calls; nil
    /// without `iat`. Nobody has verified it.
    ///
    /// - Parameter leeway: how far the issuer's clock may differ, in seconds.
    func existed(at moment: AccessCheck.Moment, leeway: Int64) -> Int64? {
        guard let issued = claims[member: "iat"]?.doubleValue else { return nil }
        let age = Double(moment.wall) - issued - Double(leeway)
        guard age > 0 else { return moment.now }
        return moment.now - Int64(saturating: (min(age, 1e9) * 1e9).rounded())
    }
}
