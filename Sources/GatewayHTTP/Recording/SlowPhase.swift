import GatewayCore

/// What a slow request spent most of its time on.
///
/// Only the way of the part that ended last is looked at: this part, before it the part that ended last
/// before its start, and so on. The time on that way in which no call was in progress is the gateway's.
struct SlowPhase {
    enum Phase: String, CaseIterable {
        /// The client sent its request's body.
        case request
        /// Waiting for a connection of the pool, or for a place to open one.
        case pool
        case connect
        /// From the request to the first byte of its response.
        case firstByte = "first_byte"
        case body
        /// Waiting between two attempts.
        case backoff
        /// Everything that is not an upstream's.
        case gateway
    }

    let phase: Phase
    /// Nil for a call outside of parts, and for the time of the client or the gateway.
    let part: String?
    /// Nil for the time of the client or the gateway.
    let upstream: String?
    let time: Duration

    /// - Parameters:
    ///   - delay: nanoseconds from the request's head to the endpoint's start.
    ///   - parts: all parts and steps.
    ///   - calls: the calls outside of parts.
    ///   - answer: from the endpoint's start to its answer.
    init(
        after delay: Int64 = 0, _ parts: [PartSummary], _ calls: [UpstreamCallSummary], answer: Duration
    ) {
        var sums = Sums()
        // A call that the handler made itself is a part without a name, and among the other calls.
        let spans =
            parts.filter { $0.name != nil || !$0.calls.isEmpty }.compactMap { part in
                part.start.map { Span(part.name, $0, part.elapsed, part.calls) }
            }
            + calls.map { Span(nil, $0.start, $0.elapsed, [$0]) }
        for span in Self.way(of: spans, \.start, \.end) {
            for call in Self.way(of: span.calls, \.start, { $0.start + $0.elapsed }) {
                sums.add(call, of: span.part)
            }
        }
        let upstreams = sums.times.reduce(Duration.zero) { $0 + $1.time }
        sums.times.append(
            Time(phase: .gateway, part: nil, upstream: nil, time: max(.zero, answer - upstreams)))
        sums.times.insert(Time(phase: .request, part: nil, upstream: nil, time: .nanoseconds(delay)), at: 0)
        // The gateway is last, so that the others come first if times are equal.
        let longest = sums.times.dropFirst().reduce(sums.times[0]) { $1.time > $0.time ? $1 : $0 }
        (phase, part, upstream, time) = (longest.phase, longest.part, longest.upstream, longest.time)
    }

    private struct Span {
        let part: String?
        let start: Duration
        let end: Duration
        let calls: [UpstreamCallSummary]

        init(_ part: String?, _ start: Duration, _ elapsed: Duration, _ calls: [UpstreamCallSummary]) {
            self.part = part
            self.start = start
            end = start + elapsed
            self.calls = calls
        }
    }

    /// Returns the element that ended last, the one that ended last before its start, and so on.
    private static func way<Element>(
        of elements: [Element], _ start: (Element) -> Duration, _ end: (Element) -> Duration
    ) -> [Element] {
        var way: [Element] = []
        var rest = elements
        while let last = rest.indices.max(by: { end(rest[$0]) < end(rest[$1]) }) {
            let element = rest.remove(at: last)
            way.append(element)
            let began = start(element)
            // Clocks have microseconds.
            rest.removeAll { end($0) > began + .microseconds(1) }
        }
        return way
    }

    private struct Time {
        let phase: Phase
        let part: String?
        let upstream: String?
        var time: Duration
    }

    private struct Sums {
        var times: [Time] = []

        mutating func add(_ call: UpstreamCallSummary, of part: String?) {
            func add(_ phase: Phase, _ time: Duration) {
                guard time > .zero else { return }
                let known = times.firstIndex {
                    $0.phase == phase && $0.part == part && $0.upstream == call.upstream
                }
                if let known {
                    times[known].time += time
                } else {
                    times.append(Time(phase: phase, part: part, upstream: call.upstream, time: time))
                }
            }
            func add(_ connection: UpstreamConnectionSummary?, _ elapsed: Duration) {
                // A transport without connections waits for its upstream.
                guard let connection else { return add(.firstByte, elapsed) }
                var reached = Duration.zero
                let stages: [(Phase, Duration?)] = [
                    (.pool, connection.assigned), (.connect, connection.sent),
                    (.firstByte, connection.firstByte), (.body, nil),
                ]
                for (phase, end) in stages {
                    add(phase, (end ?? elapsed) - reached)
                    guard let end else { return }
                    reached = end
                }
            }
            guard !call.tries.isEmpty else { return add(call.connection, call.elapsed) }
            var end = call.start
            for attempt in call.tries {
                add(.backoff, attempt.start - end)
                add(attempt.connection, attempt.elapsed)
                end = attempt.start + attempt.elapsed
            }
        }
    }
}
