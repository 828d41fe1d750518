import ASCIIText

extension JSONFragment {
    /// The member's value; nil if it is missing or the fragment is not an object. The last of repeated names
    /// counts.
    public subscript(member name: String) -> JSONFragment? {
        lookUp { $0.member(name.utf8) }
    }

    /// The element; nil if the index is out of range or the fragment is not an array.
    public subscript(element index: Int) -> JSONFragment? {
        lookUp { $0.element(index) }
    }

    /// Returns the value that a JSON Pointer points at; nil if it is missing. The empty pointer returns the
    /// whole fragment.
    public func value(at pointer: JSONPointer) -> JSONFragment? {
        guard !pointer.tokens.isEmpty else { return self }
        return lookUp { $0.value(at: pointer) }
    }

    private func lookUp(_ find: (inout ValidCursor) -> Range<Int>?) -> JSONFragment? {
        let found = ByteReader.read(bytes) { reader in
            var cursor = ValidCursor(reader)
            return find(&cursor)
        }
        guard let found else { return nil }
        let start = bytes.startIndex
        return JSONFragment(valid: bytes[start &+ found.lowerBound..<start &+ found.upperBound])
    }

    /// The elements of an array, in order; empty if the fragment is not an array.
    public var elements: [JSONFragment] {
        guard kind == .array else { return [] }
        var elements: [JSONFragment] = []
        forEach { _, range in elements.append(JSONFragment(valid: bytes[range])) }
        return elements
    }

    /// Returns the elements of an array, in order; nil if there are more than `limit`; the rest is not read.
    /// Empty if the fragment is not an array.
    public func elements(atMost limit: Int) -> [JSONFragment]? {
        var elements: [JSONFragment] = []
        var isWithin = true
        forEachElement { element in
            isWithin = elements.count < limit
            if isWithin { elements.append(element) }
            return isWithin
        }
        return isWithin ? elements : nil
    }

    /// Calls `body` with the elements of an array, in order, until it returns false. Other fragments have
    /// none.
    public func forEachElement<Failure: Error>(
        _ body: (JSONFragment) throws(Failure) -> Bool
    ) throws(Failure) {
        guard kind == .array else { return }
        let start = bytes.startIndex
        try ByteReader.read(bytes) { reader throws(Failure) in
            var cursor = ValidCursor(reader)
            guard cursor.enter() else { return }
            repeat {
                let value = cursor.value()
                let range = start &+ value.lowerBound..<start &+ value.upperBound
                guard try body(JSONFragment(valid: bytes[range])) else { return }
            } while cursor.next()
        }
    }

    /// The members of an object, in order and with repeated names; empty if the fragment is not an object.
    public var members: [(name: String, value: JSONFragment)] {
        guard kind == .object else { return [] }
        var members: [(name: String, value: JSONFragment)] = []
        forEach { name, range in
            guard let name else { return }
            members.append((name, JSONFragment(valid: bytes[range])))
        }
        return members
    }

    private func forEach(_ body: (String?, Range<Int>) -> Void) {
        let isObject = kind == .object
        let start = bytes.startIndex
        ByteReader.read(bytes) { reader in
            var cursor = ValidCursor(reader)
            guard cursor.enter() else { return }
            repeat {
                var name: String?
                if isObject {
                    let (range, escaped) = cursor.name()
                    name = reader.text(range, isEscaped: escaped)
                }
                let value = cursor.value()
                body(name, start &+ value.lowerBound..<start &+ value.upperBound)
            } while cursor.next()
        }
    }
}

extension ValidCursor {
    mutating func member(_ name: some Collection<UInt8>) -> Range<Int>? {
        guard reader[index] == Byte.openBrace, enter() else { return nil }
        var found: Range<Int>?
        repeat {
            let (range, escaped) = self.name()
            let value = self.value()
            if !escaped {
                if reader.equals(range, name) { found = value }
            } else {
                var decoded: [UInt8] = []
                EscapedText.append(range, of: reader, to: &decoded)
                if decoded.elementsEqual(name) { found = value }
            }
        } while next()
        return found
    }

    mutating func element(_ number: Int) -> Range<Int>? {
        guard number >= 0, reader[index] == Byte.openBracket, enter() else { return nil }
        var left = number
        while left > 0 {
            skipValue()
            guard next() else { return nil }
            left &-= 1
        }
        return value()
    }

    fileprivate mutating func value(at pointer: JSONPointer) -> Range<Int>? {
        var found: Range<Int>?
        for token in pointer.tokens {
            let next =
                reader[index] == Byte.openBracket
                ? token.arrayIndex.flatMap { element($0) } : member(token.bytes)
            guard let next else { return nil }
            index = next.lowerBound
            found = next
        }
        return found
    }
}
