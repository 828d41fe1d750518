/// Writes the events of one stream (WHATWG HTML 9.2), as `EventParser` reads them.
package struct EventWriter: Sendable {
    /// A field would end before its last character.
    package struct InvalidField: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// A line that readers skip.
    package static let comment = Array(":\n\n".utf8)[...]

    /// The id of the last event that had one.
    private var lastEventID: String?

    package init() {}

    /// Returns an event. Line ends in its data become LF for the reader. The id is written only if it has
    /// changed: the reader keeps the last one.
    ///
    /// - Throws: `InvalidField` for an `event` with CR or LF, and an `id` with CR, LF or NUL.
    package mutating func write(_ event: ServerSentEvent) throws(InvalidField) -> ArraySlice<UInt8> {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(event.data.utf8.count + event.event.utf8.count + 32)
        if !event.event.isEmpty, event.event != "message" {
            guard !event.event.utf8.contains(where: Self.endsLine) else {
                throw InvalidField(description: "the name of an event has a line break")
            }
            bytes += "event: ".utf8
            bytes += event.event.utf8
            bytes.append(Self.lineFeed)
        }
        if let id = event.id, id != lastEventID {
            guard !id.utf8.contains(where: { $0 == 0 || Self.endsLine($0) }) else {
                throw InvalidField(description: "the id of an event has a line break or a NUL")
            }
            bytes += "id: ".utf8
            bytes += id.utf8
            bytes.append(Self.lineFeed)
            lastEventID = id
        }
        bytes += Self.data
        if event.data.utf8.contains(where: Self.endsLine) {
            Self.append(lines: event.data, to: &bytes)
        } else {
            bytes += event.data.utf8
        }
        bytes += Self.end
        return bytes[...]
    }

    /// Returns a line that asks the reader to wait so long before its next connection.
    package static func retry(milliseconds: Int) -> ArraySlice<UInt8> {
        Array("retry: \(milliseconds)\n\n".utf8)[...]
    }

    static let data = Array("data: ".utf8)
    static let end = Array("\n\n".utf8)
    static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private static func endsLine(_ byte: UInt8) -> Bool { byte == lineFeed || byte == carriageReturn }

    /// Appends text with a field for each of its lines.
    private static func append(lines text: String, to bytes: inout [UInt8]) {
        var isAfterReturn = false
        for byte in text.utf8 {
            let isSecond = isAfterReturn && byte == lineFeed
            isAfterReturn = byte == carriageReturn
            if isSecond { continue }
            if endsLine(byte) {
                bytes.append(lineFeed)
                bytes += data
            } else {
                bytes.append(byte)
            }
        }
    }
}
