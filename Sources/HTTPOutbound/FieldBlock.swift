public import HTTPModel
internal import HTTPWire

/// Field lines that were checked and written once, to go out with many requests.
public struct FieldBlock: Sendable {
    let lines: [UInt8]

    /// No fields.
    public init() { lines = [] }

    /// - Throws: `SerializationError` when a name or a value may not stand in a head. Fields that are the client's
    ///   to write (Host, the framing, hop-by-hop fields) are left out.
    public init(_ fields: HTTPFields) throws {
        var head: [UInt8] = []
        try RequestSerializer.appendHead(
            .get, target: [0x2f], host: [0x78], fields: [:], body: .none, to: &head)
        let start = head.count - 2
        head.removeAll(keepingCapacity: true)
        try RequestSerializer.appendHead(
            .get, target: [0x2f], host: [0x78], fields: fields, body: .none, to: &head)
        lines = Array(head[start..<head.count - 2])
    }
}
