import Timers

/// The timers of a loop: a hierarchical timing wheel over a slab of nodes.
///
/// A slot of level n spans 64^n ticks of 2^20 ns (1.05 ms), so six levels of 64 slots cover 2.3 years.
/// Setting and cancelling touch one doubly linked list, and allocate only while the slab grows. One word of
/// bits per level marks the slots in use, which finds the next due time without a search. Timers of the same
/// tick fire in the order in which they were set: they always share a slot, and moving a slot down keeps its
/// order.
///
/// The slab is plain memory, since an array costs more instructions (660 instead of 440 to set and cancel a
/// timer). `cancel` checks its index, which comes from outside; all others come from the wheel's own lists.
struct TimerWheel: ~Copyable {
    /// Ticks since the clock's zero.
    typealias Tick = UInt64

    private struct Node {
        var target: (any TimerTarget)?
        var due: Tick
        var next: Int32
        var previous: Int32
        var list: Int32
        var generation: UInt32
    }

    private struct List {
        var first: Int32 = -1
        var last: Int32 = -1
    }

    private static let levels = 6
    private static let dueList = Int32(levels * 64)
    private static let noList: Int32 = -1
    /// One top-level slot less than a full turn, so that no timer shares the current slot.
    private static let maximumDelay: Tick = 63 << 30

    // Allocated in `init` and `grow`, freed in `deinit`. The first `nodeCount` nodes are initialized.
    private var nodes: UnsafeMutablePointer<Node>
    private var capacity = 64
    private var nodeCount = 0
    private var firstFree: Int32 = -1
    private let lists: UnsafeMutablePointer<List>
    private var occupied: InlineArray<6, UInt64> = .init(repeating: 0)
    private var elapsed: Tick

    private(set) var count = 0

    init(now: MonotonicTime) {
        elapsed = Self.tick(reached: now)
        nodes = .allocate(capacity: capacity)
        lists = .allocate(capacity: Self.levels * 64 + 1)
        lists.initialize(repeating: List(), count: Self.levels * 64 + 1)
    }

    deinit {
        nodes.deinitialize(count: nodeCount)
        nodes.deallocate()
        lists.deallocate()
    }

    static func tick(reached time: MonotonicTime) -> Tick {
        Tick(max(0, time.nanoseconds)) >> 20
    }

    /// The first tick at or after `time`, so that no timer fires early.
    static func tick(notBefore time: MonotonicTime) -> Tick {
        (Tick(max(0, time.nanoseconds)) + (1 << 20 - 1)) >> 20
    }

