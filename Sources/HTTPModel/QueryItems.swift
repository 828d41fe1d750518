import ASCIIText

/// A query's items, read as `application/x-www-form-urlencoded` (WHATWG URL 5.1): `&` separates items, the
/// first `=` separates name and value, and `+` is a space. Items are decoded on access.
package struct QueryItems: Sendable {
    private let bytes: ArraySlice<UInt8>

    /// - Parameter query: the query without its `?`; nil for no items.
    public init(_ query: ArraySlice<UInt8>?) {
        bytes = query ?? []
    }

    /// Returns the first value with that name, if any; empty if the item has no `=`.
    public func first(_ name: String) throws(PercentEncoding.Failure) -> String? {
        for item in items where try item.isNamed(name) { return try item.decodedValue() }
        return nil
    }

    /// Returns all values with that name, in order.
    public func values(of name: String) throws(PercentEncoding.Failure) -> [String] {
        var values: [String] = []
        for item in items where try item.isNamed(name) { values.append(try item.decodedValue()) }
        return values
    }

    /// Returns all items in order, decoded.
    public func all() throws(PercentEncoding.Failure) -> [(name: String, value: String)] {
        var all: [(name: String, value: String)] = []
        for item in items { all.append((try Item.decode(item.name), try item.decodedValue())) }
        return all
    }

    private struct Item {
        let name: ArraySlice<UInt8>
        let value: ArraySlice<UInt8>

        func isNamed(_ wanted: String) throws(PercentEncoding.Failure) -> Bool {
            guard name.contains(where: { $0 == Byte.percent || $0 == Byte.plus }) else {
                return name.elementsEqual(wanted.utf8)
            }
            // Compared by bytes here too: `==` on strings equates the two spellings of an accented letter.
            return try Item.decode(name).utf8.elementsEqual(wanted.utf8)
        }

        func decodedValue() throws(PercentEncoding.Failure) -> String { try Item.decode(value) }

        static func decode(_ bytes: ArraySlice<UInt8>) throws(PercentEncoding.Failure) -> String {
            guard bytes.contains(where: { $0 == Byte.percent || $0 == Byte.plus }) else {
                guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
                return text
            }
            return try PercentEncoding.decodeString(bytes.map { $0 == Byte.plus ? Byte.space : $0 })
        }
    }

    private var items: ItemSequence { ItemSequence(rest: bytes) }

    private struct ItemSequence: Sequence, IteratorProtocol {
        var rest: ArraySlice<UInt8>

        mutating func next() -> Item? {
            while !rest.isEmpty {
                let end = rest.firstIndex(of: Byte.ampersand) ?? rest.endIndex
                let item = rest[rest.startIndex..<end]
                rest = end == rest.endIndex ? [] : rest[(end + 1)...]
                if item.isEmpty { continue }
                let equals = item.firstIndex(of: Byte.equals) ?? item.endIndex
                let value = equals == item.endIndex ? [] : item[(equals + 1)...]
                return Item(name: item[item.startIndex..<equals], value: value)
            }
            return nil
        }
    }
}
