/// Reads the events of one connection (WHATWG HTML 9.2.6).
package struct EventParser: Sendable {
    private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]
    /// Longest wait that a server may ask for, in milliseconds.
    private static let longestRetry = 3_600_000

    private let limit: Int
    private var splitter: LineSplitter
    private var isAtStart = true
    private var event = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var id: String?
    /// The id of the last event, also of an event without data.
    package private(set) var lastEventID: String?
    /// Time to wait before the next connection, in milliseconds; nil if the server has not asked for any.
    package private(set) var retry: Int?

    /// - Parameters:
    ///   - limit: maximum number of bytes of a line, and of the data of an event.
    ///   - lastEventID: of earlier connections.
    ///   - retry: of earlier connections.
    package init(limit: Int, lastEventID: String? = nil, retry: Int? = nil) {
        self.limit = limit
        self.lastEventID = lastEventID
        self.retry = retry
        id = lastEventID
        splitter = LineSplitter(.any, limit: limit)
    }

    /// Removes the next event that ends in the piece, and returns it. Returns nil, and keeps the rest of the
    /// piece, if no event ends there. An event that has no blank line at its end is dropped with the parser.
    package mutating func nextEvent(
        in piece: inout ArraySlice<UInt8>
    ) throws(LineSplitter.TooLong) -> ServerSentEvent? {
        while let line = try splitter.nextLine(in: &piece) {
            if let event = try read(line) { return event }
        }
        return nil
    }

    private mutating func read(
        _ line: ArraySlice<UInt8>
    ) throws(LineSplitter.TooLong) -> ServerSentEvent? {
        var line = line
        if isAtStart, line.starts(with: Self.byteOrderMark) { line = line.dropFirst(3) }
        isAtStart = false
        if line.isEmpty { return dispatch() }
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
        let name = line[..<(colon ?? line.endIndex)]
        var value = colon.map { line[($0 + 1)...] } ?? []
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: name, as: UTF8.self) {
        case "data":
            guard value.count < limit - data.count else { throw LineSplitter.TooLong(limit: limit) }
            if hasData { data.append(UInt8(ascii: "\n")) }
            data += value
            hasData = true
        case "event": event = String(decoding: value, as: UTF8.self)
        case "id":
            if !value.contains(0) { id = value.isEmpty ? nil : String(decoding: value, as: UTF8.self) }
        case "retry":
            let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
            guard !value.isEmpty, value.allSatisfy(digits.contains) else { return nil }
            let time = Int(String(decoding: value, as: UTF8.self)) ?? Self.longestRetry
            retry = min(time, Self.longestRetry)
        // A comment has no name.
        default: break
        }
        return nil
    }

    private mutating func dispatch() -> ServerSentEvent? {
        lastEventID = id
        defer {
            event = ""
            data = []
            hasData = false
        }
        guard hasData else { return nil }
        return ServerSentEvent(
            String(decoding: data, as: UTF8.self), event: event.isEmpty ? "message" : event, id: id)
    }
}
