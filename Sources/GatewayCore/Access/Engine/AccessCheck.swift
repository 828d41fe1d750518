import AccessControl
import Crypto
import HTTPModel
import JSONBytes

/// Decides whether a request may go on: a state machine with one event for its head and one for each answer
/// of another program. It does no I/O itself, and whatever it cannot decide is not admitted.
struct AccessCheck: Sendable {
    /// What the caller of an event does next.
    enum Step: Sendable {
        /// Continue with the request.
        case admitted
        /// Answer with this error.
        case refused(GatewayError)
        /// Wait for signing keys, then call `keysArrived`.
        case awaitKeys(SigningKeys)
        /// Ask the service, then call `authorizerAnswered`.
        case ask(AuthEntry, AuthorizerEntry)
        /// Take the limits from the store, then call `storeAnswered`.
        case take(any RateLimitStore, [StoreLimitRequest])
    }

    /// The times of an event.
    struct Moment: Sendable {
        /// Seconds since 1970.
        let wall: Int64
        /// Nanoseconds on the clock of calls.
        let now: Int64
    }

    private enum State: Sendable {
        /// Valid transitions: all.
        case awaitingHead
        /// A token is signed with an unknown key. Valid transitions: `awaitingStore`, `over`.
        case awaitingKeys(PendingToken)
        /// Valid transitions: `awaitingStore`, `over`.
        case awaitingVerdict(AuthEntry)
        /// With the refusal of a credential, if the store only counts who guesses. Valid transitions: `over`.
        case awaitingStore(refusal: GatewayError?)
        case over
    }

    /// A token that keys have to verify.
    private struct PendingToken: Sendable {
        let token: UnverifiedToken
        let digest: SHA256Digest
        let entry: AuthEntry
        let tokens: TokenEntry
    }

    let plan: AccessPlan
    /// The tokens that the loop has verified.
    let verified: AccessLoop
    private(set) var identity: Identity?
    /// What an authorizer gives the client with any answer.
    private var authorizerFields = HTTPFields()
    private var noted = AccessNote()
    private var state = State.awaitingHead
    private var usage = LimitUsage()
    private var request: LimitedRequest

    init(_ plan: AccessPlan, _ fields: HTTPFields, from client: IPAddress?, verified: AccessLoop) {
        self.plan = plan
        self.verified = verified
        request = LimitedRequest(
            fields: fields, client: client, identity: nil, endpoint: plan.endpoint, now: 0)
    }

    /// How the check ended, or stands.
    var note: AccessNote {
        var note = noted
        note.limits = usage.names
        return note
    }

    /// Whether the request is or will be refused: a store may have to count it first.
    var isRefused: Bool { noted.reason != nil }

    /// Whether the check has ended, and the request may go on.
    var isAdmitted: Bool { if case .over = state { !isRefused } else { false } }

    /// Adds the fields of any answer: what limits have left, and what an authorizer says.
    func addFields(to fields: inout HTTPFields) {
        usage.addFields(to: &fields)
        if !authorizerFields.isEmpty { fields.append(contentsOf: authorizerFields) }
    }

    // MARK: - Events

    /// The head has been received.
    ///
    /// The order matters: what costs least and protects most comes first.
    mutating func headReceived(_ head: HTTPRequestHead, at moment: Moment) -> Step {
        request.now = moment.now
        if let limits = plan.limits {
            switch limits.begin(request, &usage) {
            case .passed: break
            case let step: return follow(step)
            }
        }
        if let rule = plan.crossOrigin, CrossOriginRule.concerns(head.method),
            rule.refuses(head.fields, authority: head.authorityBytes)
        {
            return refuse(.crossOriginWrite, .forbidden, "a page of another site may have made the request")
        }
        guard !plan.entries.isEmpty else { return proceed(at: moment) }
        for (index, entry) in plan.entries.enumerated() {
            switch Credential(of: entry, in: head.fields) {
            case .missing: continue
            case .repeated:
                return refuse(.badCredential(of: entry), .invalid, "the credential occurs twice", by: entry)
            case .fields:
                guard case .authorizer(let authorizer) = entry.kind else { continue }
                noted.entry = entry.name
                state = .awaitingVerdict(entry)
                return .ask(entry, authorizer)
            case .text(let text):
                switch entry.kind {
                case .keys(let keys): return check(key: text, in: keys, of: entry, at: moment)
                case .tokens: return check(token: text, by: plan.peers(ofEntry: index), at: moment)
                case .authorizer: continue
                }
            }
        }
        noted.result = AccessNote.Result.none
        guard plan.isOptional else {
            return refuse(.noCredential(plan.entries), .none, "the request has no credential")
        }
        return proceed(at: moment)
    }

