import HTTPModel
import JSONBytes
import Resilience
import Testing

@testable import GatewayCore

/// The limits of an endpoint where a store counts some of them.
@Suite("Limits of an endpoint that a store counts")
struct StoredLimitsTests {
    private let second: Int64 = 1_000_000_000
    private let policy = LimitWorld.stored(.client).policy

    private func limits(_ limits: KeyValuePairs<String, RateLimit>) -> EndpointLimits {
        LimitWorld.limits(limits, stores: ["main": SilentStore()])
    }

    /// What a store says of limits with the same policy: the seconds until each is full again, and whether
    /// it allows the request.
    private func decided(_ decisions: (isAllowed: Bool, backlog: Int64)...) -> StoreOutcome {
        .decided(
            decisions.map { LimitDecision(isAllowed: $0.isAllowed, backlog: $0.backlog * second, policy) })
    }

    @Test("A store is asked once for all of its limits that apply, the early ones first")
    func asks() throws {
        let limits = limits([
            "perUser": LimitWorld.stored(.identity), "strangers": LimitWorld.stored(.client),
            "here": LimitWorld.limit(.client), "perPlan": LimitWorld.stored(.claim("plan")),
        ])
        for (identity, names) in [
            (nil, ["strangers"]), (try LimitWorld.identity(), ["strangers", "perUser", "perPlan"]),
        ] {
            let (step, usage) = limits.take(LimitWorld.request(by: identity))
            #expect(step.asked == names)
            #expect(usage.names == ["here"])
        }
        #expect(limits.take(LimitWorld.request()).step.asked != nil)
        #expect(limits.take(LimitWorld.request()).step.refusing == ["here"])
    }

    @Test("What the store decides counts, and its refusal uses up nothing in this process")
    func decides() throws {
        let limits = limits(["here": LimitWorld.limit(.client), "perUser": LimitWorld.stored(.identity)])
        let request = LimitWorld.request(by: try LimitWorld.identity())
        var (step, usage) = limits.take(request)
        step = limits.storeAnswered(decided((true, 1)), request, &usage)
        #expect(step.isPassed)
        #expect(usage.names == ["here", "perUser"])
        #expect(usage.fields[.rateLimit] == #""here";r=2;t=1, "perUser";r=2;t=1"#)
        for _ in 0..<10 {
            (step, usage) = limits.take(request)
            #expect(step.asked == ["perUser"])
            step = limits.storeAnswered(decided((false, 3)), request, &usage)
            #expect(step.refusing == ["perUser"])
            #expect(step.error?.fields[.retryAfter] == "1")
            #expect(usage.fields[.rateLimit] == #""here";r=2;t=1, "perUser";r=0;t=1"#)
        }
    }

    // MARK: Before the caller is known

    @Test("Before somebody is asked who calls, a store is asked for limits by client and endpoint alone")
    func early() throws {
        let limits = limits([
            "tenant": LimitWorld.stored(.header("X-Tenant")), "strangers": LimitWorld.stored(.client),
            "here": LimitWorld.stored(.endpoint), "perUser": LimitWorld.stored(.identity),
        ])
        var request = LimitWorld.request()
        var usage = LimitUsage()
        #expect(limits.owesEarly(usage))
        #expect(limits.takeEarly(request, &usage).asked == ["strangers", "here"])
        #expect(!limits.owesEarly(usage))
        #expect(limits.storeAnswered(decided((true, 1), (true, 2)), request, &usage).isPassed)
        // It is asked once.
        #expect(limits.takeEarly(request, &usage).isPassed)
        request.identity = try LimitWorld.identity()
        #expect(limits.proceed(request, &usage).asked == ["tenant", "perUser"])
        #expect(limits.storeAnswered(decided((true, 1), (true, 1)), request, &usage).isPassed)
        #expect(usage.names == ["strangers", "here", "tenant", "perUser"])
        #expect(
            usage.fields[.rateLimit]
                == #""strangers";r=2;t=1, "here";r=1;t=2, "tenant";r=2;t=1, "perUser";r=2;t=1"#)
    }

    @Test("Without limits by client and endpoint in a store, nobody is asked before")
    func nothingEarly() {
        let limits = limits([
            "here": LimitWorld.limit(.client), "tenant": LimitWorld.stored(.header("X-Tenant")),
        ])
        var usage = LimitUsage()
        #expect(!limits.owesEarly(usage))
        #expect(limits.takeEarly(LimitWorld.request(), &usage).isPassed)
        #expect(usage.isEmpty)
    }

