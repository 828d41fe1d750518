import ASCIIText

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Parses a form of type `multipart/form-data` strictly and without I/O (RFC 7578, RFC 2046 5.1).
///
/// Pass it bytes with `receive` when `next` returns `.needMore`, and call `finish` at the end of the form.
/// The events do not depend on how the bytes are cut, except for the cuts of `.body`. Nothing may precede the
/// first boundary but an empty line, and nothing may follow the last one but a line end.
struct MultipartParser {
    enum Event {
        /// All bytes are used, and the form is incomplete.
        case needMore
        case part(MultipartHead)
        /// Some of the current part's body, not empty.
        case body(ArraySlice<UInt8>)
        case partEnd
        /// The form is complete. Further calls return the same.
        case end
    }

    private enum Phase {
        /// Before the first boundary.
        case start
        /// Behind a boundary, before the line end or the two dashes.
        case boundary
        /// In a head, whose first bytes have been searched for its end.
        case head(searched: Int)
        case body
        /// Behind the last boundary.
        case epilogue
        case failed(MultipartFault)
    }

    private let limits: MultipartLimits
    /// CRLF, two dashes and the boundary.
    private let delimiter: [UInt8]
    private var phase = Phase.start
    private var input: ArraySlice<UInt8> = []
    private var isComplete = false
    private var parts = 0
    /// Names the current part in messages.
    private var subject = "The form"

    init(boundary: [UInt8], limits: MultipartLimits = MultipartLimits()) {
        self.limits = limits
        delimiter = Array("\r\n--".utf8) + boundary
    }

    mutating func receive(_ bytes: ArraySlice<UInt8>) {
        if input.isEmpty { input = bytes } else { input.append(contentsOf: bytes) }
    }

    /// No more bytes follow.
    mutating func finish() { isComplete = true }

    /// Returns the next event. After it has thrown, it throws the same fault again.
    mutating func next() throws(MultipartFault) -> Event {
        do {
            while true {
                if let event = try step() { return event }
            }
        } catch {
            phase = .failed(error)
            input = []
            throw error
        }
    }

    private mutating func step() throws(MultipartFault) -> Event? {
        switch phase {
        case .start: return try start()
        case .boundary: return try boundary()
        case .head(let searched): return try head(searched: searched)
        case .body: return try body()
        case .epilogue: return try epilogue()
        case .failed(let fault): throw fault
        }
    }

    private func needMore() throws(MultipartFault) -> Event {
        guard !isComplete else { throw MultipartFault("\(subject) ends before the last boundary") }
        return .needMore
    }

    // MARK: Phases

    private mutating func start() throws(MultipartFault) -> Event? {
        let opening = input.first == Byte.carriageReturn ? delimiter[...] : delimiter[2...]
        guard input.starts(with: opening.prefix(input.count)) else {
            throw MultipartFault("The form must begin with its boundary")
        }
        guard input.count >= opening.count else { return try needMore() }
        input.removeFirst(opening.count)
        phase = .boundary
        return nil
    }

    private mutating func boundary() throws(MultipartFault) -> Event? {
        guard input.count >= 2 else { return try needMore() }
        let mark = Array(input.prefix(2))
        input.removeFirst(2)
        switch mark {
        case [Byte.minus, Byte.minus]:
            subject = "The form"
            phase = .epilogue
        case [Byte.carriageReturn, Byte.lineFeed]:
            parts += 1
            guard parts <= limits.parts else {
                throw MultipartFault("The form has more than \(limits.parts) parts", isTooLarge: true)
            }
            subject = "Part \(parts) of the form"
            phase = .head(searched: 0)
        default:
            throw MultipartFault("The form has extra characters after a boundary")
        }
        return nil
    }

    private static let headEnd: [UInt8] = [13, 10, 13, 10]

    private mutating func head(searched: Int) throws(MultipartFault) -> Event? {
        guard !input.starts(with: Self.headEnd[..<2]) else {
            throw MultipartFault("\(subject) has no Content-Disposition")
        }
        var index = input.startIndex + searched
        while index + 4 <= input.endIndex {
            if input[index] == Byte.carriageReturn, input[index..<(index + 4)].elementsEqual(Self.headEnd) {
                let lines = input[input.startIndex..<(index + 2)]
                try checkHead(lines.count)
                let head = try MultipartHead(lines, number: parts, limits)
                input = input[(index + 4)...]
                phase = .body
                subject = "Form part \"\(head.name)\""
                return .part(head)
            }
            index += 1
        }
        try checkHead(index - input.startIndex)
        phase = .head(searched: index - input.startIndex)
        return try needMore()
    }

    private func checkHead(_ count: Int) throws(MultipartFault) {
        guard count <= limits.head else {
            throw MultipartFault("\(subject) has a head of more than \(limits.head) bytes")
        }
    }

    private mutating func body() throws(MultipartFault) -> Event? {
        let (length, isDelimiter) = Self.lengthBeforeDelimiter(input, delimiter)
        if length > 0 {
            defer { input = input.dropFirst(length) }
            return .body(input.prefix(length))
        }
        guard isDelimiter else { return try needMore() }
        input = input.dropFirst(delimiter.count)
        phase = .boundary
        return .partEnd
    }

    private mutating func epilogue() throws(MultipartFault) -> Event? {
        guard [13, 10].starts(with: input) else {
            throw MultipartFault("The form must end with its last boundary")
        }
        guard isComplete else { return .needMore }
        guard input.count != 1 else { throw MultipartFault("The form must end with its last boundary") }
        return .end
    }

    // MARK: Search

    /// Returns how many bytes certainly precede the next delimiter, and whether it follows them completely.
    private static func lengthBeforeDelimiter(
        _ input: ArraySlice<UInt8>, _ delimiter: [UInt8]
    ) -> (length: Int, isDelimiter: Bool) {
        input.withUnsafeBytes { input in
            delimiter.withUnsafeBytes { delimiter in
                guard let bytes = input.baseAddress, let wanted = delimiter.baseAddress else {
                    return (0, false)
                }
                var start = 0
                while start < input.count,
                    let found = memchr(bytes + start, Int32(Byte.carriageReturn), input.count - start)
                {
                    start = UnsafeRawPointer(found) - bytes
                    let count = min(delimiter.count, input.count - start)
                    if memcmp(bytes + start, wanted, count) == 0 { return (start, count == delimiter.count) }
                    start += 1
                }
                return (input.count, false)
            }
        }
    }
}
