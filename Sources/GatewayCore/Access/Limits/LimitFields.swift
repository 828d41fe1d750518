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
    /// The policy's text is constant. Both are written to the stack, and cost no allocation but the room in
    /// the fields.
    package func addFields(to fields: inout HTTPFields) {
        var (policies, states) = (0, 0)
        forEach { limit, _ in
            guard limit.isShown else { return }
            policies &+= limit.policyText.count &+ Self.separator
            states &+= limit.stateText.count &+ Self.numbers &+ Self.separator
        }
        guard policies > 0 else { return }
        withUnsafeTemporaryAllocation(byteCount: max(policies, states), alignment: 1) { room in
            var length = ByteWriter.write(to: room) { line in
                forEach { limit, _ in
                    guard limit.isShown else { return }
                    if line.count > 0 { line.append(", ") }
                    line.append(limit.policyText[...])
                }
            }
            Self.add(.rateLimitPolicy, room[..<length], to: &fields)
            length = ByteWriter.write(to: room) { line in
                forEach { limit, taken in
                    guard limit.isShown else { return }
                    if line.count > 0 { line.append(", ") }
                    line.append(limit.stateText[...])
                    taken.write(to: &line)
                }
            }
            Self.add(.rateLimit, room[..<length], to: &fields)
        }
    }

    /// Bytes of the fields that `addFields(to:)` adds for these limits, at most.
    static func fieldRoom(for limits: [KeptLimit]) -> Int {
        let shown = limits.filter(\.isShown)
        guard !shown.isEmpty else { return 0 }
        let names = 2 * (HTTPFieldName.rateLimitPolicy.description.utf8.count + 4)
        return shown.reduce(names) { $0 + $1.policyText.count + $1.stateText.count + numbers + 2 * separator }
    }

    /// Bytes of a comma and a blank.
    private static let separator = 2
    /// Bytes of two numbers, and of `;t=` between them.
    private static let numbers = 20 + 3 + 20

    @inline(__always)
    private static func add(
        _ name: HTTPFieldName, _ value: Slice<UnsafeMutableRawBufferPointer>, to fields: inout HTTPFields
    ) {
        let value = UnsafeRawBufferPointer(UnsafeMutableRawBufferPointer(rebasing: value))
        name.withBytes { fields.append(checkedName: $0, value: value) }
    }
}

extension LimitUsage.Taken {
    /// Seconds: on a refusal until the next request is allowed, else until all is back.
    var seconds: Int64 {
        RateLimitPolicy.seconds(decision.isAllowed ? decision.resetNanoseconds : decision.retryNanoseconds)
    }

    fileprivate func write(to line: inout ByteWriter) {
        line.append(decimal: max(decision.isAllowed ? decision.remaining : 0, 0))
        line.append(";t=")
        line.append(decimal: Int(seconds))
    }
}
