/// A query in which nothing is encoded, which most are: names and values are found by comparing bytes.
enum PlainQuery {
    /// The value of the one parameter of that name; `nil` where there is none, or another one of that name, or where a byte
    /// of the query stands for another one.
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

    /// Where the parameter that begins at `start` ends; `nil` where a byte of it stands for another one.
    private static func endOfParameter(at start: Int, in query: UnsafeBufferPointer<UInt8>) -> Int? {
        var end = start
        while end < query.count {
            let byte = query[end]
            // Letters and digits first: most bytes are.
            if byte <= UInt8(ascii: "+") || byte >= 0x80 {
                if byte == UInt8(ascii: "&") { return end }
                if byte == UInt8(ascii: "%") || byte == UInt8(ascii: "+") || byte >= 0x80 { return nil }
            }
            end += 1
        }
        return end
    }

    /// Whether `query` has `name` at `start`, where it is long enough. A name with `=` in it matches none.
    private static func isSame(
        _ name: UnsafeBufferPointer<UInt8>, _ query: UnsafeBufferPointer<UInt8>, _ start: Int
    ) -> Bool {
        for index in 0..<name.count {
            guard query[start + index] == name[index], name[index] != UInt8(ascii: "=") else { return false }
        }
        return true
    }
}
