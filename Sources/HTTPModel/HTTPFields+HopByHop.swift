public import ASCIIText

/// The fields that belong to one connection and that no intermediary forwards.
///
/// RFC 9110 7.6.1 lists Connection, Proxy-Connection, Keep-Alive, TE, Transfer-Encoding and Upgrade. Trailer joins them
/// because trailers are discarded here, and HTTP2-Settings because it comes with an upgrade to HTTP/2 (RFC 7540 3.2.1).
@usableFromInline
package enum HopByHopFields {
    /// Whether the list has a field of that name, in any case.
    ///
    /// - Parameter name: bytes without a control character.
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

    /// Whether the list has a field of that name.
    package static func contains(_ name: HTTPFieldName) -> Bool { name.withBytes(contains) }
}

extension HTTPFields {
    /// Removes the fields that belong to one connection (RFC 9110 7.6.1): those that `Connection` names, then the fixed
    /// list. Call it on a received message before adding fields, so that a peer can remove only its own.
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

/// Calls `body` with each element of a comma-separated list, without the blanks around it. Empty elements are skipped.
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
