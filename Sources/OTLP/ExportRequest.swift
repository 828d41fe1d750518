/// What an exporter sends, and what it gets: `ExportTraceServiceRequest` and `ExportTraceServiceResponse`.
public enum ExportRequest {
    /// Returns a request with the spans of several batches.
    ///
    /// - Parameters:
    ///   - batches: what `SpanBatch.take()` has returned.
    ///   - resource: describes the process that made the spans.
    ///   - scope: the name and the version of what made them.
    public static func bytes(
        of batches: [[UInt8]], resource: [(name: String, value: String)],
        scope: (name: String, version: String)
    ) -> [UInt8] {
        var description = ProtobufWriter(capacity: 1024)
        let start = description.begin(1)
        for (name, value) in resource {
            let attribute = description.begin(1)
            description.field(1, text: name)
            let text = description.begin(2)
            description.field(1, text: value)
            description.end(text)
            description.end(attribute)
        }
        description.end(start)
        var spans = ProtobufWriter(capacity: 256)
        let library = spans.begin(1)
        spans.field(1, text: scope.name)
        spans.field(2, text: scope.version)
        spans.end(library)

        let spansLength = batches.reduce(spans.count) { $0 + $1.count }
        var head = ProtobufWriter(capacity: 64)
        head.scopeSpans(spansLength)
        let scopeHead = Array(head.bytes)
        head.removeAll()
        head.resourceSpans(description.count + scopeHead.count + spansLength)
        var all = Array(head.bytes)
        all.reserveCapacity(all.count + description.count + scopeHead.count + spansLength)
        all += description.bytes
        all += scopeHead
        all += spans.bytes
        for batch in batches { all += batch }
        return all
    }

    /// Returns how many spans a collector has rejected, and why. Nil for a response that is not one.
    public static func rejected(in response: ArraySlice<UInt8>) -> (count: Int, message: String)? {
        var reader = ProtobufReader(response)
        var rejected = (count: 0, message: "")
        while let field = reader.next() {
            guard case .bytes(1, let partial) = field else { continue }
            var reader = ProtobufReader(partial)
            while let field = reader.next() {
                switch field {
                case .number(1, let count):
                    rejected.count = Int(truncatingIfNeeded: max(0, Int64(bitPattern: count)))
                case .bytes(2, let message): rejected.message = String(decoding: message, as: UTF8.self)
                default: break
                }
            }
            if reader.isBroken { return nil }
        }
        return reader.isBroken ? nil : rejected
    }
}

extension ProtobufWriter {
    /// The beginning of `ScopeSpans` within `ResourceSpans`.
    fileprivate mutating func scopeSpans(_ length: Int) {
        varint(2 << 3 | 2)
        varint(UInt64(length))
    }

    /// The beginning of `ResourceSpans` within the request.
    fileprivate mutating func resourceSpans(_ length: Int) {
        varint(1 << 3 | 2)
        varint(UInt64(length))
    }
}

/// Reads the fields of a message.
struct ProtobufReader {
    enum Field {
        case number(Int, UInt64)
        case bytes(Int, ArraySlice<UInt8>)
    }

    private var rest: ArraySlice<UInt8>
    /// Whether the bytes are not a message.
    private(set) var isBroken = false

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Returns nil at the end, and at a mistake.
    mutating func next() -> Field? {
        guard !rest.isEmpty, !isBroken else { return nil }
        guard let tag = varint(), tag >> 3 > 0, tag >> 3 < 1 << 29 else { return broken() }
        let number = Int(tag >> 3)
        switch tag & 7 {
        case 0:
            guard let value = varint() else { return broken() }
            return .number(number, value)
        case 1: return fixed(number, 8)
        case 2:
            guard let length = varint(), length <= UInt64(rest.count) else { return broken() }
            defer { rest = rest.dropFirst(Int(length)) }
            return .bytes(number, rest.prefix(Int(length)))
        case 5: return fixed(number, 4)
        default: return broken()
        }
    }

    private mutating func fixed(_ number: Int, _ length: Int) -> Field? {
        guard rest.count >= length else { return broken() }
        defer { rest = rest.dropFirst(length) }
        return .number(number, rest.prefix(length).reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }

    private mutating func broken() -> Field? {
        isBroken = true
        return nil
    }

    private mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: 0, through: 63, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}
