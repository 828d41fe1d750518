import HTTPModel
import JSONBytes
import Resilience
import Testing

@testable import GatewayCore

@Suite("The limits of an endpoint")
struct EndpointLimitsTests {
    private let second: Int64 = 1_000_000_000

    /// Counts requests until one is refused.
    private func allowed(_ limits: EndpointLimits, _ request: LimitedRequest) -> Int {
        (0..<20).filter { _ in limits.take(request).step.isPassed }.count
    }

    // MARK: Order

    @Test("Limits by client and endpoint come before identity, all others after it")
    func order() throws {
        let early = LimitWorld.limit(.client, .endpoint)
        let late = LimitWorld.limit(.client, .header("X-Tenant"))
        let limits = LimitWorld.limits(["late": late, "early": early])
        var usage = LimitUsage()
        #expect(limits.begin(LimitWorld.request(), &usage).isPassed)
        #expect(usage.names == ["early"])
        #expect(limits.proceed(LimitWorld.request(), &usage).isPassed)
        #expect(usage.names == ["early", "late"])
    }

    @Test("A request that is refused for another reason has used the limits before")
    func refusedLater() {
        let limits = LimitWorld.limits(["strangers": LimitWorld.limit(.client)])
        let request = LimitWorld.request()
        for attempt in 0..<5 {
            // Each fails with 401 then.
            var usage = LimitUsage()
            #expect(limits.begin(request, &usage).isPassed == (attempt < 3))
        }
    }

    // MARK: Refusals

