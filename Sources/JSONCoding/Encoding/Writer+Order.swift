@_spi(Lines) import JSONBytes

extension Writer {
    /// So few members are compared with each other; more are sorted, or looked up.
    private static var fewMembers: Int { 16 }

    /// Sorts the members of an object that ends, where that is asked for, and leaves out those that a later one of the same name
    /// replaces.
    func arrange(_ frame: Frame, sorted: Bool) {
        let start = frame.firstMember
        let count = members.count - start
        guard count > 1, sorted || hasRepeats(from: start) else { return }
        withUnsafeTemporaryAllocation(of: Int.self, capacity: count) { order in
            // Its memory is ours alone, and each of its places is filled here.
            for place in 0..<count { order.initializeElement(at: place, to: start + place) }
            if sorted { sort(order) }
            rewrite(from: start, withoutRepeats(order, sorted: sorted))
        }
    }

    /// By name; those of one name stay in their order.
    private func sort(_ order: UnsafeMutableBufferPointer<Int>) {
        let text = line.bytes
        guard order.count <= Self.fewMembers else {
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

    /// The first ones of `order`: what is left of it without the members that are replaced.
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

    /// Writes the members from `first` on again, these and in this order.
    private func rewrite(from first: Int, _ order: Slice<UnsafeMutableBufferPointer<Int>>) {
        let start = members[first].start
        let end = line.length
        let text = [UInt8](line.bytes[start...])
        let separator = separatorLength
        // The same between any two.
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
        if members.count - start > Self.fewMembers {
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
