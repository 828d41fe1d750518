import Locking

/// Addresses that failed to connect recently, to be tried last (RFC 8305, section 4).
final class UnreachableAddresses: Sendable {
    private let until = Lock<[SocketAddress: MonotonicTime]>([:])
    private let age: TimeAmount
    private let limit: Int

    init(age: TimeAmount = .seconds(60), limit: Int = 256) {
        self.age = age
        self.limit = limit
    }

    /// Records that an address refused the connection or clearly lost the race.
    func failed(_ address: SocketAddress, now: MonotonicTime) {
        until.withLock { until in
            if until.count >= limit, until[address] == nil {
                until = until.filter { $0.value > now }
                if until.count >= limit { return }
            }
            until[address] = now + age
        }
    }

    var count: Int { until.withLock { $0.count } }

    func removeExpired(now: MonotonicTime) {
        until.withLock { until in
            guard until.values.contains(where: { $0 <= now }) else { return }
            until = until.filter { $0.value > now }
        }
    }

    func connected(_ address: SocketAddress) {
        until.withLock { if !$0.isEmpty { $0[address] = nil } }
    }

    /// Moves the addresses that failed recently to the end, in their order.
    func ordered(_ addresses: [SocketAddress], now: MonotonicTime) -> [SocketAddress] {
        until.withLock { until in
            guard !until.isEmpty else { return addresses }
            var late: [SocketAddress] = []
            let others = addresses.filter { address in
                guard let end = until[address], end > now else { return true }
                late.append(address)
                return false
            }
            return others + late
        }
    }
}
