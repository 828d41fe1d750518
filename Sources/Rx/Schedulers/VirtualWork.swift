import Locking

/// Work that waits for its virtual time: a binary heap by time and, at equal times, by the order in which it was scheduled.
///
/// The heap holds its items by a class that is not generic: moving those of a generic one looks up metadata each time.
final class VirtualWork<Converter: VirtualTimeConverterType>: Sendable {
    typealias Time = Converter.VirtualTimeUnit

    private struct State {
        var heap: [WaitingItem] = []
        var lastID: UInt64 = 0
    }

    private let converter: Converter
    private let state = Lock(State())

    init(_ converter: Converter) {
        self.converter = converter
    }

    var count: Int { state.withLock { $0.heap.count } }

    /// The times of all work, the earliest first.
    var times: [Time] {
        state.withLock { state in state.heap.sorted { isBefore($0, $1) }.map { time(of: $0) } }
    }

    /// - Returns: what removes the work, or disposes what it has returned.
    func insert(at time: Time, _ action: @escaping @Sendable () -> any Disposable) -> any Disposable {
        let item = VirtualItem(self, time, action)
        state.withLock { state in
            state.lastID += 1
            item.id = state.lastID
            item.place = state.heap.count
            state.heap.append(item)
            rise(from: item.place, &state.heap)
        }
        return item
    }

    /// Takes the first work, unless it comes after `limit`.
    func next(until limit: Time?) -> VirtualItem<Converter>? {
        state.withLock { state in
            guard let first = state.heap.first else { return nil }
            if let limit, converter.compareVirtualTime(time(of: first), limit) == .greaterThan { return nil }
            take(at: 0, &state.heap)
            return unsafeDowncast(first, to: VirtualItem<Converter>.self)
        }
    }

    /// Takes `item` out if it waits.
    fileprivate func remove(_ item: VirtualItem<Converter>) {
        state.withLock { state in
            if item.place >= 0 { take(at: item.place, &state.heap) }
        }
    }

    /// Takes all out and drops it: items that wait hold this, and it holds them.
    func clear() {
        // Dropped outside of the lock: what the work holds may come back here.
        let dropped = state.withLock { state in
            let heap = state.heap
            state.heap = []
            for item in heap { item.place = -1 }
            return heap
        }
        for item in dropped { unsafeDowncast(item, to: VirtualItem<Converter>.self).drop() }
    }

    // MARK: The heap, under its lock

    private func time(of item: WaitingItem) -> Time {
        unsafeDowncast(item, to: VirtualItem<Converter>.self).time
    }

    private func isBefore(_ left: WaitingItem, _ right: WaitingItem) -> Bool {
        switch converter.compareVirtualTime(time(of: left), time(of: right)) {
        case .lessThan: true
        case .greaterThan: false
        case .equal: left.id < right.id
        }
    }

    private func take(at place: Int, _ heap: inout [WaitingItem]) {
        heap[place].place = -1
        let last = heap.removeLast()
        guard place < heap.count else { return }
        put(last, at: place, &heap)
        rise(from: place, &heap)
        sink(from: last.place, &heap)
    }

    private func put(_ item: WaitingItem, at place: Int, _ heap: inout [WaitingItem]) {
        heap[place] = item
        item.place = place
    }

    private func rise(from start: Int, _ heap: inout [WaitingItem]) {
        let item = heap[start]
        var place = start
        while place > 0 {
            let above = heap[(place - 1) / 2]
            guard isBefore(item, above) else { break }
            put(above, at: place, &heap)
            place = (place - 1) / 2
        }
        if place != start { put(item, at: place, &heap) }
    }

    private func sink(from start: Int, _ heap: inout [WaitingItem]) {
        let item = heap[start]
        var place = start
        while 2 * place + 1 < heap.count {
            var child = 2 * place + 1
            if child + 1 < heap.count, isBefore(heap[child + 1], heap[child]) { child += 1 }
            guard isBefore(heap[child], item) else { break }
            put(heap[child], at: place, &heap)
            place = child
        }
        if place != start { put(item, at: place, &heap) }
    }
}

// Sound: the lock of the work guards both.
class WaitingItem: @unchecked Sendable {
    /// Where it is in the heap; -1 where it does not wait.
    fileprivate final var place = -1
    fileprivate final var id: UInt64 = 0
}

/// A piece of work, and the disposable of it.
// Sound: the lock of the work guards what changes.
final class VirtualItem<Converter: VirtualTimeConverterType>: WaitingItem, Disposable, @unchecked Sendable {
    let time: Converter.VirtualTimeUnit
    private let work: VirtualWork<Converter>
    /// Nil once it has run or was disposed.
    private let action: Lock<(@Sendable () -> any Disposable)?>
    private let result = SingleAssignmentDisposable()

    fileprivate init(
        _ work: VirtualWork<Converter>, _ time: Converter.VirtualTimeUnit,
        _ action: @escaping @Sendable () -> any Disposable
    ) {
        self.work = work
        self.time = time
        self.action = Lock(action)
        super.init()
    }

    /// Runs the work, unless it was disposed.
    func run() {
        if let action = action.withLock({ $0.take() }) { result.setDisposable(action()) }
    }

    func dispose() {
        result.dispose()
        work.remove(self)
        drop()
    }

    /// Lets go of the work, outside of the lock: what it holds may come back here.
    fileprivate func drop() {
        _ = action.withLock { $0.take() }
    }
}
