/// Decides when to try each address of a name (RFC 8305, "Happy Eyeballs"). An attempt does not wait for the
/// earlier ones to finish; the first to connect wins.
struct ConnectRace {
    enum Step: Equatable {
        /// Connect to this address and call `timePassed` at `wake`. Earlier attempts continue.
        case begin(SocketAddress, wake: MonotonicTime)
        case wait(until: MonotonicTime)
        /// Report the last failure: no address is left, and none will come.
        case fail(SocketError)
        case timeOut
    }

    /// How long an address is tried before the next one starts (default of RFC 8305, section 5).
    static let delay = TimeAmount.milliseconds(250)
    /// The configurable range of `delay` (RFC 8305, section 8).
    static let delays = TimeAmount.milliseconds(100)...TimeAmount.seconds(2)
    /// The delay when many addresses share little time.
    private static let shortest = TimeAmount.milliseconds(10)

    private var waiting: ArraySlice<SocketAddress>
    private let asked: TimeAmount
    private var delay: TimeAmount
    private let deadline: MonotonicTime
    private var underWay = 0
    /// When the next attempt may start while others are in progress.
    private var nextBegin: MonotonicTime
    private var lastError: SocketError?
    /// Whether the other family is still looked up.
    private(set) var expectsMore: Bool

    /// Tries `addresses` in order. `delay` is clamped to `delays`. If `expectsMore`, the race does not fail
    /// before `add` is called.
    init(
        _ addresses: [SocketAddress], expectsMore: Bool = false, delay: TimeAmount, deadline: MonotonicTime,
        now: MonotonicTime
    ) {
        waiting = addresses[...]
        asked = min(max(delay, Self.delays.lowerBound), Self.delays.upperBound)
        self.expectsMore = expectsMore
        self.deadline = deadline
        self.delay = asked
        nextBegin = now
        shareTime(now: now)
    }

    /// Shortens the delay if the addresses could not all be tried otherwise.
    private mutating func shareTime(now: MonotonicTime) {
        let share = (deadline - now).nanoseconds / Int64(max(1, waiting.count))
        delay = min(asked, max(Self.shortest, .nanoseconds(share)))
    }

    /// Adds the addresses of the family that was late. The next attempt is one of them (RFC 8305, section 5).
    mutating func add(_ addresses: [SocketAddress], now: MonotonicTime) -> Step {
        expectsMore = false
        waiting = Self.interleaved(addresses + waiting)[...]
        shareTime(now: now)
        return timePassed(now: now)
    }

    /// Starts the race, or continues it at a step's `wake` time.
    mutating func timePassed(now: MonotonicTime) -> Step {
        guard now < deadline else {
            if underWay == 0, let lastError { return .fail(lastError) }
            return .timeOut
        }
        if underWay == 0 || nextBegin <= now, let address = waiting.popFirst() {
            underWay += 1
            nextBegin = now + delay
            return .begin(address, wake: wake)
        }
        if underWay == 0, !expectsMore, let lastError { return .fail(lastError) }
        return .wait(until: wake)
    }

    /// Records that an attempt failed. The next one starts at once.
    mutating func failed(_ error: SocketError, now: MonotonicTime) -> Step {
        underWay -= 1
        lastError = error
        nextBegin = now
        return timePassed(now: now)
    }

    private var wake: MonotonicTime { waiting.isEmpty ? deadline : min(nextBegin, deadline) }

    /// Alternates the address families, starting with the first address's, and keeps the order within each
    /// family (RFC 8305, section 4). The system sorts reachable addresses first, and IPv6 before IPv4
    /// (RFC 6724).
    static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let first = addresses.first else { return [] }
        let own = addresses.filter { $0.family == first.family }
        let others = addresses.filter { $0.family != first.family }
        var mixed: [SocketAddress] = []
        mixed.reserveCapacity(addresses.count)
        for index in 0..<max(own.count, others.count) {
            if index < own.count { mixed.append(own[index]) }
            if index < others.count { mixed.append(others[index]) }
        }
        return mixed
    }
}
