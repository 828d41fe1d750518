import ASCIIText

extension JSONFragment {
    /// The value of a member of an object; nil for another kind, or where no member has this name. Of
    /// several members with one name it is the last, as in JavaScript.
    public subscript(member name: String) -> JSONFragment? {
        lookUp { $0.member(name.utf8) }
    }

    /// The element of an array; nil for another kind, or beyond its end.
    public subscript(element place: Int) -> JSONFragment? {
        lookUp { $0.element(place) }
    }

    /// The value that a JSON Pointer (RFC 6901) points at; nil where there is none. The empty pointer is the
    /// whole fragment. Nothing is validated again.
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

    /// The elements of an array, in order; empty for another kind.
    public var elements: [JSONFragment] {
        guard kind == .array else { return [] }
        var elements: [JSONFragment] = []
        forEach { _, range in elements.append(JSONFragment(valid: bytes[range])) }
        return elements
    }

    /// The members of an object, in order and with duplicates; empty for another kind.
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
                    let (range, _) = cursor.name()
                    var text: [UInt8] = []
                    EscapedText.append(range, of: reader, to: &text)
                    name = String(decoding: text, as: UTF8.self)
                }
                let value = cursor.value()
                body(name, start &+ value.lowerBound..<start &+ value.upperBound)
            } while cursor.next()
        }
    }
}

extension ValidCursor {
    /// The value of the last member of the object at `index` with this name.
    fileprivate mutating func member(_ name: some Collection<UInt8>) -> Range<Int>? {
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

    fileprivate mutating func element(_ place: Int) -> Range<Int>? {
        guard place >= 0, reader[index] == Byte.openBracket, enter() else { return nil }
        var left = place
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
