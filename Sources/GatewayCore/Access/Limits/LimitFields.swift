import ASCIIText
package import HTTPModel
import Resilience

extension HTTPFieldName {
    /// What a limit has left (draft-ietf-httpapi-ratelimit-headers-10, 4).
    package static var rateLimit: HTTPFieldName { "RateLimit" }
    /// What a limit allows (the same, 3).
    package static var rateLimitPolicy: HTTPFieldName { "RateLimit-Policy" }
}

extension LimitUsage {
    /// The fields that an answer gets: see `addFields(to:)`.
    package var fields: HTTPFields {
        var fields = HTTPFields()
        addFields(to: &fields)
        return fields
    }

    /// Adds `RateLimit-Policy` and `RateLimit`, with a member for each limit whose `headers` are on:
    ///
    ///     RateLimit-Policy: "perUser";q=100;w=60
    ///     RateLimit: "perUser";r=42;t=35
    ///
    /// The policy's text is constant. The state is written to the stack, and costs no allocation but the
    /// room in the fields.
    package func addFields(to fields: inout HTTPFields) {
        var policies = 0
        var states = 0
        forEach { count in
            guard count.limit.settings.headers else { return }
            policies += count.limit.policyText.count + Self.separator
            states += count.limit.stateText.count + Self.numbers + Self.separator
        }
        guard policies > 0 else { return }
        Self.add(.rateLimitPolicy, atMost: policies, to: &fields) { line in
            forEach { count in
                guard count.limit.settings.headers else { return }
                if line.count > 0 { line.append(", ") }
                line.append(count.limit.policyText[...])
            }
        }
        Self.add(.rateLimit, atMost: states, to: &fields) { line in
            forEach { count in
                guard count.limit.settings.headers else { return }
                if line.count > 0 { line.append(", ") }
                count.write(to: &line)
            }
        }
    }

    /// Bytes of a comma and a blank.
    private static let separator = 2
    /// Bytes of two numbers, and of `;t=` between them.
    private static let numbers = 20 + 3 + 20

    private static func add(
        _ name: HTTPFieldName, atMost capacity: Int, to fields: inout HTTPFields,
        _ write: (inout ByteWriter) -> Void
    ) {
        withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) { room in
            let length = ByteWriter.write(to: room) { write(&$0) }
            let value = UnsafeRawBufferPointer(rebasing: room[..<length])
            name.withBytes { fields.append(name: $0, value: value) }
        }
    }
}

extension LimitUsage.Count {
    /// Seconds: on a refusal until the next request is allowed, else until all is back.
    var seconds: Int64 {
        RateLimitPolicy.seconds(decision.isAllowed ? decision.resetNanoseconds : decision.retryNanoseconds)
    }

    fileprivate func write(to line: inout ByteWriter) {
        line.append(limit.stateText[...])
        line.append(decimal: max(decision.isAllowed ? decision.remaining : 0, 0))
        line.append(";t=")
        line.append(decimal: Int(seconds))
    }
}
