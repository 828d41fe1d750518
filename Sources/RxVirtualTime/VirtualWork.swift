import Locking
import Rx

/// Work that waits for its virtual time: a binary heap ordered by time and then by order of scheduling. The
/// heap stores items by a non-generic superclass, because moving instances of a generic class looks up
/// metadata.
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

    /// The times of all work, earliest first.
    var times: [Time] {
        state.withLock { state in state.heap.sorted { isBefore($0, $1) }.map { time(of: $0) } }
    }

    /// - Returns: A disposable that removes the work or, once it has run, disposes what it returned.
    func insert(at time: Time, _ action: @escaping @Sendable () -> any Disposable) -> any Disposable {
        let item = VirtualItem(self, time, action)
        state.withLock { state in
            state.lastID += 1
            item.id = state.lastID
            item.heapIndex = state.heap.count
            state.heap.append(item)
            siftUp(from: item.heapIndex, &state.heap)
        }
        return item
    }

    /// Removes and returns the first work, unless it is later than `limit`.
    func next(until limit: Time?) -> VirtualItem<Converter>? {
        state.withLock { state in
            guard let first = state.heap.first else { return nil }
            if let limit, converter.compareVirtualTime(time(of: first), limit) == .greaterThan { return nil }
            take(at: 0, &state.heap)
            return unsafeDowncast(first, to: VirtualItem<Converter>.self)
        }
    }

    /// Removes `item` if it is waiting.
    fileprivate func remove(_ item: VirtualItem<Converter>) {
        state.withLock { state in
            if item.heapIndex >= 0 { take(at: item.heapIndex, &state.heap) }
        }
    }

    /// Removes and drops all work. Waiting items and this object retain each other.
    func clear() {
        // Released outside the lock, because releasing the work may call back into this object.
        let dropped = state.withLock { state in
            let heap = state.heap
            state.heap = []
            for item in heap { item.heapIndex = -1 }
            return heap
        }
        for item in dropped { unsafeDowncast(item, to: VirtualItem<Converter>.self).drop() }
    }

    // MARK: Heap operations, called with the lock held

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
        heap[place].heapIndex = -1
        let last = heap.removeLast()
        guard place < heap.count else { return }
        put(last, at: place, &heap)
        siftUp(from: place, &heap)
        siftDown(from: last.heapIndex, &heap)
    }

    private func put(_ item: WaitingItem, at place: Int, _ heap: inout [WaitingItem]) {
        heap[place] = item
        item.heapIndex = place
    }

    private func siftUp(from start: Int, _ heap: inout [WaitingItem]) {
        let item = heap[start]
        var place = start
        while place > 0 {
            let parent = heap[(place - 1) / 2]
            guard isBefore(item, parent) else { break }
            put(parent, at: place, &heap)
            place = (place - 1) / 2
        }
        if place != start { put(item, at: place, &heap) }
    }

    private func siftDown(from start: Int, _ heap: inout [WaitingItem]) {
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

// Sound: the lock of the `VirtualWork` guards both properties.
class WaitingItem: @unchecked Sendable {
    /// The index in the heap, or -1 if it is not waiting.
    fileprivate final var heapIndex = -1
    fileprivate final var id: UInt64 = 0
}

/// A piece of work and its disposable.
// Sound: it adds only constants and a lock.
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

    /// Runs the work unless it was disposed.
    func run() {
        if let action = action.withLock({ $0.take() }) { result.setDisposable(action()) }
    }

    func dispose() {
        result.dispose()
        work.remove(self)
        drop()
    }

    /// Releases the work outside the lock, because that may call back into this object.
    fileprivate func drop() {
        _ = action.withLock { $0.take() }
    }
}