    @Test("A request that one limit refuses uses up nothing of the others")
    func refused() throws {
        let ann = try LimitWorld.identity()
        let limits = LimitWorld.limits([
            "strangers": LimitWorld.limit(.client, burst: 10),
            "perUser": LimitWorld.limit(.identity, burst: 2),
            "tenant": LimitWorld.limit(.header("X-Tenant"), burst: 10),
        ])
        let request = LimitWorld.request(by: ann)
        #expect(allowed(limits, request) == 2)
        let (step, usage) = limits.take(request)
        #expect(step.refusing == ["perUser"])
        #expect(usage.fields[.rateLimit] == #""strangers";r=8;t=2, "perUser";r=0;t=1, "tenant";r=8;t=2"#)
        // Another caller at the same address.
        let bob = try LimitWorld.identity("mobile", #"{"sub":"bob"}"#)
        let other = limits.take(LimitWorld.request(by: bob)).usage
        #expect(other.fields[.rateLimit] == #""strangers";r=7;t=3, "perUser";r=1;t=1, "tenant";r=7;t=3"#)
    }

    @Test("All limits that refuse are named, and the longest wait counts")
    func refusedByTwo() throws {
        let slow = RateLimit(key: [.endpoint], rate: 1, per: .seconds(60))
        let limits = LimitWorld.limits(["fast": LimitWorld.limit(.client, burst: 1), "slow": slow])
        #expect(limits.take(LimitWorld.request()).step.isPassed)
        let (step, usage) = limits.take(LimitWorld.request(at: second / 2))
        #expect(step.refusing == ["fast", "slow"])
        let error = try #require(step.error)
        #expect(error.code == .tooManyRequests)
        #expect(error.message == "The limits fast and slow are reached; retry in 60 s")
        #expect(error.fields[.retryAfter] == "60")
        #expect(error.details?.description == #"{"violated-policies":["fast","slow"]}"#)
        #expect(usage.fields[.rateLimit] == #""fast";r=0;t=1, "slow";r=0;t=60"#)
    }

    @Test("A client that waits as long as Retry-After says is served")
    func retryAfter() throws {
        let limits = LimitWorld.limits(["strangers": LimitWorld.limit(.client)])
        #expect(allowed(limits, LimitWorld.request(at: 7)) == 3)
        let error = try #require(limits.take(LimitWorld.request(at: 8)).step.error)
        let wait = try #require(error.fields[.retryAfter].flatMap { Int64($0) })
        #expect(wait == 1)
        #expect(limits.take(LimitWorld.request(at: 8 + wait * second)).step.isPassed)
    }

    // MARK: Callers

    @Test(
        "Limits by identity and claims do not apply without an identity",
        arguments: [LimitWorld.limit(.identity), LimitWorld.limit(.client, .claim("plan"))])
    func withoutIdentity(limit: RateLimit) throws {
        let limits = LimitWorld.limits(["some": limit])
        #expect(allowed(limits, LimitWorld.request()) == 20)
        #expect(limits.take(LimitWorld.request()).usage.isEmpty)
        #expect(allowed(limits, LimitWorld.request(by: try LimitWorld.identity())) == 3)
    }

    @Test(
        "`when` limits only callers with one of the values of each claim",
        arguments: [
            (#"{"plan":"free","level":1}"#, 3), (#"{"plan":["pro","free"],"level":2}"#, 3),
            (#"{"plan":"pro","level":1}"#, 20), (#"{"plan":"free"}"#, 20),
            (#"{"plan":"free","level":3}"#, 20),
            ("{}", 20), (nil, 20),
        ] as [(String?, Int)])
    func when(claims: String?, count: Int) throws {
        var limit = LimitWorld.limit(.client)
        limit.when = ["plan": ["free", "trial"], "level": ["1", "2"]]
        let identity = try claims.map { try LimitWorld.identity("mobile", $0) }
        #expect(allowed(LimitWorld.limits(["some": limit]), LimitWorld.request(by: identity)) == count)
    }

    @Test("A limit by client that depends on claims comes after identity")
    func whenOrder() throws {
        var limit = LimitWorld.limit(.client)
        limit.when = ["plan": ["free"]]
        let limits = LimitWorld.limits(["some": limit])
        let request = LimitWorld.request(by: try LimitWorld.identity("mobile", #"{"plan":"free"}"#))
        var usage = LimitUsage()
        #expect(limits.begin(request, &usage).isPassed)
        #expect(usage.isEmpty)
        #expect(limits.proceed(request, &usage).isPassed)
        #expect(usage.names == ["some"])
    }

    // MARK: Stores

    private func stored(
        _ key: RateLimit.Key..., burst: Int = 3, or failure: RateLimit.StoreFailure = .local
    ) -> RateLimit {
        var limit = RateLimit(key: key, rate: 60, per: .seconds(60), burst: burst)
        limit.store = "main"
        limit.onStoreFailure = failure
        return limit
    }

    private func decision(of limit: RateLimit, isAllowed: Bool, backlog: Int64) -> LimitDecision {
        LimitDecision(isAllowed: isAllowed, backlog: backlog, limit.policy)
    }

    @Test("A store is asked once for all of its limits that apply, after the others have passed")
    func asks() throws {
        let limits = LimitWorld.limits(
            [
                "perUser": stored(.identity), "strangers": stored(.client), "here": LimitWorld.limit(.client),
                "perPlan": stored(.claim("plan")),
            ], stores: ["main": SilentStore()])
        for (identity, names) in [
            (nil, ["strangers"]), (try LimitWorld.identity(), ["perUser", "strangers", "perPlan"]),
        ] {
            let (step, usage) = limits.take(LimitWorld.request(by: identity))
            #expect(step.asked == names)
            #expect(usage.names == ["here"])
        }
        #expect(limits.take(LimitWorld.request()).step.asked != nil)
        #expect(limits.take(LimitWorld.request()).step.refusing == ["here"])
    }

    @Test("What the store decides counts, and its refusal uses up nothing in this process")
    func decided() throws {
        let limit = stored(.identity)
        let limits = LimitWorld.limits(
            ["here": LimitWorld.limit(.client), "perUser": limit], stores: ["main": SilentStore()])
        let request = LimitWorld.request(by: try LimitWorld.identity())
        var (step, usage) = limits.take(request)
        step = limits.storeAnswered(
            .decided([decision(of: limit, isAllowed: true, backlog: second)]), request, &usage)
        #expect(step.isPassed)
        #expect(usage.names == ["here", "perUser"])
        #expect(usage.fields[.rateLimit] == #""here";r=2;t=1, "perUser";r=2;t=1"#)
        for _ in 0..<10 {
            (step, usage) = limits.take(request)
            #expect(step.asked == ["perUser"])
            step = limits.storeAnswered(
                .decided([decision(of: limit, isAllowed: false, backlog: 3 * second)]), request, &usage)
            #expect(step.refusing == ["perUser"])
            #expect(step.error?.fields[.retryAfter] == "1")
            #expect(usage.fields[.rateLimit] == #""here";r=2;t=1, "perUser";r=0;t=1"#)
        }
    }

    @Test(
        "While the store does not answer, this process counts",
        arguments: [StoreOutcome.unavailable, .decided([])])
    func local(outcome: StoreOutcome) throws {
        let limits = LimitWorld.limits(["perUser": stored(.identity)], stores: ["main": SilentStore()])
        let request = LimitWorld.request(by: try LimitWorld.identity())
        let steps = (0..<5).map { _ in
            var usage = LimitUsage()
            _ = limits.proceed(request, &usage)
            return limits.storeAnswered(outcome, request, &usage).refusing
        }
        #expect(steps == [nil, nil, nil, ["perUser"], ["perUser"]])
    }

    @Test("If one limit denies while the store does not answer, the request is 503 and uses up nothing")
    func deny() throws {
        let limits = LimitWorld.limits(
            [
                "here": LimitWorld.limit(.client), "perUser": stored(.identity),
                "perPlan": stored(.claim("plan"), or: .deny),
            ], stores: ["main": SilentStore()])
        let request = LimitWorld.request(by: try LimitWorld.identity())
        for _ in 0..<10 {
            var (step, usage) = limits.take(request)
            #expect(step.asked == ["perUser", "perPlan"])
            step = limits.storeAnswered(.unavailable, request, &usage)
            guard case .unavailable(let error) = step else {
                Issue.record("not unavailable")
                return
            }
            #expect(error.code == .upstreamUnavailable)
            #expect(error.fields[.retryAfter] == "1")
            #expect(usage.fields[.rateLimit] == #""here";r=3;t=0"#)
        }
        // It does not apply here.
        var (step, usage) = limits.take(LimitWorld.request())
        #expect(step.isPassed)
        (step, usage) = LimitWorld.limits(["perUser": stored(.identity, or: .deny)]).take(request)
        #expect(step.error?.code == .upstreamUnavailable)
        #expect(usage.isEmpty)
    }

    @Test("Without its store a limit counts in this process at once")
    func withoutStore() {
        let limits = LimitWorld.limits(["strangers": stored(.client)])
        #expect(allowed(limits, LimitWorld.request()) == 3)
    }

    @Test("A refused credential has used the limits by client in a store, and only these")
    func beforeRefusal() throws {
        let limit = stored(.client)
        let limits = LimitWorld.limits(
            ["strangers": limit, "tenant": stored(.header("X-Tenant"))], stores: ["main": SilentStore()])
        #expect(limits.hasEarlyStored)
        let request = LimitWorld.request()
        var usage = LimitUsage()
        var step = limits.beforeRefusal(request, &usage)
        #expect(step.asked == ["strangers"])
        step = limits.storeAnswered(
            .decided([decision(of: limit, isAllowed: false, backlog: 3 * second)]), request, &usage)
        #expect(step.refusing == ["strangers"])
        // Without the store, this process counts.
        for attempt in 0..<5 {
            var usage = LimitUsage()
            _ = limits.beforeRefusal(request, &usage)
            step = limits.storeAnswered(.unavailable, request, &usage)
            #expect(step.isPassed == (attempt < 3))
            #expect(usage.names == ["strangers"])
        }
    }

    @Test("Without limits by client in a store, a refused credential asks nobody")
    func nothingBeforeRefusal() {
        let limits = LimitWorld.limits(
            ["here": LimitWorld.limit(.client), "tenant": stored(.header("X-Tenant"))],
            stores: ["main": SilentStore()])
        var usage = LimitUsage()
        #expect(!limits.hasEarlyStored)
        #expect(limits.beforeRefusal(LimitWorld.request(), &usage).isPassed)
        #expect(usage.isEmpty)
    }

    // MARK: Faults

    @Test("Limits in two stores cannot be used together")
    func twoStores() throws {
        var other = stored(.client)
        other.store = "other"
        let limits = LimitWorld.limits(["a": stored(.client), "b": other])
        let fault = try #require(limits.fault)
        #expect(fault.contains("in the stores main and other"))
        #expect(LimitWorld.limits(["a": stored(.client), "b": LimitWorld.limit(.client)]).fault == nil)
    }

    @Test("An endpoint has at most 16 limits, and one named twice counts once")
    func most() {
        let kept = (0..<17).map { KeptLimit("limit\($0)", LimitWorld.limit(.client)) }
        #expect(EndpointLimits(kept, stores: [:]).fault == "has 17 limits, more than 16")
        #expect(EndpointLimits(Array(kept[..<16]) + kept[..<16], stores: [:]).fault == nil)
        let twice = EndpointLimits([kept[0], kept[0]], stores: [:])
        #expect(allowed(twice, LimitWorld.request()) == 3)
    }

    @Test(
        "A limit names each setting that is wrong",
        arguments: [
            (RateLimit(key: [], rate: 1, per: .seconds(1)), "key: it needs at least one of client"),
            (RateLimit(key: [.client], rate: 0, per: .seconds(1)), "rate: 0 is not between"),
            (RateLimit(key: [.client], rate: 1, per: .zero), "per: 0.0 seconds is not between"),
            (RateLimit(key: [.client], rate: 1, per: .seconds(1), burst: 0), "burst: 0 is not between"),
            (RateLimit(key: [.client], rate: 1, per: .seconds(1), maxKeys: 0), "maxKeys: 0 is not between"),
            (
                RateLimit(key: [.client], rate: 1, per: .seconds(1), when: ["plan": []]),
                "when: plan needs at least one value"
            ),
        ])
    func faults(limit: RateLimit, fault: String) {
        #expect(limit.faults.count == 1)
        #expect(limit.faults.first?.hasPrefix(fault) == true)
        #expect(LimitWorld.limit(.client).faults == [])
    }
}
