public import ASCIIText

/// The fields that belong to one connection and must not be forwarded.
///
/// RFC 9110 7.6.1 lists Connection, Proxy-Connection, Keep-Alive, TE, Transfer-Encoding and Upgrade. Trailer
/// is added because trailers are discarded here, and HTTP2-Settings because it belongs to an HTTP/2 upgrade
/// (RFC 7540 3.2.1).
@usableFromInline
package enum HopByHopFields {
    /// Whether the list contains the name, ignoring case.
    ///
    /// - Parameter name: bytes without control characters.
    @inlinable @inline(__always)
    package static func contains(_ name: UnsafeRawBufferPointer) -> Bool {
        switch name.count {
        case 2: ASCII.equals(name, lowercase: "te")
        case 7: ASCII.isText(name, "trailer") || ASCII.isText(name, "upgrade")
        case 10: ASCII.isText(name, "connection") || ASCII.isText(name, "keep-alive")
        case 14: ASCII.isText(name, "http2-settings")
        case 16: ASCII.isText(name, "proxy-connection")
        case 17: ASCII.isText(name, "transfer-encoding")
        default: false
        }
    }

    package static func contains(_ name: HTTPFieldName) -> Bool { name.withBytes(contains) }
}

extension HTTPFields {
    /// Removes the fields that belong to one connection (RFC 9110 7.6.1): those named by `Connection`, then
    /// the fixed list. Call it before adding fields, so that a peer can remove only its own.
    public mutating func removeHopByHop() {
        guard contains(.connection) else { return removeFixed() }
        let before = self
        before.withEachField { name, value in
            guard ASCII.equals(name, lowercase: "connection") else { return }
            forEachListElement(in: value) { option in
                // The fixed list is removed below, and `close` names no field.
                if HopByHopFields.contains(option) || ASCII.equals(option, lowercase: "close") { return }
                remove(named: option)
            }
        }
        removeFixed()
    }

    private mutating func removeFixed() {
        remove(where: HopByHopFields.contains)
    }
}

/// Calls `body` with each nonempty element of a comma-separated list, without surrounding blanks.
package func forEachListElement(
    in value: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
) {
    var start = 0
    while start <= value.count {
        var end = start
        while end < value.count, value[end] != Byte.comma { end += 1 }
        let element = ASCII.trimmed(UnsafeRawBufferPointer(rebasing: value[start..<end]))
        if !element.isEmpty { body(element) }
        start = end + 1
    }
}