    /// The fetch of signing keys has ended, well or not.
    mutating func keysArrived(at moment: Moment) -> Step {
        guard case .awaitingKeys(let pending) = state else { return broken("keys arrived") }
        return verify(pending, afterFetch: true, at: moment)
    }

    /// The service has answered, or has not.
    mutating func authorizerAnswered(_ answer: AuthorizerAnswer, at moment: Moment) -> Step {
        guard case .awaitingVerdict(let entry) = state else { return broken("an authorizer answered") }
        authorizerFields = answer.fields
        switch answer.verdict {
        case .admitted(let claims): return accept(entry.identity(claims), of: entry, at: moment)
        case .refused(let error, let reason):
            let result: AccessNote.Result =
                switch error.code.status {
                case 401: .invalid
                case 429: .limited
                default: .forbidden
                }
            return refuse(error, result, reason, by: entry)
        case .unavailable(let reason): return refuse(.callerUnknown, .unavailable, reason, by: entry)
        }
    }

    /// The store has answered, or has not in time.
    mutating func storeAnswered(_ outcome: StoreOutcome, at moment: Moment) -> Step {
        guard case .awaitingStore(let refusal) = state, let limits = plan.limits else {
            return broken("a store answered")
        }
        request.now = moment.now
        return follow(limits.storeAnswered(outcome, request, &usage), refusal: refusal)
    }

    /// An event came that nobody waits for. The request is not admitted.
    private mutating func broken(_ event: String) -> Step {
        assertionFailure("\(event), but the check is \(state)")
        return end(with: .callerUnknown, .unavailable, "\(event) unexpectedly")
    }

    // MARK: - Credentials

    private mutating func check(
        key: ArraySlice<UInt8>, in keys: KeyEntry, of entry: AuthEntry, at moment: Moment
    ) -> Step {
        guard let identity = keys.find(key) else {
            return refuse(.badCredential(of: entry), .invalid, "the key is unknown", by: entry)
        }
        noted.key = identity.key
        return accept(identity, of: entry, at: moment)
    }

    private mutating func check(
        token text: ArraySlice<UInt8>, by peers: [AccessPlan.TokenPeer], at moment: Moment
    ) -> Step {
        guard let first = peers.first else { return broken("a token came") }
        // Digests of long texts cost, and no token is that long.
        guard text.count <= UnverifiedToken.maxLength else { return refuse(.tooLong, by: first.entry) }
        let digest = SHA256Digest(of: text)
        for peer in peers {
            let number = peer.tokens.keys.number(at: moment.now)
            if number > 0, let identity = verified.find(digest, keys: number, at: moment.wall) {
                return accept(identity, of: peer.entry, at: moment)
            }
        }
        do throws(TokenFault) {
            let token = try UnverifiedToken(parsing: text)
            // Of several issuers, the one that the token names has to have signed it.
            let chosen = peers.count == 1 ? first : peers.first { $0.tokens.issuer == token.issuer }
            guard let chosen else { throw .wrongIssuer }
            let pending = PendingToken(
                token: token, digest: digest, entry: chosen.entry, tokens: chosen.tokens)
            return verify(pending, afterFetch: false, at: moment)
        } catch {
            return refuse(error, by: first.entry)
        }
    }

    private mutating func verify(_ pending: PendingToken, afterFetch: Bool, at moment: Moment) -> Step {
        let (token, keys, verifier) = (pending.token, pending.tokens.keys, pending.tokens.verifier)
        noted.entry = pending.entry.name
        switch keys.keys(at: moment.now) {
        case .keys(let set, let number):
            switch verifier.verify(token, with: set, at: moment.wall) {
            case .valid(let end):
                let identity = pending.entry.identity(token.claims)
                verified.insert(identity, for: pending.digest, keys: number, until: end, at: moment.wall)
                return accept(identity, of: pending.entry, at: moment)
            case .invalid(let fault): return refuse(fault, by: pending.entry)
            case .unknownKey: return keyIsUnknown(pending, in: number, afterFetch: afterFetch, at: moment)
            }
        case .later:
            // A token that no key could save causes no wait.
            if case .invalid(let fault) = verifier.verify(token, with: .empty, at: moment.wall) {
                return refuse(fault, by: pending.entry)
            }
            return wait(pending)
        case .unavailable:
            return refuse(.callerUnknown, .unavailable, "the keys have not been fetched", by: pending.entry)
        }
    }

