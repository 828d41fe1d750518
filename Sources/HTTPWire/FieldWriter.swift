import ASCIIText
import HTTPModel

/// Why a head cannot be sent. Nothing of it was appended.
public enum SerializationError: Error, Sendable, Hashable {
    /// A field name is not a token of 1 to 256 bytes.
    case fieldName
    /// A field value contains a control character.
    case fieldValue(name: String)
    /// The target is not a path or `*`, or contains a blank, a control character, a `#` or a byte beyond
    /// ASCII.
    case target
    /// The host is not a name or address with an optional port.
    case host
    /// A 1xx status, which is not final.
    case informationalStatus
}

extension SerializationError: CustomStringConvertible {
    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .fieldName: "a field name is not a token"
        case .fieldValue(let name): "the value of \(name) has a control character"
        case .target: "the target is not a valid path"
        case .host: "the host is not valid"
        case .informationalStatus: "a 1xx status is not final"
        }
    }
}

enum FieldWriter {
    /// Returns an upper bound for the bytes that `append` writes.
    static func capacity(_ fields: HTTPFields) -> Int { fields.storage.bytes.count &+ 4 &* fields.count }

    /// Appends the fields except those that `isSkipped` selects.
    @inline(__always)
    static func append(
        _ fields: HTTPFields, except isSkipped: (UnsafeRawBufferPointer) -> Bool, to writer: inout ByteWriter
    ) throws(SerializationError) {
        let failure: SerializationError? = fields.storage.bytes.withUnsafeBytes { bytes in
            if fields.storage.isChecked {
                writer.append(UnsafeRawBufferPointer(rebasing: bytes[fields.storage.textStart...]))
                return nil
            }
            for index in 0..<fields.count {
                let entry = fields.storage.entry(index, in: bytes)
                let name = UnsafeRawBufferPointer(rebasing: bytes[entry.name])
                guard isName(bytes, entry.name) else { return .fieldName }
                if isSkipped(name) { continue }
                let range = entry.value
                guard isValue(bytes, range) else {
                    return .fieldValue(name: String(decoding: name, as: UTF8.self))
                }
                append(bytes, entry, to: &writer)
            }
            return nil
        }
        if let failure { throw failure }
    }

    @inline(__always)
    private static func append(
        _ bytes: UnsafeRawBufferPointer, _ entry: FieldStorage.Entry, to writer: inout ByteWriter
    ) {
        let name = entry.name
        let value = entry.value
        // Most fields are stored in wire form.
        if value.lowerBound == name.upperBound &+ 2, bytes[name.upperBound] == Byte.colon,
            bytes[name.upperBound &+ 1] == Byte.space, value.upperBound &+ 2 <= bytes.count,
            bytes[value.upperBound] == Byte.carriageReturn, bytes[value.upperBound &+ 1] == Byte.lineFeed
        {
            writer.append(
                UnsafeRawBufferPointer(rebasing: bytes[name.lowerBound..<value.upperBound &+ 2]))
            return
        }
        writer.append(UnsafeRawBufferPointer(rebasing: bytes[name]))
        writer.append(": ")
        writer.append(UnsafeRawBufferPointer(rebasing: bytes[value]))
        writer.append("\r\n")
    }

    @inline(__always)
    private static func isName(_ bytes: UnsafeRawBufferPointer, _ name: Range<Int>) -> Bool {
        !name.isEmpty && name.count <= HTTPFieldName.maximumLength && ByteScan.isToken(bytes, name)
    }

    @inline(__always)
    private static func isValue(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        ByteScan.isText(UnsafeRawBufferPointer(rebasing: bytes[range])) || isTextWithTabs(bytes, range)
    }

    @inline(never)
    private static func isTextWithTabs(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        var end = ByteScan.firstControl(bytes, from: range.lowerBound, to: range.upperBound)
        while end < range.upperBound, bytes[end] == Byte.tab {
            end = ByteScan.firstControl(bytes, from: end &+ 1, to: range.upperBound)
        }
        return end == range.upperBound
    }
}

extension [UInt8] {
    @inline(__always)
    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }

    /// Appends lowercase hex digits without leading zeros.
    ///
    /// - Precondition: `number` is not negative.
    mutating func append(hexadecimal number: Int) {
        precondition(number >= 0, "a length is not negative")
        var shift = number == 0 ? 0 : (63 - number.leadingZeroBitCount) / 4 * 4
        while shift >= 0 {
            append(ASCII.lowercaseHexDigit(UInt8(truncatingIfNeeded: number >> shift & 15)))
            shift -= 4
        }
    }
}
