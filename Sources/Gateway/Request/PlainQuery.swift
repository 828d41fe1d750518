/// A query in which nothing is encoded, which most are: names and values are found by comparing bytes.
struct PlainQuery {
    private let bytes: ArraySlice<UInt8>

    /// `nil` where a byte stands for another one.
    init?(_ bytes: ArraySlice<UInt8>) {
        let isPlain = bytes.withUnsafeBufferPointer { bytes in
            for byte in bytes where byte == UInt8(ascii: "%") || byte == UInt8(ascii: "+") || byte >= 0x80 {
                return false
            }
            return true
        }
        guard isPlain else { return nil }
        self.bytes = bytes
    }

    /// The value of the one parameter of that name; `nil` where there is none, or another one of that name.
    func onlyValue(of name: String) -> String? {
        var name = name
        return name.withUTF8 { name in
            bytes.withUnsafeBufferPointer { query in
                guard let value = Self.onlyValue(of: name, in: query) else { return nil }
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
            var end = start
            while end < query.count, query[end] != UInt8(ascii: "&") { end += 1 }
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
