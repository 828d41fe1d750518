/// The open streams, listeners and signal sources of a loop, closed when it ends. Used on the loop only.
///
/// Each is retained from `insert` to the end of the wake that calls `remove`, so none is freed in its own
/// callback.
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

    var open: [any LoopMember] { members.compactMap { $0 } }
}

protocol LoopMember: AnyObject {
    func loopEnds()
}
