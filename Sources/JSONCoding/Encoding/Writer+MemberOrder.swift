@_spi(Lines) import JSONBytes

extension Writer {
    /// Up to this many members are compared pairwise, more are sorted or hashed.
    private static var mostComparedMembers: Int { 16 }

    /// Sorts the members if `sorted`, and removes members that a later one with the same name replaces.
    func arrange(_ frame: Frame, sorted: Bool) {
        let start = frame.firstMember
        let count = members.count - start
        guard count > 1, sorted || hasRepeats(from: start) else { return }
        withUnsafeTemporaryAllocation(of: Int.self, capacity: count) { order in
            for place in 0..<count { order.initializeElement(at: place, to: start + place) }
            if sorted { sort(order) }
            rewrite(from: start, withoutRepeats(order, sorted: sorted))
        }
    }

    /// A stable sort by name.
    private func sort(_ order: UnsafeMutableBufferPointer<Int>) {
        let text = line.bytes
        guard order.count <= Self.mostComparedMembers else {
            var order = order
            order.sort { left, right in
                members[left].isBelow(members[right], in: text)
                    || (left < right && !members[right].isBelow(members[left], in: text))
            }
            return
        }
        for end in 1..<order.count {
            let member = order[end]
            var place = end
            while place > 0, members[member].isBelow(members[order[place - 1]], in: text) {
                order[place] = order[place - 1]
                place -= 1
            }
            order[place] = member
        }
    }

    /// Removes replaced members. Returns a prefix of `order`.
    private func withoutRepeats(
        _ order: UnsafeMutableBufferPointer<Int>, sorted: Bool
    ) -> Slice<UnsafeMutableBufferPointer<Int>> {
        let text = line.bytes
        var last: [ArraySlice<UInt8>: Int] = [:]
        if !sorted {
            let bytes = [UInt8](text)
            for index in order { last[bytes[members[index].start..<members[index].nameEnd]] = index }
            let left = Set(last.values)
            var count = 0
            for place in order.indices where left.contains(order[place]) {
                order[count] = order[place]
                count += 1
            }
            return order[..<count]
        }
        var count = 0
        for place in order.indices {
            let isReplaced =
                place + 1 < order.count
                && members[order[place]].hasName(of: members[order[place + 1]], in: text)
            guard !isReplaced else { continue }
            order[count] = order[place]
            count += 1
        }
        return order[..<count]
    }

    private func rewrite(from first: Int, _ order: Slice<UnsafeMutableBufferPointer<Int>>) {
        let start = members[first].start
        let end = line.length
        let text = [UInt8](line.bytes[start...])
        let separator = separatorLength
        let between = members[first + 1].start - separator - start..<members[first + 1].start - start
        line.truncate(to: start)
        text.withUnsafeBufferPointer { text in
            for (place, index) in order.enumerated() {
                if place > 0 { line.plain(UnsafeBufferPointer(rebasing: text[between])) }
                let memberEnd = index + 1 < members.count ? members[index + 1].start - separator : end
                line.plain(
                    UnsafeBufferPointer(rebasing: text[members[index].start - start..<memberEnd - start]))
            }
        }
    }

    private func hasRepeats(from start: Int) -> Bool {
        let text = line.bytes
        if members.count - start > Self.mostComparedMembers {
            let bytes = [UInt8](text)
            return Set(members[start...].map { bytes[$0.start..<$0.nameEnd] }).count < members.count - start
        }
        for index in start..<members.count {
            for other in index + 1..<members.count where members[other].hasName(of: members[index], in: text)
            {
                return true
            }
        }
        return false
    }
}
