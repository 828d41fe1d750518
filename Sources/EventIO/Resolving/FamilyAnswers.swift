/// The answers for the IPv6 and the IPv4 addresses of one name (RFC 8305, section 3): one family is enough to
/// start with. Time is a parameter.
struct FamilyAnswers {
    enum Answer: Equatable {
        case found([SocketAddress], freshUntil: MonotonicTime)
        /// The name exists, but has no address of this family.
        case noData
        /// The name does not exist.
        case notFound
        /// No connection can be made to any of these addresses.
        case unusable([SocketAddress])
        /// `.nameFailed` or `.nameTimedOut`.
        case failure(SocketError.Kind)
    }

    enum State: Equatable {
        /// No address is known. The state may change at this time without another answer.
        case waiting(until: MonotonicTime)
        /// The other family's answer may add addresses.
        case partial([SocketAddress])
        /// `freshUntil` is the end of the shorter time to live. The other family has none, or its query
        /// failed.
        case found([SocketAddress], freshUntil: MonotonicTime)
        case failed(Failure)
    }

    enum Failure: Equatable {
        /// The name does not exist, or has no address. The next search domain may have it.
        case nowhere
        case unusable([SocketAddress])
        case failure(SocketError.Kind)
    }

    /// How long the IPv4 answer waits for the IPv6 answer ("Resolution Delay" of RFC 8305, section 8).
    static let resolutionDelay = TimeAmount.milliseconds(50)

    private var ipv6: Answer?
    private var ipv4: Answer?
    private var ipv4Arrival = MonotonicTime.distantFuture

    mutating func ipv6Answered(_ answer: Answer) { ipv6 = ipv6 ?? answer }

    mutating func ipv4Answered(_ answer: Answer, now: MonotonicTime) {
        guard ipv4 == nil else { return }
        ipv4 = answer
        ipv4Arrival = now
    }

    /// Counts the answers that are still missing as timed out.
    mutating func deadlinePassed(now: MonotonicTime) {
        ipv6Answered(.failure(.nameTimedOut))
        ipv4Answered(.failure(.nameTimedOut), now: now)
    }

    func state(now: MonotonicTime) -> State {
        switch (ipv6, ipv4) {
        case (.found(let six, let sixUntil), .found(let four, let fourUntil)):
            return .found(AddressPreference.ordered(six, four), freshUntil: min(sixUntil, fourUntil))
        case (.found(let six, _), nil): return .partial(six)
        case (.found(let found, let until), _?), (_?, .found(let found, let until)):
            return .found(found, freshUntil: until)
        case (nil, .found(let four, _)):
            let end = ipv4Arrival + Self.resolutionDelay
            return now < end ? .waiting(until: end) : .partial(four)
        case (nil, .notFound):
            // A name that does not exist has no addresses of the other family either (RFC 8020). Not so the
            // other way round: some servers deny the name when they are asked for AAAA (RFC 4074 4.2).
            let end = ipv4Arrival + Self.resolutionDelay
            return now < end ? .waiting(until: end) : .failed(.nowhere)
        case (nil, _), (_, nil): return .waiting(until: .distantFuture)
        case (let six?, let four?): return .failed(Self.failure(six, four))
        }
    }

    /// Neither has an address that can be used.
    private static func failure(_ ipv6: Answer, _ ipv4: Answer) -> Failure {
        if ipv4 == .notFound { return .nowhere }
        for case .failure(let kind) in [ipv4, ipv6] { return .failure(kind) }
        var rejected: [SocketAddress] = []
        for case .unusable(let addresses) in [ipv6, ipv4] { rejected += addresses }
        return rejected.isEmpty ? .nowhere : .unusable(rejected)
    }
}
