import HTTPModel

/// Recognizes requests that went round: our own name in `Via` twice (RFC 9110 7.6.3).
///
/// Once is well: a gateway may stand behind another.
enum LoopDetection {
    static func isLoop(_ fields: HTTPFields) -> Bool {
        guard fields.contains(.via) else { return false }
        var count = 0
        for value in fields.valueBytes(of: .via) {
            for element in value.split(separator: UInt8(ascii: ",")) where isOurs(element) { count += 1 }
        }
        return count > 1
    }

    /// `[protocol-name "/"] protocol-version RWS received-by [RWS comment]`
    private static func isOurs(_ element: ArraySlice<UInt8>) -> Bool {
        let words = element.split { $0 == 0x20 || $0 == 0x09 }
        guard words.count > 1 else { return false }
        return words[1].map { $0 | 0x20 }.elementsEqual("sluice".utf8)
    }
}