    @Test("Once a limit by client refuses, nothing tells whether somebody is known")
    func noOracle() throws {
        let limits = limits([
            "near": LimitWorld.limit(.endpoint, burst: 100), "own": LimitWorld.limit(.identity),
            "strangers": LimitWorld.stored(.client), "perUser": LimitWorld.stored(.identity),
        ])
        let bad = LimitWorld.request()
        let good = LimitWorld.request(by: try LimitWorld.identity())
        var answers: [(step: LimitStep, usage: LimitUsage)] = []
        // The credential is bad: the store is asked for the refusal's sake.
        var usage = LimitUsage()
        #expect(limits.begin(bad, &usage).isPassed)
        #expect(limits.takeEarly(bad, &usage).asked == ["strangers"])
        answers.append((limits.storeAnswered(decided((false, 3)), bad, &usage), usage))
        // It is good, and another limit of the store refuses the request, too.
        for (isAllowed, backlog) in [(true, Int64(0)), (false, 3)] {
            var (step, usage) = limits.take(good)
            #expect(step.asked == ["strangers", "perUser"])
            step = limits.storeAnswered(decided((false, 3), (isAllowed, backlog)), good, &usage)
            answers.append((step, usage))
        }
        // It is good, and a limit of this process refuses the request before.
        for _ in 0..<3 {
            var usage = LimitUsage()
            #expect(limits.proceed(good, &usage).asked != nil)
        }
        var (step, late) = limits.take(good)
        #expect(step.refusing == ["own"])
        #expect(limits.takeEarly(good, &late).asked == ["strangers"])
        step = limits.storeAnswered(decided((false, 3)), good, &late)
        answers.append((step, late))
        // The store does not answer, and this process counts.
        let bob = try LimitWorld.identity("mobile", #"{"sub":"bob"}"#)
        for (client, identity) in [("192.0.2.2", nil), ("192.0.2.3", bob)] {
            let request = LimitWorld.request(from: client, by: identity)
            for _ in 0..<3 {
                var usage = LimitUsage()
                _ = limits.takeEarly(request, &usage)
                #expect(limits.storeAnswered(.unavailable, request, &usage).isPassed)
            }
            var usage = LimitUsage()
            #expect(limits.begin(request, &usage).isPassed)
            _ = identity == nil ? limits.takeEarly(request, &usage) : limits.proceed(request, &usage)
            answers.append((limits.storeAnswered(.unavailable, request, &usage), usage))
        }
        for (step, usage) in answers {
            #expect(step.refusing == ["strangers"])
            #expect(step.error?.fields[.retryAfter] == "1")
            #expect(usage.names == ["near", "strangers"])
            #expect(usage.fields[.rateLimit] == #""near";r=100;t=0, "strangers";r=0;t=1"#)
        }
    }

    @Test("What later limits have counted in this process is given back if a limit by client refuses")
    func lateIsGivenBack() throws {
        let limits = limits([
            "own": LimitWorld.limit(.identity, burst: 5), "strangers": LimitWorld.stored(.client),
        ])
        let ann = try LimitWorld.identity()
        let request = LimitWorld.request(by: ann)
        for outcome in [decided((false, 3)), .unavailable] {
            let passed = (0..<10).filter { _ in
                var (step, usage) = limits.take(request)
                #expect(step.asked == ["strangers"])
                step = limits.storeAnswered(outcome, request, &usage)
                return step.isPassed
            }
            if case .unavailable = outcome { #expect(passed.count == 3) } else { #expect(passed.isEmpty) }
        }
        // Only the three that this process admitted count.
        let usage = limits.take(LimitWorld.request(from: "192.0.2.2", by: ann)).usage
        #expect(usage.fields[.rateLimit] == #""own";r=1;t=4"#)
    }

    @Test("If a later limit refuses, the store counts the request for limits by client, and its answer stays")
    func lateRefuses() throws {
        let limits = limits([
            "near": LimitWorld.limit(.client), "own": LimitWorld.limit(.identity, burst: 1),
            "strangers": LimitWorld.stored(.client),
        ])
        let request = LimitWorld.request(by: try LimitWorld.identity())
        #expect(limits.take(request).step.asked == ["strangers"])
        var (step, usage) = limits.take(request)
        #expect(step.refusing == ["own"])
        #expect(limits.takeEarly(request, &usage).asked == ["strangers"])
        step = limits.storeAnswered(decided((true, 1)), request, &usage)
        #expect(step.isPassed)
        #expect(usage.fields[.rateLimit] == #""near";r=2;t=1, "own";r=0;t=1, "strangers";r=2;t=1"#)
    }

    // MARK: Without an answer

    @Test(
        "While the store does not answer, this process counts",
        arguments: [StoreOutcome.unavailable, .decided([])])
    func local(outcome: StoreOutcome) throws {
        let limits = limits(["perUser": LimitWorld.stored(.identity)])
        let request = LimitWorld.request(by: try LimitWorld.identity())
        let steps = (0..<5).map { _ in
            var usage = LimitUsage()
            _ = limits.proceed(request, &usage)
            return limits.storeAnswered(outcome, request, &usage).refusing
        }
        #expect(steps == [nil, nil, nil, ["perUser"], ["perUser"]])
    }

    @Test("Without its store a limit counts in this process at once")
    func withoutStore() {
        let limits = LimitWorld.limits(["strangers": LimitWorld.stored(.client)])
        let steps = (0..<5).map { _ in limits.take(LimitWorld.request()).step.isPassed }
        #expect(steps == [true, true, true, false, false])
    }

    @Test("If one limit denies while the store does not answer, the request is 503, and has used the others")
    func deny() throws {
        let limits = limits([
            "here": LimitWorld.limit(.client), "perUser": LimitWorld.stored(.identity),
            "perPlan": LimitWorld.stored(.claim("plan"), or: .deny),
        ])
        let request = LimitWorld.request(by: try LimitWorld.identity())
        for attempt in 1...5 {
            var (step, usage) = limits.take(request)
            guard attempt < 4 else {
                // Bad credentials cannot be tried for ever while a store is down.
                #expect(step.refusing == ["here"])
                continue
            }
            #expect(step.asked == ["perUser", "perPlan"])
            step = limits.storeAnswered(.unavailable, request, &usage)
            guard case .unavailable(let error) = step else {
                Issue.record("not unavailable")
                return
            }
            #expect(error.code == .upstreamUnavailable)
            #expect(error.fields[.retryAfter] == "1")
            #expect(usage.fields[.rateLimit] == "\"here\";r=\(3 - attempt);t=\(attempt)")
        }
        // It does not apply here.
        let stranger = LimitWorld.request(from: "192.0.2.2")
        #expect(limits.take(stranger).step.isPassed)
        let gone = LimitWorld.limits(["perUser": LimitWorld.stored(.identity, or: .deny)]).take(request)
        #expect(gone.step.error?.code == .upstreamUnavailable)
        #expect(gone.usage.isEmpty)
    }

    @Test("If a limit by client denies, the 503 does not tell whether somebody is known")
    func denyBeforeIdentity() throws {
        let limits = limits([
            "near": LimitWorld.limit(.endpoint, burst: 100), "own": LimitWorld.limit(.identity),
            "strangers": LimitWorld.stored(.client, or: .deny),
        ])
        let good = LimitWorld.request(by: try LimitWorld.identity())
        for attempt in 1...5 {
            var (step, usage) = limits.take(good)
            step = limits.storeAnswered(.unavailable, good, &usage)
            #expect(step.error?.code == .upstreamUnavailable)
            #expect(usage.fields[.rateLimit] == "\"near\";r=\(100 - attempt);t=\(attempt)")
        }
        var usage = LimitUsage()
        let bad = LimitWorld.request()
        #expect(limits.begin(bad, &usage).isPassed)
        #expect(limits.takeEarly(bad, &usage).asked == ["strangers"])
        #expect(
            limits.storeAnswered(.unavailable, bad, &usage).error?.code == .upstreamUnavailable)
        #expect(usage.fields[.rateLimit] == #""near";r=94;t=6"#)
    }

    @Test("While the store does not answer, limits by client count here before another limit denies")
    func denyAfterClient() throws {
        let limits = limits([
            "strangers": LimitWorld.stored(.client), "perUser": LimitWorld.stored(.identity, or: .deny),
        ])
        let request = LimitWorld.request(by: try LimitWorld.identity())
        let codes = (0..<5).map { _ -> ErrorCode? in
            var usage = LimitUsage()
            _ = limits.proceed(request, &usage)
            return limits.storeAnswered(.unavailable, request, &usage).error?.code
        }
        #expect(
            codes == [
                .upstreamUnavailable, .upstreamUnavailable, .upstreamUnavailable, .tooManyRequests,
                .tooManyRequests,
            ])
    }
}
