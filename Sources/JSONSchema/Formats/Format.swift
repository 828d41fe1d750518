import ASCIIText
import HTTPModel

/// The formats that are asserted.
enum Format: String, CaseIterable, Sendable {
    case dateTime = "date-time"
    case date, time, duration
    case email
    case idnEmail = "idn-email"
    case hostname, ipv4, ipv6
    case uri
    case uriReference = "uri-reference"
    case iri
    case iriReference = "iri-reference"
    case uuid
    case uriTemplate = "uri-template"
    case jsonPointer = "json-pointer"
    case relativeJSONPointer = "relative-json-pointer"
    case regex
    // Of OpenAPI.
    case int32, int64, float, double, byte

    /// Formats that only describe.
    static let annotations: Set<String> = ["idn-hostname", "binary", "password"]

    static let names = allCases.map(\.rawValue) + annotations.sorted()

    /// Whether it is about numbers rather than texts.
    var isNumeric: Bool {
        switch self {
        case .int32, .int64, .float, .double: true
        default: false
        }
    }

    /// Whether a decoded text has the format. Formats of numbers accept any text.
    func accepts(_ text: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .dateTime: TimeFormats.isDateTime(text)
        case .date: TimeFormats.isDate(text)
        case .time: TimeFormats.isTime(text)
        case .duration: TimeFormats.isDuration(text)
        case .email: AddressFormats.isEmail(text, isInternational: false)
        case .idnEmail: AddressFormats.isEmail(text, isInternational: true)
        case .hostname: AddressFormats.isHostname(text)
        case .ipv4: IPv4Text.isValid(text)
        case .ipv6: IPv6Text.isValid(text)
        case .uri: URIFormats.isURI(text, isInternational: false)
        case .uriReference: URIFormats.isReference(text, isInternational: false)
        case .iri: URIFormats.isURI(text, isInternational: true)
        case .iriReference: URIFormats.isReference(text, isInternational: true)
        case .uuid: Self.isUUID(text)
        case .uriTemplate: URIFormats.isTemplate(text)
        case .jsonPointer: Self.isPointer(text, from: 0)
        case .relativeJSONPointer: Self.isRelativePointer(text)
        case .regex:
            (try? ECMAPatternParser.parse(String(decoding: text, as: UTF8.self), isMatched: false)) != nil
        case .byte: Self.isBase64(text)
        case .int32, .int64, .float, .double: true
        }
    }

    /// RFC 4122 3: 36 characters, with dashes at four places.
    private static func isUUID(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.count == 36 else { return false }
        for index in 0..<36 {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard text[index] == Byte.minus else { return false }
            } else if ASCII.hexValue(text[index]) == nil {
                return false
            }
        }
        return true
    }

    /// RFC 6901 3: empty, or tokens that each follow a slash.
    private static func isPointer(_ text: UnsafeRawBufferPointer, from start: Int) -> Bool {
        guard start < text.count else { return true }
        guard text[start] == Byte.slash else { return false }
        for index in start..<text.count where text[index] == UInt8(ascii: "~") {
            let next = index + 1 < text.count ? text[index + 1] : 0
            guard next == Byte.zero || next == UInt8(ascii: "1") else { return false }
        }
        return true
    }

    /// A number without a leading zero, and `#` or a JSON Pointer.
    private static func isRelativePointer(_ text: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < text.count, ASCII.isDigit(text[index]) { index += 1 }
        guard index > 0, index == 1 || text[0] != Byte.zero else { return false }
        if index + 1 == text.count, text[index] == Byte.hash { return true }
        return isPointer(text, from: index)
    }

    /// RFC 4648 4, with padding.
    private static func isBase64(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.count % 4 == 0 else { return false }
        var end = text.count
        while end > text.count - 2, end > 0, text[end - 1] == Byte.equals { end -= 1 }
        return text[..<end].allSatisfy {
            ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == Byte.plus || $0 == Byte.slash
        }
    }
}
