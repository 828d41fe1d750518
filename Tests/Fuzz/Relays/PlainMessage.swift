/// An HTTP/1.1 message of which no two readers could think differently.
struct PlainMessage {
    /// The words of the first line.
    var start: [String]
    /// Names in lower case, values without blanks around them. Bytes are kept as Latin-1.
    var fields: [Field]
    var body: [UInt8] = []
    var framing = Framing.none

    struct Field: Equatable {
        var name: String
        var value: String
    }

    enum Framing {
        case none, length, chunked, close
    }

    /// What bytes are to a careful reader.
    enum Reading {
        /// A whole message of so many bytes.
        case message(PlainMessage, length: Int)
        /// The beginning of one.
        case incomplete
        /// Anything else, whose meaning is in doubt.
        case odd
    }

    func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// The names in `Connection`.
    var connectionNames: Set<String> {
        Set(values("connection").flatMap { $0.split(separator: ",") }.map { Self.trimmed($0).lowercased() })
    }

    // MARK: Requests

    static func request(_ bytes: [UInt8]) -> Reading {
        head(bytes) { message in
            let words = message.start
            guard words.count == 3, words[2] == "HTTP/1.1", message.values("host").count == 1,
                isHost(message.values("host")[0])
            else { return nil }
            return message.framed { .none }
        }
    }

    // MARK: Responses

    /// - Parameters:
    ///   - hasBody: false if the response is to HEAD.
    ///   - isRepaired: whether to read folds as spaces and equal Content-Lengths as one, as the gateway
    ///     passes them on.
    static func response(_ bytes: [UInt8], hasBody: Bool, isRepaired: Bool = false) -> Reading {
        var skipped = 0
        // Some servers send a few informational responses.
        for _ in 0..<6 {
            let rest = Array(bytes[skipped...])
            let reading = head(rest, isRepaired: isRepaired) { message in
                guard message.start.count >= 2, message.start[0] == "HTTP/1.1", let status = message.status
                else {
                    return nil
                }
                let bodyless = !hasBody || status < 200 || status == 204 || status == 304
                guard let framing = message.framed({ .close }) else { return nil }
                return bodyless ? PlainMessage.Framing.none : framing
            }
            guard case .message(let message, let length) = reading else { return reading }
            guard let status = message.status, status != 101 else { return .odd }
            if status >= 200 { return .message(message, length: skipped + length) }
            guard message.values("content-length").isEmpty, message.values("transfer-encoding").isEmpty else {
                return .odd
            }
            skipped += length
        }
        return .odd
    }

    var status: Int? {
        guard start[1].count == 3, let status = Int(start[1]), status >= 100 else { return nil }
        return status
    }

    // MARK: Heads

