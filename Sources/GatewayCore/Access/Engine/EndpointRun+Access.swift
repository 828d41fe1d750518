import HTTPModel
import JSONBytes
import Locking
@_spi(Records) import Networking
import Rx

/// The check of the caller, before middleware and handler. What the head did not decide waits here, under the
/// endpoint's deadline.
extension EndpointRun {
    @inline(never)
    func follow(_ step: AccessCheck.Step, of access: RequestAccess) {
        switch step {
        case .admitted:
            if endpoint.before.isEmpty { handle() } else { check(from: 0) }
        case .refused(let error): fail(error)
        case .awaitKeys(let keys): awaitKeys(keys, access)
        case .ask(let entry, let authorizer): ask(entry, authorizer, access)
        case .take(let store, let limits): take(limits, from: store, access)
        }
    }

    /// Continues with the answer of another program, unless the request is over.
    private func proceed(
        _ access: RequestAccess, in stage: Int,
        by event: (inout AccessCheck, AccessCheck.Moment) -> AccessCheck.Step
    ) {
        guard state.withLock({ !$0.isOver && $0.stage == stage }) else { return }
        let step = access.changed(on: responder.environment.transport, by: event)
        CallContext.$current.withValue(context) { follow(step, of: access) }
    }

    private func awaitKeys(_ keys: SigningKeys, _ access: RequestAccess) {
        let stage = state.withLock { $0.beginStage() }
        let wait = keys.wait(on: scheduler, at: endpoint) { [self] end in
            proceed(access, in: stage) { $0.keysArrived(end, at: $1) }
        }
        keep(wait, of: stage)
    }

    private func take(
        _ limits: [StoreLimitRequest], from store: any RateLimitStore, _ access: RequestAccess
    ) {
        let stage = state.withLock { $0.beginStage() }
        store.take(limits, within: max(0, endpoint.deadlineInterval.nanoseconds - elapsed)) {
            [self] outcome in
            proceed(access, in: stage) { $0.storeAnswered(outcome, at: $1) }
        }
    }

    // MARK: - Authorizers

    /// Asks the service with an ordinary call, which the log shows as a step of its own. What the endpoint
    /// forwards is for its own upstreams.
    private func ask(_ entry: AuthEntry, _ authorizer: AuthorizerEntry, _ access: RequestAccess) {
        let stage = state.withLock { $0.beginStage() }
        let began = elapsed
        let name = "auth.\(entry.name)"
        let own = context.withoutForwarding.forPart(stage)
        if isTimed {
            context.withTimeline {
                $0.plan(name, stage)
                $0.began(stage, at: moment)
            }
        }
        let call = CallContext.$current.withValue(own) {
            authorizer.provider.rx.request(authorizer.target(for: request, from: access.client)).subscribe(
                onSuccess: { [self] response in
                    let answer = AuthorizerAnswer(response, of: entry, authorizer)
                    answered(answer, .success(response), name, stage, began, access)
                },
                onFailure: { [self] in
                    answered(AuthorizerAnswer($0), .failure($0), name, stage, began, access)
                })
        }
        keep(call, of: stage)
    }

    private func answered(
        _ answer: AuthorizerAnswer, _ call: Result<Response, any Error>, _ name: String, _ stage: Int,
        _ began: Int64, _ access: RequestAccess
    ) {
        var part = NamedPart(name: name, part: Part(source: .never()))
        part.outcome = PartOutcome(of: call, elapsed: elapsed - began)
        if isTimed { noteEnd(of: stage, part.outcome?.kind) }
        var results = PartResults([part], from: stage, areSteps: true)
        results.began = began
        state.withLock { [results] state in
            if !state.isOver, state.stage == stage { state.steps.append(results) }
        }
        proceed(access, in: stage) { $0.authorizerAnswered(answer, at: $1) }
    }
}

extension AuthorizerEntry {
    /// Returns the call for a request: some of the client's fields, and what the gateway itself knows of the
    /// request. A client cannot forge that.
    ///
    /// - Parameter client: the client's address, as the check knows it.
    fileprivate func target(for request: GatewayRequest, from client: IPAddress?) -> AccessTarget {
        var target = AccessTarget(path, headers)
        target.timeout = timeout
        for name in forward {
            for value in request.fields.valueBytes(of: name) { target.headers.append(name, bytes: value) }
        }
        target.headers.append("X-Forwarded-Method", request.isHead ? "HEAD" : request.method.rawValue)
        // Without a proxy that tells of another, the client is the peer.
        let facts = request.client == nil ? request.clientFacts(peer: client) : request.clientFacts
        facts.add(to: &target.headers, in: .xForwarded)
        let asked = request.head.target
        let query = asked.queryBytes.map { [UInt8(ascii: "?")] + $0 } ?? []
        target.headers.append("X-Forwarded-Uri", bytes: asked.pathBytes + query)
        return target
    }
}
