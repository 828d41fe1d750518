import ASCIIText

/// The media types whose content gets much smaller. Images, audio, video, archives and fonts are compressed
/// already.
enum CompressibleTypes {
    /// Whether the value of a Content-Type names such a type.
    static func contain(_ value: UnsafeRawBufferPointer) -> Bool {
        var end = 0
        while end < value.count, value[end] != UInt8(ascii: ";"), !ASCII.isBlank(value[end]) { end += 1 }
        let type = UnsafeRawBufferPointer(rebasing: value[..<end])
        // First, because most answers have it.
        if ASCII.isText(type, "application/json") { return true }
        return hasPrefix(type, "text/") || hasSuffix(type, "+json") || hasSuffix(type, "+xml")
            || isOther(type)
    }

    private static func isOther(_ type: UnsafeRawBufferPointer) -> Bool {
        switch type.count {
        case 8: ASCII.isText(type, "font/ttf") || ASCII.isText(type, "font/otf")
        case 9: ASCII.isText(type, "image/bmp")
        case 12: ASCII.isText(type, "image/x-icon")
        case 15: ASCII.isText(type, "application/xml")
        case 16: ASCII.isText(type, "application/yaml") || ASCII.isText(type, "application/wasm")
        case 20: ASCII.isText(type, "application/x-ndjson")
        case 22: ASCII.isText(type, "application/javascript")
        case 24: ASCII.isText(type, "image/vnd.microsoft.icon")
        default: false
        }
    }

    private static func hasPrefix(_ type: UnsafeRawBufferPointer, _ prefix: StaticString) -> Bool {
        type.count >= prefix.utf8CodeUnitCount
            && ASCII.equals(
                UnsafeRawBufferPointer(rebasing: type[..<prefix.utf8CodeUnitCount]), lowercase: prefix)
    }

    private static func hasSuffix(_ type: UnsafeRawBufferPointer, _ suffix: StaticString) -> Bool {
        type.count > suffix.utf8CodeUnitCount
            && ASCII.equals(
                UnsafeRawBufferPointer(rebasing: type[(type.count - suffix.utf8CodeUnitCount)...]),
                lowercase: suffix)
    }
}
