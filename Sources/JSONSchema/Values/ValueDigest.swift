import ASCIIText
@_spi(Reading) import JSONBytes

/// 128 bits that are equal for equal JSON values: numbers by value, members in any order.
///
/// The digest is keyed for this process, so that nobody outside can look for two values with one digest.
struct ValueDigest: Hashable, Comparable, Sendable {
    let high: UInt64
    let low: UInt64

    static func < (left: ValueDigest, right: ValueDigest) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    /// Mixes words into a digest by multiplications to 128 bits, whose halves are combined.
    struct Mixer {
        private var first: UInt64
        private var second: UInt64

        private static let keys: InlineArray<4, UInt64> = {
            var generator = SystemRandomNumberGenerator()
            return InlineArray { _ in generator.next() | 1 }
        }()

        @inline(__always)
        init(tag: UInt64) {
            first = Self.keys[0] &+ tag
            second = Self.keys[1] ^ tag
        }

        @inline(__always)
        mutating func add(_ word: UInt64) {
            first = Self.fold(first ^ word, Self.keys[2]) &+ second
            second = Self.fold(second ^ (word &<< 32 | word &>> 32), Self.keys[3]) ^ word
        }

        /// Adds text whose escapes are decoded.
        mutating func add(_ reader: ByteReader, _ range: Range<Int>) {
            var index = range.lowerBound
            while index &+ 8 <= range.upperBound, let word = reader.word(at: index) {
                add(word)
                index &+= 8
            }
            while index < range.upperBound {
                let end = min(index &+ 8, range.upperBound)
                add(reader.prefix(of: index..<end))
                index = end
            }
            add(UInt64(truncatingIfNeeded: range.count))
        }

        @inline(__always)
        private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
            let product = left.multipliedFullWidth(by: right)
            return product.high ^ product.low
        }

        var digest: ValueDigest { ValueDigest(high: Self.fold(first, Self.keys[1]), low: second) }
    }
}

/// Computes the digests of values, within a bound of work.
struct DigestReader {
    var cursor: ValidCursor
    /// What is left of the work. Below zero, digests are meaningless.
    var work: Int
    /// The members of open objects. Kept by the caller, so that the memory is reused.
    var members: ContiguousArray<Member>
    var decoded: [UInt8]

    struct Member {
        var name: ValueDigest
        var value: ValueDigest
    }

    private enum Tag {
        static let null: UInt64 = 1
        static let bool: UInt64 = 2
        static let number: UInt64 = 3
        static let string: UInt64 = 4
        static let array: UInt64 = 5
        static let object: UInt64 = 6
        /// An object that gives a name two different values equals no other value.
        static let contradictory: UInt64 = 7
    }

    /// Moves past the value at the cursor, and returns its digest.
    mutating func digest() -> ValueDigest {
        work &-= 1
        guard work >= 0 else {
            cursor.skipValue()
            return ValueDigest(high: 0, low: 0)
        }
        switch cursor.reader[cursor.index] {
        case Byte.quote:
            let start = cursor.index &+ 1
            let isEscaped = cursor.skipString()
            return text(start..<cursor.index &- 1, isEscaped)
        case Byte.openBrace: return object()
        case Byte.openBracket:
            var mixer = ValueDigest.Mixer(tag: Tag.array)
            if cursor.enter() {
                repeat { add(digest(), to: &mixer) } while cursor.next()
            }
            cursor.index &+= 1
            return mixer.digest
        case Byte.n:
            cursor.skipValue()
            return ValueDigest.Mixer(tag: Tag.null).digest
        case Byte.t, Byte.f:
            var mixer = ValueDigest.Mixer(tag: Tag.bool)
            mixer.add(cursor.reader[cursor.index] == Byte.t ? 1 : 0)
            cursor.skipValue()
            return mixer.digest
        default: return number()
        }
    }

