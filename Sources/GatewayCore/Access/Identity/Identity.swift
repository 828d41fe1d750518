import AccessControl
import HTTPModel
public import JSONBytes
import Locking
import Networking

/// Who calls: the entry that knows the caller, and its claims.
///
///     gateway.get("/me", .require("mobile")) { request in
///         .parts(me: users.rx.request(.user(try request.claim("sub"))).fragment())
///     }
public final class Identity: Sendable {
    /// The name of the entry (`Gateway.auth(_:_:send:)`).
    public let entry: String
    /// The claim `sub`, if it is a text.
    public let subject: String?
    /// All claims: a JSON object.
    public let claims: JSONFragment

    /// The fields that upstreams get, or why they cannot have them.
    let sent: Result<CallerFields.Values, ClaimFault>
    /// The name of the API key; nil for any other entry.
    let key: String?
    /// What was found about the rules of endpoints, by their numbers, so that no claim is decoded twice.
    private let verdicts = Lock<[Int: AccessRule.Verdict]>([:])

    convenience init(entry: String, claims: JSONFragment, send: [SentField], key: String? = nil) {
        self.init(entry: entry, claims: claims, subject: claims[member: "sub"], send: send, key: key)
    }

    /// - Parameter subject: the claim `sub`.
    init(
        entry: String, claims: JSONFragment, subject: JSONFragment?, send: [SentField], key: String? = nil
    ) {
        self.entry = entry
        self.claims = claims
        self.key = key
        self.subject = subject?.stringValue
        sent = Result { () throws(ClaimFault) in CallerFields.Values(try send.fields(for: claims)) }
    }

    /// Checks the claims by a rule with a number of its own.
    func check(_ rule: AccessRule, number: Int) -> AccessRule.Verdict {
        if rule.isEmpty { return .granted }
        if let known = verdicts.withLock({ $0[number] }) { return known }
        let verdict = rule.check(claims)
        verdicts.withLock { $0[number] = verdict }
        return verdict
    }
}
