import ASCIIText

/// The media types whose content gets much smaller. Images, audio, video, archives and fonts are compressed already.
enum CompressibleTypes {
    /// Whether the value of a Content-Type names such a type.
    static func contain(_ value: UnsafeRawBufferPointer) -> Bool {
        var end = 0
        while end < value.count, value[end] != UInt8(ascii: ";"), !ASCII.isBlank(value[end]) { end += 1 }
        let type = UnsafeRawBufferPointer(rebasing: value[..<end])
        if hasPrefix(type, "text/") { return true }
        if hasSuffix(type, "+json") || hasSuffix(type, "+xml") { return true }
        return names.contains { ASCII.equals(type, lowercase: $0) }
    }

    private static let names: [StaticString] = [
        "application/json", "application/javascript", "application/x-ndjson", "application/xml",
        "application/yaml", "application/wasm", "image/bmp", "image/x-icon", "font/ttf", "font/otf",
    ]

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
