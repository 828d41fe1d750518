import AccessControl
import Crypto

extension AccessCheck {
    /// A token that keys have to verify.
    final class PendingToken: Sendable {
        let token: UnverifiedToken
        let digest: SHA256Digest
        let entry: AuthEntry
        let tokens: TokenEntry

        init(_ token: UnverifiedToken, _ digest: SHA256Digest, of peer: AccessPlan.TokenPeer) {
            self.token = token
            self.digest = digest
            entry = peer.entry
            tokens = peer.tokens
        }
    }
}