    private static func head(
        _ bytes: [UInt8], isRepaired: Bool = false, _ framing: (PlainMessage) -> Framing?
    ) -> Reading {
        guard let end = endOfHead(bytes) else { return bytes.count > 8000 ? .odd : .incomplete }
        guard end <= 6000 else { return .odd }
        var lines: [[UInt8]] = [[]]
        var index = 0
        while index < end - 2 {
            if bytes[index] == 13, bytes[index + 1] == 10 {
                lines.append([])
                index += 2
                continue
            }
            let byte = bytes[index]
            guard byte == 9 || byte >= 32, byte != 127 else { return .odd }
            lines[lines.count - 1].append(byte)
            index += 1
        }
        lines.removeLast()
        if isRepaired { lines = unfolded(lines) }
        guard let first = lines.first, lines.count <= 50, first.allSatisfy({ (32..<127).contains($0) }) else {
            return .odd
        }
        var message = PlainMessage(
            start: text(first).split(separator: " ", omittingEmptySubsequences: false).map(String.init),
            fields: [])
        guard message.start.allSatisfy({ !$0.isEmpty }) || text(first).hasPrefix("HTTP/") else { return .odd }
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: 58), colon > 0, line[..<colon].allSatisfy(isToken) else {
                return .odd
            }
            message.fields.append(
                Field(name: text(line[..<colon]).lowercased(), value: trimmed(text(line[(colon + 1)...]))))
        }
        if isRepaired { message.mergeLengths() }
        guard let framing = framing(message) else { return .odd }
        message.framing = framing
        return message.reading(bytes, from: end)
    }

    /// Joins each field line with those that begin with a blank, with as many spaces as the fold has bytes.
    private static func unfolded(_ lines: [[UInt8]]) -> [[UInt8]] {
        var joined: [[UInt8]] = []
        for line in lines {
            let text = line.drop { $0 == 32 || $0 == 9 }
            guard text.count < line.count, joined.count > 1, var last = joined.popLast() else {
                joined.append(line)
                continue
            }
            var blanks = 2 + line.count - text.count
            while last.last == 32 || last.last == 9 {
                last.removeLast()
                blanks += 1
            }
            joined.append(last + [UInt8](repeating: 32, count: blanks) + text)
        }
        return joined
    }

    /// Leaves one Content-Length if all say the same number.
    private mutating func mergeLengths() {
        let numbers = values("content-length").flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        .map { Self.trimmed($0) }
        guard let first = numbers.first,
            numbers.allSatisfy({ Self.isNumber($0, most: 6) && Int($0) == Int(first) })
        else { return }
        fields.removeAll { $0.name == "content-length" }
        fields.append(Field(name: "content-length", value: first))
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for index in 3..<bytes.count
        where bytes[index] == 10 && bytes[index - 1] == 13 && bytes[index - 2] == 10 && bytes[index - 3] == 13
        {
            return index + 1
        }
        return nil
    }

    static func isNumber(_ text: some StringProtocol, most: Int) -> Bool {
        (1...most).contains(text.utf8.count) && text.utf8.allSatisfy { (48...57).contains($0) }
    }

    private static func isHost(_ text: String) -> Bool {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard !parts[0].isEmpty,
            parts[0].utf8.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || $0 == 46 })
        else { return false }
        return parts.count == 1 || isNumber(parts[1], most: 5)
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    static func trimmed(_ text: some StringProtocol) -> String {
        var scalars = Substring(text).unicodeScalars
        while let first = scalars.first, first == " " || first == "\t" { scalars.removeFirst() }
        while let last = scalars.last, last == " " || last == "\t" { scalars.removeLast() }
        return String(scalars)
    }

    // MARK: Bodies

    /// Nil if the framing is in doubt.
    private func framed(_ without: () -> Framing) -> Framing? {
        let lengths = values("content-length")
        let codings = values("transfer-encoding")
        switch (lengths.count, codings.count) {
        case (0, 0): return without()
        case (1, 0): return Self.isNumber(lengths[0], most: 6) ? .length : nil
        case (0, 1): return codings[0] == "chunked" ? .chunked : nil
        default: return nil
        }
    }

    private func reading(_ bytes: [UInt8], from start: Int) -> Reading {
        var message = self
        switch framing {
        case .none: return .message(message, length: start)
        case .close:
            message.body = Array(bytes[start...])
            return .message(message, length: bytes.count)
        case .length:
            let length = Int(values("content-length")[0]) ?? 0
            guard bytes.count - start >= length else { return .incomplete }
            message.body = Array(bytes[start..<(start + length)])
            return .message(message, length: start + length)
        case .chunked:
            var index = start
            while true {
                var size = 0
                var digits = 0
                while index < bytes.count, let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue {
                    (size, digits, index) = (size * 16 + digit, digits + 1, index + 1)
                    if digits > 6 { return .odd }
                }
                guard index + 2 <= bytes.count else { return .incomplete }
                guard digits > 0, bytes[index] == 13, bytes[index + 1] == 10 else { return .odd }
                index += 2
                guard index + size + 2 <= bytes.count else {
                    // What is there has to be right so far.
                    return size == 0 && index < bytes.count && bytes[index] != 13 ? .odd : .incomplete
                }
                message.body += bytes[index..<(index + size)]
                index += size
                guard bytes[index] == 13, bytes[index + 1] == 10 else { return .odd }
                index += 2
                if size == 0 { return .message(message, length: index) }
            }
        }
    }
}