    static func time(of tick: Tick) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(clamping: tick << 20))
    }

    /// Adds a timer. Returns its token and the tick at which the wheel must advance for it.
    mutating func set(at deadline: MonotonicTime, target: any TimerTarget) -> (token: TimerToken, due: Tick) {
        let due = min(Self.tick(notBefore: deadline), elapsed + Self.maximumDelay)
        let index = allocateNode()
        let node = nodes + Int(index)
        node.pointee.target = target
        node.pointee.due = due
        insert(index)
        count += 1
        return (TimerToken(index: UInt32(index), generation: node.pointee.generation), due)
    }

    /// Removes a timer and returns its target; nil if it has fired or was cancelled. Release the target only
    /// after this returns: its `deinit` may set and cancel timers.
    @discardableResult
    mutating func cancel(_ token: TimerToken) -> (any TimerTarget)? {
        let position = Int(token.index)
        guard position < nodeCount, nodes[position].generation == token.generation,
            nodes[position].list != Self.noList
        else { return nil }
        let index = Int32(truncatingIfNeeded: position)
        unlink(index)
        return freeNode(index)
    }

    mutating func removeAll() -> [any TimerTarget] {
        (0..<nodeCount).compactMap { position in
            guard nodes[position].list != Self.noList else { return nil }
            unlink(Int32(position))
            return freeNode(Int32(position))
        }
    }

    /// Moves due timers to the due list, from which `takeDue` returns them.
    mutating func advance(to now: MonotonicTime) {
        let reached = Self.tick(reached: now)
        while let (start, list) = nextSlot(), start <= reached {
            elapsed = max(elapsed, start)
            cascade(list)
        }
        elapsed = max(elapsed, reached)
    }

    mutating func takeDue() -> (target: any TimerTarget, token: TimerToken)? {
        let index = lists[Int(Self.dueList)].first
        guard index >= 0 else { return nil }
        let token = TimerToken(index: UInt32(index), generation: nodes[Int(index)].generation)
        unlink(index)
        return freeNode(index).map { ($0, token) }
    }

    /// When the wheel must advance next; nil if no timer is set.
    var nextTick: Tick? { lists[Int(Self.dueList)].first >= 0 ? elapsed : nextSlot()?.start }

    // MARK: Slots

    private func nextSlot() -> (start: Tick, list: Int32)? {
        for level in 0..<Self.levels where occupied[level] != 0 {
            let shift = UInt64(level * 6)
            let current = (elapsed >> shift) & 63
            let rotated = occupied[level] >> current | occupied[level] << ((64 - current) & 63)
            let slot = (UInt64(rotated.trailingZeroBitCount) + current) & 63
            let turn: Tick = 1 << (shift + 6)
            var start = elapsed & ~(turn - 1) | slot << shift
            // A slot before the current one belongs to the next turn of its level.
            if slot < current { start += turn }
            return (start, Int32(level * 64) + Int32(slot))
        }
        return nil
    }

    /// Empties a slot when its time begins. Each timer moves down one or more levels, or is due.
    private mutating func cascade(_ list: Int32) {
        var index = lists[Int(list)].first
        lists[Int(list)] = List()
        occupied[Int(list) >> 6] &= ~(1 << UInt64(list & 63))
        while index >= 0 {
            let next = nodes[Int(index)].next
            insert(index)
            index = next
        }
    }

    private mutating func insert(_ index: Int32) {
        let due = nodes[Int(index)].due
        var list = Self.dueList
        if due > elapsed {
            let level = (63 - ((elapsed ^ due) | 63).leadingZeroBitCount) / 6
            // A timer beyond the top level waits in its slot and is placed again from there.
            let reachable = min(level, Self.levels - 1)
            let slot = (due >> UInt64(reachable * 6)) & 63
            list = Int32(reachable * 64) + Int32(slot)
            occupied[reachable] |= 1 << slot
        }
        let node = nodes + Int(index)
        let end = lists + Int(list)
        let last = end.pointee.last
        node.pointee.list = list
        node.pointee.previous = last
        node.pointee.next = -1
        end.pointee.last = index
        if last >= 0 {
            nodes[Int(last)].next = index
        } else {
            end.pointee.first = index
        }
    }

    private mutating func unlink(_ index: Int32) {
        let (previous, next) = (nodes[Int(index)].previous, nodes[Int(index)].next)
        let list = nodes[Int(index)].list
        if previous >= 0 { nodes[Int(previous)].next = next } else { lists[Int(list)].first = next }
        if next >= 0 { nodes[Int(next)].previous = previous } else { lists[Int(list)].last = previous }
        if list != Self.dueList, lists[Int(list)].first < 0 {
            occupied[Int(list) >> 6] &= ~(1 << UInt64(list & 63))
        }
    }

    // MARK: Nodes

    private mutating func allocateNode() -> Int32 {
        guard firstFree < 0 else {
            let index = firstFree
            firstFree = nodes[Int(index)].next
            return index
        }
        if nodeCount == capacity { grow() }
        (nodes + nodeCount).initialize(
            to: Node(target: nil, due: 0, next: -1, previous: -1, list: Self.noList, generation: 1))
        nodeCount += 1
        return Int32(nodeCount - 1)
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Node>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: nodes, count: nodeCount)
        nodes.deallocate()
        nodes = larger
        capacity *= 2
    }

    private mutating func freeNode(_ index: Int32) -> (any TimerTarget)? {
        let node = nodes + Int(index)
        let target = node.pointee.target.take()
        node.pointee.list = Self.noList
        node.pointee.generation &+= 1
        node.pointee.next = firstFree
        firstFree = index
        count -= 1
        return target
    }
}
