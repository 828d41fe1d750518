/// The streams, listeners and signal sources that are open on a loop. They are kept alive while the kernel
/// may call them, and closed when the loop ends.
///
/// Each member is retained from `insert` to the end of the wake in which `remove` is called, so that none is
/// freed inside its own callback. Used on the loop only.
struct LoopMembers {
    private var members: [(any LoopMember)?] = []
    private var free: [Int] = []
    private var closed: [any LoopMember] = []

    mutating func insert(_ member: any LoopMember) -> Int {
        guard let index = free.popLast() else {
            members.append(member)
            return members.count - 1
        }
        members[index] = member
        return index
    }

    mutating func remove(at index: Int) {
        guard let member = members[index] else { return }
        members[index] = nil
        free.append(index)
        closed.append(member)
    }

    mutating func releaseClosed() {
        if !closed.isEmpty { closed.removeAll(keepingCapacity: true) }
    }

    /// All open members.
    var open: [any LoopMember] { members.compactMap { $0 } }
}

/// Something that is open on a loop.
protocol LoopMember: AnyObject {
    func loopEnds()
}
