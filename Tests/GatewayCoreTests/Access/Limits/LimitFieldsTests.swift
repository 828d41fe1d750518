import HTTPModel
import Resilience
import Testing

@testable import GatewayCore

@Suite("The fields of limits")
struct LimitFieldsTests {
    @Test(
        "The policy has the burst, and the seconds in which it comes back",
        arguments: [
            (RateLimit(key: [.client], rate: 100, per: .seconds(60)), #""some";q=100;w=60"#),
            (RateLimit(key: [.client], rate: 100, per: .seconds(60), burst: 20), #""some";q=20;w=12"#),
            (RateLimit(key: [.client], rate: 100, per: .seconds(1), burst: 10), #""some";q=10;w=1"#),
            (RateLimit(key: [.client], rate: 3, per: .seconds(1)), #""some";q=3;w=1"#),
            (RateLimit(key: [.client], rate: 1, per: .seconds(86_400)), #""some";q=1;w=86400"#),
        ])
    func policy(limit: RateLimit, field: String) {
        let (step, usage) = LimitWorld.limits(["some": limit]).take(LimitWorld.request())
        #expect(step.isPassed)
        #expect(usage.fields[.rateLimitPolicy] == field)
    }

    @Test("Seconds are rounded up, while all comes back and while none is left")
    func seconds() {
        let limit = RateLimit(key: [.client], rate: 100, per: .seconds(60))
        let limits = LimitWorld.limits(["perUser": limit])
        var fields = limits.take(LimitWorld.request(at: 0)).usage.fields
        #expect(fields[.rateLimit] == #""perUser";r=99;t=1"#)
        for _ in 0..<57 { fields = limits.take(LimitWorld.request(at: 0)).usage.fields }
        #expect(fields[.rateLimit] == #""perUser";r=42;t=35"#)
        for _ in 0..<42 { fields = limits.take(LimitWorld.request(at: 0)).usage.fields }
        #expect(fields[.rateLimit] == #""perUser";r=0;t=60"#)
        // A refusal tells of the next request.
        fields = limits.take(LimitWorld.request(at: 599_999_999)).usage.fields
        #expect(fields[.rateLimit] == #""perUser";r=0;t=1"#)
        fields = limits.take(LimitWorld.request(at: 600_000_000)).usage.fields
        #expect(fields[.rateLimit] == #""perUser";r=0;t=60"#)
    }

    @Test("There is one field with a member for each limit that counts the request")
    func members() throws {
        let limits = LimitWorld.limits([
            "strangers": LimitWorld.limit(.client), "perUser": LimitWorld.limit(.identity, burst: 5),
        ])
        var fields = limits.take(LimitWorld.request(by: try LimitWorld.identity())).usage.fields
        #expect(fields[.rateLimitPolicy] == #""strangers";q=3;w=3, "perUser";q=5;w=5"#)
        #expect(fields[.rateLimit] == #""strangers";r=2;t=1, "perUser";r=4;t=1"#)
        #expect(fields.count == 2)
        fields = limits.take(LimitWorld.request()).usage.fields
        #expect(fields[.rateLimitPolicy] == #""strangers";q=3;w=3"#)
    }

    @Test("A limit with headers off has no member, and its refusal only Retry-After")
    func off() throws {
        var hidden = LimitWorld.limit(.client, burst: 1)
        hidden.headers = false
        var limits = LimitWorld.limits(["hidden": hidden])
        #expect(limits.take(LimitWorld.request()).usage.fields.isEmpty)
        let (step, usage) = limits.take(LimitWorld.request())
        #expect(usage.fields.isEmpty)
        let error = try #require(step.error)
        #expect(error.fields.count == 1)
        #expect(error.fields[.retryAfter] == "1")
        limits = LimitWorld.limits(["a": LimitWorld.limit(.client), "hidden": hidden, "b": hidden])
        let fields = limits.take(LimitWorld.request()).usage.fields
        #expect(fields[.rateLimitPolicy] == #""a";q=3;w=3"#)
        #expect(fields[.rateLimit] == #""a";r=2;t=1"#)
    }

    @Test("An answer without limits has no field")
    func none() {
        #expect(LimitUsage().fields.isEmpty)
    }

    @Test("On a 429, Retry-After is the largest of the times of the limits that refuse")
    func retryAfter() throws {
        let slow = RateLimit(key: [.client], rate: 1, per: .milliseconds(12_300))
        let limits = LimitWorld.limits(["fast": LimitWorld.limit(.client), "slow": slow])
        #expect(limits.take(LimitWorld.request()).step.isPassed)
        let (step, usage) = limits.take(LimitWorld.request(at: 1))
        let error = try #require(step.error)
        #expect(error.fields[.retryAfter] == "13")
        #expect(usage.fields[.rateLimit] == #""fast";r=2;t=1, "slow";r=0;t=13"#)
    }
}
