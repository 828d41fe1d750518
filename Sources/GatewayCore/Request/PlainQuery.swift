/// The fast path for queries without encoded bytes, the common case: finds names and values by comparing
/// bytes.
enum PlainQuery {
    /// Returns the value of the only parameter of that name; `nil` if it is absent, occurs twice, or the
    /// query has encoded bytes.
    static func onlyValue(of name: String, in query: ArraySlice<UInt8>) -> String? {
        var name = name
        return name.withUTF8 { name in
            query.withUnsafeBufferPointer { query in
                guard let value = onlyValue(of: name, in: query) else { return nil }
                return String(decoding: query[value], as: UTF8.self)
            }
        }
    }

    private static func onlyValue(
        of name: UnsafeBufferPointer<UInt8>, in query: UnsafeBufferPointer<UInt8>
    ) -> Range<Int>? {
        var found: Range<Int>?
        var start = 0
        while start < query.count {
            guard let end = endOfParameter(at: start, in: query) else { return nil }
            let nameEnd = start + name.count
            if nameEnd <= end, end > start, nameEnd == end || query[nameEnd] == UInt8(ascii: "="),
                isSame(name, query, start)
            {
                guard found == nil else { return nil }
                found = nameEnd == end ? end..<end : (nameEnd + 1)..<end
            }
            start = end + 1
        }
        return found
    }

    /// Returns the end of the parameter that begins at `start`; `nil` if it has encoded bytes.
    private static func endOfParameter(at start: Int, in query: UnsafeBufferPointer<UInt8>) -> Int? {
        var end = start
        while end < query.count {
            let byte = query[end]
            // One comparison for letters and digits, which most bytes are.
            if byte <= UInt8(ascii: "+") || byte >= 0x80 {
                if byte == UInt8(ascii: "&") { return end }
                if byte == UInt8(ascii: "%") || byte == UInt8(ascii: "+") || byte >= 0x80 { return nil }
            }
            end += 1
        }
        return end
    }

    /// Whether `query`, which is long enough, has `name` at `start`. A name that contains `=` never matches.
    private static func isSame(
        _ name: UnsafeBufferPointer<UInt8>, _ query: UnsafeBufferPointer<UInt8>, _ start: Int
    ) -> Bool {
        for index in 0..<name.count {
            guard query[start + index] == name[index], name[index] != UInt8(ascii: "=") else { return false }
        }
        return true
    }
}
