public import ASCIIText

/// The fields that only the transport writes, because they belong to one connection, frame a message, or say
/// how its body is coded. Files, targets, interceptors and handlers cannot set them.
@usableFromInline
package enum TransportFields {
    /// Whether only the transport sets this field of a request, ignoring case.
    ///
    /// - Parameter name: a token.
    @inlinable @inline(__always)
    package static func areInRequest(_ name: UnsafeRawBufferPointer) -> Bool {
        switch name.count {
        case 4: ASCII.isText(name, "host")
        case 6: ASCII.isText(name, "expect")
        case 14: ASCII.isText(name, "content-length") || HopByHopFields.contains(name)
        default: HopByHopFields.contains(name)
        }
    }

    package static func areInRequest(_ name: HTTPFieldName) -> Bool { name.withBytes(areInRequest) }

    /// Whether only the transport sets this field of a response.
    package static func areInResponse(_ name: HTTPFieldName) -> Bool {
        name == .contentLength || HopByHopFields.contains(name)
    }

    /// Whether only the gateway sets this field of a response whose body it makes. The body is never a range,
    /// and the gateway adds the coding that it uses: with another one, no client could read the body.
    package static func areInMadeResponse(_ name: HTTPFieldName) -> Bool {
        name == .contentEncoding || name == .contentRange || areInResponse(name)
    }
}
