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

    // MARK: Faults

    @Test("Limits in two stores cannot be used together")
    func twoStores() throws {
        let stored = LimitWorld.stored(.client)
        var other = stored
        other.store = "other"
        let fault = try #require(LimitWorld.limits(["a": stored, "b": other]).fault)
        #expect(fault.contains("in the stores main and other"))
        #expect(LimitWorld.limits(["a": stored, "b": LimitWorld.limit(.client)]).fault == nil)
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
