/// A query in which nothing is encoded, which most are: names and values are found by comparing bytes.
struct PlainQuery {
    private let bytes: ArraySlice<UInt8>

    /// `nil` where a byte stands for another one.
    init?(_ bytes: ArraySlice<UInt8>) {
        for byte in bytes where byte == UInt8(ascii: "%") || byte == UInt8(ascii: "+") || byte >= 0x80 {
            return nil
        }
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
            var equals = -1
            while end < query.count, query[end] != UInt8(ascii: "&") {
                if equals < 0, query[end] == UInt8(ascii: "=") { equals = end }
                end += 1
            }
            let nameEnd = equals < 0 ? end : equals
            if nameEnd - start == name.count, end > start,
                (0..<name.count).allSatisfy({ query[start + $0] == name[$0] })
            {
                guard found == nil else { return nil }
                found = equals < 0 ? end..<end : (equals + 1)..<end
            }
            start = end + 1
        }
        return found
    }
}