    private mutating func keyIsUnknown(
        _ pending: PendingToken, in number: UInt64, afterFetch: Bool, at moment: Moment
    ) -> Step {
        let keys = pending.tokens.keys
        if afterFetch {
            guard !keys.hasFailed else {
                return refuse(
                    .callerUnknown, .unavailable, "the key is unknown, and newer keys cannot be had",
                    by: pending.entry)
            }
            return refuse(.unknownKey, by: pending.entry)
        }
        switch keys.keyIsUnknown(in: number, at: moment.now) {
        case .again: return verify(pending, afterFetch: false, at: moment)
        case .wait: return wait(pending)
        case .refuse: return refuse(.unknownKey, by: pending.entry)
        case .unavailable:
            return refuse(
                .callerUnknown, .unavailable, "the key is unknown, and newer keys cannot be had",
                by: pending.entry)
        }
    }

    private mutating func wait(_ pending: PendingToken) -> Step {
        state = .awaitingKeys(pending)
        return .awaitKeys(pending.tokens.keys)
    }

    // MARK: - Requirement and limits

    private mutating func accept(_ identity: Identity, of entry: AuthEntry, at moment: Moment) -> Step {
        noted.entry = entry.name
        noted.result = .ok
        if case .failure(let fault) = identity.sent {
            return refuse(.unfitClaim, .forbidden, "\(fault)", by: entry)
        }
        switch identity.check(plan.rule, number: plan.ruleNumber) {
        case .granted: break
        case .missingScopes:
            return refuse(.insufficient(plan.rule, of: entry), .forbidden, "a scope is missing", by: entry)
        case .missingClaim(let name):
            return refuse(
                .insufficient(plan.rule, of: entry), .forbidden, "the claim \(name) is not as required",
                by: entry)
        }
        self.identity = identity
        request.identity = identity
        return proceed(at: moment)
    }

    private mutating func proceed(at moment: Moment) -> Step {
        guard let limits = plan.limits else {
            state = .over
            return .admitted
        }
        request.now = moment.now
        return follow(limits.proceed(request, &usage))
    }

    /// - Parameter refusal: the refusal of a credential, which limits precede.
    private mutating func follow(_ step: LimitStep, refusal: GatewayError? = nil) -> Step {
        switch step {
        case .passed:
            state = .over
            return refusal.map { .refused($0) } ?? .admitted
        case .asks(let store, let limits):
            state = .awaitingStore(refusal: refusal)
            return .take(store, limits)
        case .refused(let error, let limits):
            noted.refusedBy = limits
            return end(with: error, .limited, "a limit is used up")
        case .unavailable(let error):
            return end(with: error, .unavailable, "a store of limits did not answer")
        }
    }

    // MARK: - Refusals

    private mutating func refuse(_ fault: TokenFault, by entry: AuthEntry) -> Step {
        let isExpired = fault.isForClient
        return refuse(
            .badCredential(of: entry, isExpired: isExpired), isExpired ? .expired : .invalid, "\(fault)",
            by: entry)
    }

    /// Refuses a credential. Limits that come before it count whoever guesses, also if a store counts them.
    private mutating func refuse(
        _ error: GatewayError, _ result: AccessNote.Result, _ reason: String, by entry: AuthEntry? = nil
    ) -> Step {
        if let entry { noted.entry = entry.name }
        let refusal = end(with: error, result, reason)
        guard let limits = plan.limits, limits.hasEarlyStored, result != .unavailable else { return refusal }
        return follow(limits.beforeRefusal(request, &usage), refusal: error)
    }

    private mutating func end(
        with error: GatewayError, _ result: AccessNote.Result, _ reason: String
    ) -> Step {
        state = .over
        identity = nil
        noted.result = result
        noted.reason = reason
        return .refused(error)
    }
}
