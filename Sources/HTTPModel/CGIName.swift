import ASCIIText

/// A field name as CGI programs read it: `X-User-Id` and `x_user_id` are one variable, `HTTP_X_USER_ID` (RFC
/// 3875 4.1.18). Whoever must not set one of the fields must not set the other.
package struct CGIName: Hashable, Sendable {
    private let bytes: [UInt8]

    package init(_ name: HTTPFieldName) { bytes = name.withBytes { $0.map(Self.folded) } }

    /// Whether a field of this name becomes the same variable.
    package func matches(_ name: UnsafeRawBufferPointer) -> Bool {
        name.count == bytes.count && bytes.indices.allSatisfy { bytes[$0] == Self.folded(name[$0]) }
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        byte == UInt8(ascii: "_") ? UInt8(ascii: "-") : ASCII.lowercased(byte)
    }
}

extension HTTPFields {
    /// Removes the fields that become one of these variables.
    package mutating func remove(_ names: [CGIName]) {
        guard !isEmpty, !names.isEmpty else { return }
        remove { name in names.contains { $0.matches(name) } }
    }
}
