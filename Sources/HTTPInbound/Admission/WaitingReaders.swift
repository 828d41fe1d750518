internal import EventIO

/// The clients for whom output waits in memory, when there is too much of it.
struct WaitingReaders {
    struct Reader {
        let connection: Int
        let client: AddressPrefix
        let bytes: Int
        /// See `ReaderPace`.
        var dueAt: MonotonicTime
    }

    private var readers: [Reader]
    private let now: MonotonicTime

    init(_ readers: [Reader], at now: MonotonicTime) {
        self.readers = readers
        self.now = now
    }

    /// Chooses the connection to reset: of connections whose client should have read more by now, or of all
    /// if every client reads steadily, one of the client that holds the most bytes, and of these the most
    /// overdue.
    ///
    /// - Parameter ask: finds out from the kernel when the client of a connection is due. What is known may
    ///   be a second old.
    mutating func next(_ ask: (_ connection: Int) -> MonotonicTime) -> Int? {
        let totals = totals { $0.dueAt <= now }
        while let index = first(by: totals, where: { $0.dueAt <= now }) {
            let dueAt = ask(readers[index].connection)
            if dueAt <= now { return readers[index].connection }
            readers[index].dueAt = dueAt
        }
        return first(by: self.totals { _ in true }, where: { _ in true }).map { readers[$0].connection }
    }

    private func totals(_ isCounted: (Reader) -> Bool) -> [AddressPrefix: Int] {
        var totals: [AddressPrefix: Int] = [:]
        for reader in readers where isCounted(reader) { totals[reader.client, default: 0] += reader.bytes }
        return totals
    }

    private func first(by totals: [AddressPrefix: Int], where isWanted: (Reader) -> Bool) -> Int? {
        var first: (index: Int, total: Int)?
        for (index, reader) in readers.enumerated() where isWanted(reader) {
            let total = totals[reader.client] ?? 0
            if let first {
                let isLater = total == first.total && reader.dueAt >= readers[first.index].dueAt
                if total < first.total || isLater { continue }
            }
            first = (index, total)
        }
        return first?.index
    }
}
