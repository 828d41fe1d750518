/// Which of a name's addresses is tried when (RFC 8305, "Happy Eyeballs"): one after the other, the next one without
/// waiting for the end of those before, and the first that connects wins. It decides; `ConnectAttempt` does.
struct ConnectRace {
    enum Step: Equatable {
        /// Begin to connect to this address, and say `timePassed` at that time. Those under way go on.
        case begin(SocketAddress, wake: MonotonicTime)
        /// Say `timePassed` at that time.
        case wait(until: MonotonicTime)
        /// Nothing is left to be tried: the last failure.
        case fail(SocketError)
        /// The time is over.
        case timeOut
    }

    /// How long an address has for itself where nothing else is said. What RFC 8305 5 recommends.
    static let delay = TimeAmount.milliseconds(250)
    /// What it may be set to (RFC 8305 8).
    static let delays = TimeAmount.milliseconds(100)...TimeAmount.seconds(2)
    /// What it is made to be where more addresses than that are to be tried in the time that there is.
    private static let shortest = TimeAmount.milliseconds(10)

    private var waiting: ArraySlice<SocketAddress>
    private let delay: TimeAmount
    private let deadline: MonotonicTime
    private var underWay = 0
    /// When the next one may begin, those before being under way.
    private var nextBegin: MonotonicTime
    private var lastError: SocketError?

    /// - Parameters:
    ///   - addresses: in the order in which they are tried.
    ///   - delay: brought into `delays`.
    init(_ addresses: [SocketAddress], delay: TimeAmount, deadline: MonotonicTime, now: MonotonicTime) {
        waiting = addresses[...]
        let share = (deadline - now).nanoseconds / Int64(max(1, addresses.count))
        let asked = min(max(delay, Self.delays.lowerBound), Self.delays.upperBound)
        self.delay = min(asked, max(Self.shortest, .nanoseconds(share)))
        self.deadline = deadline
        nextBegin = now
    }

    /// It begins, or the time has come that a step named.
    mutating func timePassed(now: MonotonicTime) -> Step {
        guard now < deadline else { return .timeOut }
        if underWay == 0 || nextBegin <= now, let address = waiting.popFirst() {
            underWay += 1
            nextBegin = now + delay
            return .begin(address, wake: wake)
        }
        if underWay == 0, let lastError { return .fail(lastError) }
        return .wait(until: wake)
    }

    /// One that was begun has failed: the next one does not wait.
    mutating func failed(_ error: SocketError, now: MonotonicTime) -> Step {
        underWay -= 1
        lastError = error
        nextBegin = now
        return timePassed(now: now)
    }

    private var wake: MonotonicTime { waiting.isEmpty ? deadline : min(nextBegin, deadline) }

    /// The families by turns, beginning with that of the first, each in the order given (RFC 8305 4): the system puts first
    /// what it takes for reachable (RFC 6724), IPv6 where both are.
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
