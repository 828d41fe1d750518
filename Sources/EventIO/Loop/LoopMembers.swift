/// What is open on a loop: streams and listeners register here, so that they live while the kernel may call
/// them, and are closed when the loop ends.
///
/// Loop-confined. Retained from `insert` until the end of the wake in which `remove` was called, so that none
/// is freed inside its own callback.
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

    mutating func forgetClosed() {
        if !closed.isEmpty { closed.removeAll(keepingCapacity: true) }
    }

    /// All that are open, for the loop's end.
    var open: [any LoopMember] { members.compactMap { $0 } }
}

/// Something open on a loop.
protocol LoopMember: AnyObject {
    func loopEnds()
}