    /// The digest of a string as a value, and of a name.
    mutating func text(_ range: Range<Int>, _ isEscaped: Bool) -> ValueDigest {
        work &-= range.count &>> 4
        var mixer = ValueDigest.Mixer(tag: Tag.string)
        if isEscaped {
            decoded.removeAll(keepingCapacity: true)
            EscapedText.append(range, of: cursor.reader, to: &decoded)
            decoded.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                mixer.add(ByteReader(base: base, count: bytes.count), 0..<bytes.count)
            }
        } else {
            mixer.add(cursor.reader, range)
        }
        return mixer.digest
    }

    private mutating func number() -> ValueDigest {
        let reader = cursor.reader
        let value = Decimal(reader, at: &cursor.index)
        var mixer = ValueDigest.Mixer(tag: Tag.number)
        mixer.add(value.isNegative ? 1 : 0)
        mixer.add(UInt64(bitPattern: Int64(value.exponent)))
        mixer.add(value.coefficient)
        if value.count > 19 {
            // All digits after the nineteenth.
            var index = value.start
            for position in 0..<value.count {
                if reader[index] == Byte.point { index &+= 1 }
                if position >= 19 { mixer.add(UInt64(reader[index])) }
                index &+= 1
            }
        }
        return mixer.digest
    }

    private func add(_ digest: ValueDigest, to mixer: inout ValueDigest.Mixer) {
        mixer.add(digest.high)
        mixer.add(digest.low)
    }

    private mutating func object() -> ValueDigest {
        let start = cursor.index
        let base = members.count
        if cursor.enter() {
            repeat {
                let (range, isEscaped) = cursor.name()
                let name = text(range, isEscaped)
                let value = digest()
                members.append(Member(name: name, value: value))
            } while cursor.next()
        }
        cursor.index &+= 1
        work &-= members.count &- base
        members.withUnsafeMutableBufferPointer { members in
            DigestOrder.sort(UnsafeMutableBufferPointer(rebasing: members[base...])) { $0.name < $1.name }
        }
        var mixer = ValueDigest.Mixer(tag: Tag.object)
        var isContradictory = false
        for index in base..<members.count {
            let member = members[index]
            if index > base, members[index &- 1].name == member.name {
                isContradictory = isContradictory || members[index &- 1].value != member.value
                continue
            }
            add(member.name, to: &mixer)
            add(member.value, to: &mixer)
        }
        members.removeSubrange(base...)
        guard isContradictory else { return mixer.digest }
        mixer = ValueDigest.Mixer(tag: Tag.contradictory)
        mixer.add(UInt64(truncatingIfNeeded: start))
        return mixer.digest
    }
}

/// Counts different digests without sorting them, by a table of their places.
struct DigestTable: Sendable {
    /// One more than the place of a digest; 0 for an empty slot. At most half full.
    private var slots: ContiguousArray<UInt32> = []

    /// The number of different digests, or 1 less than all of them as soon as two are equal.
    mutating func distinct(_ digests: UnsafeBufferPointer<ValueDigest>, stopsAtEqual: Bool) -> Int {
        var count = 16
        while count < 2 * digests.count { count *= 2 }
        if slots.count < count { slots = ContiguousArray(repeating: 0, count: count) }
        return slots.withUnsafeMutableBufferPointer { slots in
            for index in 0..<count { slots[index] = 0 }
            var distinct = 0
            for (index, digest) in digests.enumerated() {
                // Digests are keyed, so that nobody can choose their places.
                var place = Int(truncatingIfNeeded: digest.low) & (count - 1)
                while slots[place] > 0, digests[Int(slots[place]) - 1] != digest {
                    place = (place + 1) & (count - 1)
                }
                if slots[place] == 0 {
                    slots[place] = UInt32(truncatingIfNeeded: index + 1)
                    distinct += 1
                } else if stopsAtEqual {
                    return digests.count - 1
                }
            }
            return distinct
        }
    }

    /// Frees the memory if it is large.
    mutating func reset() {
        if slots.count > 1 << 16 { slots = [] }
    }
}

/// Sorts in place and without allocating, as Swift's own sort does not.
enum DigestOrder {
    /// Sorts elements whose order is random, because they are digests: quicksort around the middle element.
    static func sort<Element>(
        _ elements: UnsafeMutableBufferPointer<Element>, by precedes: (Element, Element) -> Bool
    ) {
        var (low, high) = (0, elements.count - 1)
        while low < high {
            if high - low < 16 {
                for index in low + 1...high {
                    var place = index
                    while place > low, precedes(elements[place], elements[place - 1]) {
                        elements.swapAt(place, place - 1)
                        place -= 1
                    }
                }
                return
            }
            let middle = elements[low + (high - low) / 2]
            var (left, right) = (low, high)
            while left <= right {
                while precedes(elements[left], middle) { left += 1 }
                while precedes(middle, elements[right]) { right -= 1 }
                if left <= right {
                    elements.swapAt(left, right)
                    left += 1
                    right -= 1
                }
            }
            // Recurses into the smaller half.
            if right - low < high - left {
                sort(UnsafeMutableBufferPointer(rebasing: elements[low...max(right, low)]), by: precedes)
                low = left
            } else {
                sort(UnsafeMutableBufferPointer(rebasing: elements[min(left, high)...high]), by: precedes)
                high = right
            }
        }
    }
}
