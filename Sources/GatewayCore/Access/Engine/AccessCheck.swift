import AccessControl
import Crypto
import HTTPModel
import JSONBytes

/// Decides whether a request may go on: a state machine with one event for its head and one for each answer
/// of another program. It does no I/O itself, and whatever it cannot decide is not admitted.
///
/// It is large, so it cannot be copied.
struct AccessCheck: ~Copyable, Sendable {
    /// What the caller of an event does next.
    indirect enum Step: Sendable {
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

    private enum State: Sendable {
        /// Valid transitions: all.
        case awaitingHead
        /// A token is signed with an unknown key. Valid transitions: all but `awaitingHead`.
        ///
        /// - Parameter since: when the request began to wait for a fetch; nanoseconds.
        case awaitingKeys(PendingToken, since: Int64)
        /// Valid transitions: `awaitingStore`, `over`.
        case awaitingVerdict(AuthEntry)
        /// Valid transitions: `awaitingKeys`, `awaitingVerdict`, `awaitingStore` once more, `over`.
        case awaitingStore(then: Continuation)
        case over
    }

    /// What a request does if the limits pass it that a store counts.
    private enum Continuation: Sendable {
        case admit
        /// It is refused for another reason, which the limits precede.
        indirect case refuse(GatewayError)
        /// Its token needs keys that have to be fetched.
        case verify(PendingToken)
        /// An authorizer has to decide.
        case ask(AuthEntry)
    }

    let plan: AccessPlan
    /// The tokens that the loop has verified.
    let verified: AccessLoop
    /// How the check ended, or stands.
    private(set) var noted = AccessNote()
    private var state = State.awaitingHead
    private let fields: HTTPFields
    /// The client's address; nil for a Unix socket.
    let client: IPAddress?
    /// Whether `noted.caller` may call.
    private var isCallerKnown = false
    /// When the last event came.
    private var moment = Moment(wall: 0, now: 0)
    /// What an authorizer gives the client with any answer from then on. No answer that comes before its
    /// verdict, or instead of it, can tell what the verdict was: limits by client and endpoint are taken
    /// before it is asked.
    private var authorizerFields = HTTPFields()
    /// Why the first claim that was needed later could not be used.
    private var unfitClaim: String?
    /// Keys that have to be fetched once the event is over: see `SigningKeys.number(at:_:)`.
    private var due: [SigningKeys] = []

    init(_ plan: AccessPlan, _ fields: HTTPFields, from client: IPAddress?, verified: AccessLoop) {
        self.plan = plan
        self.fields = fields
        self.client = client
        self.verified = verified
    }

    /// Nil before it is known, and for a caller who is refused.
    var identity: Identity? { isCallerKnown ? noted.caller : nil }

    /// What limits count the request by.
    private var counted: LimitedRequest {
        LimitedRequest(
            fields: fields, client: client, identity: identity, endpoint: plan.endpoint, now: moment.now)
    }

    /// Whether the request is or will be refused: a store may have to count it first.
    var isRefused: Bool { noted.reason != nil }

    /// Whether the check has ended, and the request may go on.
    var isAdmitted: Bool { if case .over = state { !isRefused } else { false } }

    /// Adds the fields of any answer: what limits have left, and what an authorizer says.
    func addFields(to fields: inout HTTPFields) {
        noted.usage.addFields(to: &fields)
        if !authorizerFields.isEmpty { fields.append(contentsOf: authorizerFields) }
    }

    // MARK: - Events

    /// The head has been received.
    ///
    /// The order matters: what costs least and protects most comes first.
    ///
    /// - Parameters:
    ///   - head: of the request.
    ///   - certificate: of the connection, which the handshake has verified; nil without one.
    ///   - moment: now.
    mutating func headReceived(
        _ head: HTTPRequestHead, _ certificate: ClientCertificate? = nil, at moment: Moment
    ) -> Step {
        self.moment = moment
        if let limits = plan.limits, limits.begins {
            let step = limits.begin(counted, &noted.usage)
            // Nobody has looked at the credential, and no store is asked.
            guard case .passed = step else { return follow(step, then: .admit) }
        }
        if let rule = plan.crossOrigin,
            let fault = rule.fault(of: fields, authority: head.authorityBytes)
        {
            return refuse(.crossSiteWrite, .crossSite, fault)
        }
        guard !plan.entries.isEmpty else { return proceed() }
        for (index, entry) in plan.entries.enumerated() {
            switch Credential(of: entry, in: fields, certificate, known: verified) {
            case .missing: continue
            case .known(let identity): return accept(identity, of: entry)
            case .repeated:
                return refuse(.badCredential(of: entry), .invalid, "the credential occurs twice", by: entry)
            case .fields: return takeEarly(then: .ask(entry))
            case .text(let text):
                switch entry.kind {
                case .keys(let keys): return check(key: text, in: keys, of: entry)
                case .tokens: return check(token: text, by: plan.peers(ofEntry: index))
                case .authorizer, .certificate: continue
                }
            }
        }
        noted.result = AccessNote.Result.none
        guard plan.isOptional else {
            let (result, reason) = plan.missing(certificate)
            return refuse(plan.noCredential, result, reason)
        }
        return proceed()
    }

    /// The wait for signing keys has ended, with them or not.
    mutating func keysArrived(_ end: SigningKeys.WaitEnd, at moment: Moment) -> Step {
        guard case .awaitingKeys(let pending, let since) = state else { return broken("keys arrived") }
        self.moment = moment
        switch end {
        case .ended: return verify(pending, waited: since)
        case .crowd: return refuse(.crowd, by: pending.entry)
        }
    }

    /// The service has answered, or has not.
    mutating func authorizerAnswered(_ answer: AuthorizerAnswer, at moment: Moment) -> Step {
        guard case .awaitingVerdict(let entry) = state else { return broken("an authorizer answered") }
        self.moment = moment
        authorizerFields = answer.fields
        switch answer.verdict {
        case .admitted(let claims, let subject):
            let identity = Identity(entry: entry.name, claims: claims, subject: subject, send: entry.send)
            return accept(identity, of: entry)
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
        guard case .awaitingStore(let next) = state, let limits = plan.limits else {
            return broken("a store answered")
        }
        self.moment = moment
        return follow(limits.storeAnswered(outcome, counted, &noted.usage), then: next)
    }

    /// Returns the keys that the last event found due, once.
    mutating func takeDue() -> [SigningKeys] {
        defer { due = [] }
        return due
    }

    /// A call, or the handler, could not use a claim of the caller. The answer decides what that means.
    mutating func claimIsUnfit(_ reason: String) { unfitClaim = unfitClaim ?? reason }

    /// The request is answered with 403 after it was admitted.
    mutating func answersForbidden() {
        guard let unfitClaim, noted.reason == nil else { return }
        noted.result = .forbidden
        noted.reason = unfitClaim
    }

    /// An event came that nobody waits for. The request is not admitted.
    private mutating func broken(_ event: String) -> Step {
        assertionFailure("\(event), but the check is \(state)")
        return end(with: .callerUnknown, .unavailable, "\(event) unexpectedly")
    }

    // MARK: - Credentials

    private mutating func check(
        key: ArraySlice<UInt8>, in keys: KeyEntry, of entry: AuthEntry
    ) -> Step {
        guard let identity = keys.find(key) else {
            return refuse(.badCredential(of: entry), .invalid, "the key is unknown", by: entry)
        }
        return accept(identity, of: entry)
    }

    private mutating func check(
        token text: ArraySlice<UInt8>, by peers: [AccessPlan.TokenPeer]
    ) -> Step {
        guard let first = peers.first else { return broken("a token came") }
        // Digests of long texts cost, and no token is that long.
        guard text.count <= UnverifiedToken.maxLength else { return refuse(.tooLong, by: first.entry) }
        let digest = SHA256Digest(of: text)
        for peer in peers {
            let number = peer.tokens.keys.number(at: moment.now, &due)
            if number > 0, let identity = verified.find(digest, keys: number, at: moment.wall) {
                return accept(identity, of: peer.entry)
            }
        }
        do throws(TokenFault) {
            let token = try UnverifiedToken(parsing: text)
            // Of several issuers, the one that the token names has to have signed it.
            let chosen = peers.count == 1 ? first : peers.first { $0.tokens.issuer == token.issuer }
            guard let chosen else { throw .wrongIssuer(expected: peers.map(\.tokens.issuer)) }
            return verify(PendingToken(token, digest, of: chosen))
        } catch {
            return refuse(error, by: first.entry)
        }
    }

    /// - Parameter since: when the request began to wait for a fetch; nil before it waits.
    private mutating func verify(_ pending: PendingToken, waited since: Int64? = nil) -> Step {
        let (token, keys, verifier) = (pending.token, pending.tokens.keys, pending.tokens.verifier)
        noted.by = pending.entry
        switch keys.keys(at: moment.now, &due) {
        case .keys(let set, let number):
            switch verifier.verify(token, with: set, at: moment.wall) {
            case .valid(let end):
                let identity = pending.entry.identity(token.claims)
                verified.insert(identity, for: pending.digest, keys: number, until: end, at: moment.wall)
                return accept(identity, of: pending.entry)
            case .invalid(let fault): return refuse(fault, by: pending.entry)
            case .unknownKey: return keyIsUnknown(pending, in: number, waited: since)
            }
        case .later:
            // A token that no key could save causes no wait.
            if case .invalid(let fault) = verifier.verify(token, with: .empty, at: moment.wall) {
                return refuse(fault, by: pending.entry)
            }
            return owesEarly ? takeEarly(then: .verify(pending)) : wait(pending, since)
        case .unavailable(let missing): return refuse(missing, by: pending.entry)
        }
    }

    private mutating func keyIsUnknown(
        _ pending: PendingToken, in number: UInt64, waited since: Int64?
    ) -> Step {
        // Whoever may cause a fetch, or waits for one, is counted before.
        if owesEarly { return takeEarly(then: .verify(pending)) }
        let (keys, leeway) = (pending.tokens.keys, pending.tokens.verifier.rules.leeway)
        let existed = pending.token.existed(at: moment, leeway: leeway)
        switch keys.keyIsUnknown(in: number, at: moment.now, existed: existed, waited: since, &due) {
        case .again: return verify(pending, waited: since)
        case .wait: return wait(pending, since)
        case .refuse(let next):
            let later = next.map { "; \(KeysMissing.nextFetch($0))" } ?? ""
            return refuse(
                .badCredential(of: pending.entry), .invalid, "\(TokenFault.unknownKey)\(later)",
                by: pending.entry)
        case .unavailable(let missing): return refuse(missing, by: pending.entry)
        }
    }

    private mutating func wait(_ pending: PendingToken, _ since: Int64?) -> Step {
        state = .awaitingKeys(pending, since: since ?? moment.now)
        return .awaitKeys(pending.tokens.keys)
    }

    // MARK: - Requirement and limits

    private mutating func accept(_ identity: Identity, of entry: AuthEntry) -> Step {
        noted.by = entry
        noted.caller = identity
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
        isCallerKnown = true
        return proceed()
    }

    /// The caller is known, or need not be.
    private mutating func proceed() -> Step {
        guard let limits = plan.limits else { return go(on: .admit) }
        let step = limits.proceed(counted, &noted.usage)
        switch step {
        case .passed: return go(on: .admit)
        case .refused(let error, let names): return refuse(error, .limited, Self.reason(names))
        case .unavailable, .asks: return follow(step, then: .admit)
        }
    }

    /// Whether limits by client and endpoint come next, which a store counts.
    private var owesEarly: Bool { plan.limits?.owesEarly(noted.usage) ?? false }

    /// Takes limits by client and endpoint from a store, unless that is done. Whatever depends on the
    /// credential comes after it: another program that is asked, and a refusal.
    private mutating func takeEarly(then next: Continuation) -> Step {
        guard let limits = plan.limits, limits.owesEarly(noted.usage) else { return go(on: next) }
        return follow(limits.takeEarly(counted, &noted.usage), then: next)
    }

    private mutating func follow(_ step: LimitStep, then next: Continuation) -> Step {
        switch step {
        case .passed: return go(on: next)
        case .asks(let store, let limits):
            state = .awaitingStore(then: next)
            return .take(store, limits)
        case .refused(let error, let names): return end(with: error, .limited, Self.reason(names))
        case .unavailable(let error):
            return end(with: error, .unavailable, "a store of limits did not answer")
        }
    }

    private mutating func go(on next: Continuation) -> Step {
        switch next {
        case .admit:
            state = .over
            return .admitted
        case .refuse(let error):
            state = .over
            return .refused(error)
        case .verify(let pending): return verify(pending)
        case .ask(let entry):
            guard case .authorizer(let authorizer) = entry.kind else { return broken("a verdict is due") }
            noted.by = entry
            state = .awaitingVerdict(entry)
            return .ask(entry, authorizer)
        }
    }

    private static func reason(_ limits: [String]) -> String {
        "the \(GatewayError.subject(of: limits)) used up"
    }

    // MARK: - Refusals

    private mutating func refuse(_ fault: TokenFault, by entry: AuthEntry) -> Step {
        let isExpired = fault.isForClient
        return refuse(
            .badCredential(of: entry, isExpired: isExpired), isExpired ? .expired : .invalid, "\(fault)",
            by: entry)
    }

    private mutating func refuse(_ missing: KeysMissing, by entry: AuthEntry) -> Step {
        refuse(.callerUnknown(retryAfter: missing.retryAfter), .unavailable, "\(missing)", by: entry)
    }

    /// Refuses the request. Limits that come before the reason count whoever guesses, also in a store.
    private mutating func refuse(
        _ error: GatewayError, _ result: AccessNote.Result, _ reason: String, by entry: AuthEntry? = nil
    ) -> Step {
        if let entry { noted.by = entry }
        let refusal = end(with: error, result, reason)
        return owesEarly ? takeEarly(then: .refuse(error)) : refusal
    }

    private mutating func end(
        with error: GatewayError, _ result: AccessNote.Result, _ reason: String
    ) -> Step {
        state = .over
        isCallerKnown = false
        noted.result = result
        noted.reason = reason
        return .refused(error)
    }
}
