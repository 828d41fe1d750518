/// Work that waits for its virtual time: a binary heap by time and, at equal times, by the order in which it was scheduled.
///
/// Work that is removed leaves its entry in the heap. The entry is passed over when its time comes, or swept out with others
/// once they are more than half of all.
struct VirtualWork<Time: Sendable>: Sendable {
    typealias Action = @Sendable () -> Void
    typealias Comparison = (Time, Time) -> VirtualTimeComparison

    private struct Entry {
        let time: Time
        let id: UInt64
    }

    private var heap: [Entry] = []
    private var actions: [UInt64: Action] = [:]
    private var lastID: UInt64 = 0

    var count: Int { actions.count }

    /// The times of all work, the earliest first.
    func times(_ compare: Comparison) -> [Time] {
        heap.filter { actions[$0.id] != nil }.sorted { isBefore($0, $1, compare) }.map(\.time)
    }

    /// - Returns: what `remove` knows it by.
    mutating func insert(at time: Time, _ action: @escaping Action, _ compare: Comparison) -> UInt64 {
        lastID += 1
        actions[lastID] = action
        heap.append(Entry(time: time, id: lastID))
        rise(from: heap.count - 1, compare)
        return lastID
    }

    /// - Returns: the work, to be let go of where no lock is held; nil where it has run or was removed.
    mutating func remove(_ id: UInt64, _ compare: Comparison) -> Action? {
        guard let action = actions.removeValue(forKey: id) else { return nil }
        if heap.count > 64, heap.count > 2 * actions.count { sweep(compare) }
        return action
    }

    /// Takes the first work, unless it comes after `limit`.
    mutating func next(until limit: Time?, _ compare: Comparison) -> (time: Time, action: Action)? {
        while let first = heap.first {
            guard actions[first.id] != nil else {
                removeFirst(compare)
                continue
            }
            if let limit, compare(first.time, limit) == .greaterThan { return nil }
            removeFirst(compare)
            return actions.removeValue(forKey: first.id).map { (first.time, $0) }
        }
        return nil
    }

    // MARK: The heap

    private func isBefore(_ left: Entry, _ right: Entry, _ compare: Comparison) -> Bool {
        switch compare(left.time, right.time) {
        case .lessThan: true
        case .greaterThan: false
        case .equal: left.id < right.id
        }
    }

    private mutating func removeFirst(_ compare: Comparison) {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        sink(from: 0, compare)
    }

    private mutating func sweep(_ compare: Comparison) {
        heap.removeAll { actions[$0.id] == nil }
        for index in (0..<heap.count / 2).reversed() { sink(from: index, compare) }
    }

    private mutating func rise(from start: Int, _ compare: Comparison) {
        var index = start
        while index > 0, isBefore(heap[index], heap[(index - 1) / 2], compare) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func sink(from start: Int, _ compare: Comparison) {
        var index = start
        while true {
            var first = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heap.count && isBefore(heap[child], heap[first], compare) {
                first = child
            }
            if first == index { return }
            heap.swapAt(index, first)
            index = first
        }
    }
}
