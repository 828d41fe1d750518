import ASCIIText

extension HTTPFields: Sequence {
    /// A field: its name as written, and its value.
    public typealias Element = (name: String, value: String)

    /// Goes through the fields in their order.
    public struct Iterator: IteratorProtocol {
        let fields: HTTPFields
        var index = 0

        /// Returns the next field; nil after the last one.
        public mutating func next() -> HTTPFields.Element? {
            guard index < fields.count else { return nil }
            defer { index += 1 }
            return (
                String(decoding: fields.nameBytes(at: index), as: UTF8.self),
                String(decoding: fields.valueBytes(at: index), as: UTF8.self)
            )
        }
    }

    /// Returns an iterator over the fields in their order.
    public func makeIterator() -> Iterator { Iterator(fields: self) }

    /// The number of fields.
    public var underestimatedCount: Int { count }
}

extension HTTPFields {
    /// Calls `body` with each field in order, the value in bytes, because it need not be UTF-8 (RFC
    /// 9110 5.5). Names that are not tokens are skipped.
    package func forEachNamed<Failure: Error>(
        _ body: (_ name: HTTPFieldName, _ value: ArraySlice<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        for index in 0..<count {
            guard let name = HTTPFieldName(String(decoding: nameBytes(at: index), as: UTF8.self)) else {
                continue
            }
            try body(name, valueBytes(at: index))
        }
    }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
    /// Creates the value from a dictionary literal.
    public init(dictionaryLiteral elements: (HTTPFieldName, String)...) {
        self.init()
        for (name, value) in elements { append(name, value) }
    }
}

extension HTTPFields: Equatable {
    /// Whether both have the same fields in the same order. Names are compared without case, values by their
    /// bytes.
    public static func == (left: HTTPFields, right: HTTPFields) -> Bool {
        guard left.count == right.count else { return false }
        for index in 0..<left.count {
            guard left.valueBytes(at: index) == right.valueBytes(at: index) else { return false }
            let sameName = left.nameBytes(at: index).withUnsafeBytes { name in
                right.nameBytes(at: index).withUnsafeBytes { ASCII.equalsIgnoringCase(name, $0) }
            }
            guard sameName else { return false }
        }
        return true
    }
}

extension HTTPFields: CustomStringConvertible {
    /// The fields as lines, for test messages. Values of Authorization, Cookie and Set-Cookie are hidden.
    public var description: String {
        let hidden: Set<HTTPFieldName> = [.authorization, .cookie, .setCookie]
        return map { name, value in
            let isHidden = HTTPFieldName(name).map(hidden.contains) ?? false
            return isHidden ? "\(name): (hidden)" : "\(name): \(value)"
        }.joined(separator: "\n")
    }
}
