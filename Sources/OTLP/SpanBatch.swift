internal import ASCIIText

/// The id of a trace: 16 bytes, not all zero (W3C Trace Context).
public struct TraceID: Sendable, Hashable {
    /// The first eight bytes.
    public var high: UInt64
    /// The last eight bytes.
    public var low: UInt64

    /// Creates an id from its halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// A span of a trace, without its attributes.
public struct Span {
    /// What the span stands for (`Span.SpanKind` of OTLP).
    public enum Kind: Int {
        /// Work within the process.
        case `internal` = 1
        /// A request that was received.
        case server = 2
        /// A request that was sent.
        case client = 3
    }

    /// The trace that the span is in.
    public var trace: TraceID
    /// The id of the span, not 0.
    public var id: UInt64
    /// 0 for the first span of a trace.
    public var parent: UInt64
    /// What the span stands for.
    public var kind: Kind
    /// Nanoseconds since 1970.
    public var start: UInt64
    /// Nanoseconds since 1970.
    public var end: UInt64
    /// Whether the status is `Error`. Otherwise it is not set.
    public var hasFailed: Bool
    /// The flags of the trace (`trace_flags`): bit 0 says that it was sampled at its head.
    public var flags: UInt32

    /// Creates a span.
    public init(
        trace: TraceID, id: UInt64, parent: UInt64, kind: Kind, start: UInt64, end: UInt64,
        hasFailed: Bool = false, flags: UInt32 = 0
    ) {
        self.trace = trace
        self.id = id
        self.parent = parent
        self.kind = kind
        self.start = start
        self.end = end
        self.hasFailed = hasFailed
        self.flags = flags
    }
}

/// Spans as OTLP has them on the wire, ready to be sent within a request (`ScopeSpans.spans`).
public struct SpanBatch: ~Copyable {
    private var writer = ProtobufWriter(capacity: 16 << 10)
    /// The number of spans.
    public private(set) var count = 0

    /// Creates an empty batch.
    public init() {}

    /// Adds a span.
    ///
    /// - Parameters:
    ///   - span: its ids and times.
    ///   - name: its name; `method` and a blank come before it, if there is one.
    ///   - attributes: adds attributes.
    public mutating func add(
        _ span: borrowing Span, _ method: String? = nil, _ name: String,
        _ attributes: (inout SpanBatch) -> Void
    ) {
        let start = writer.begin(2)
        writer.ids(span)
        writer.field(5, text: name, after: method)
        writer.field(6, varint: UInt64(span.kind.rawValue))
        writer.field(7, fixed64: span.start)
        writer.field(8, fixed64: max(span.start, span.end))
        attributes(&self)
        if span.hasFailed {
            let status = writer.begin(15)
            writer.field(3, varint: 2)
            writer.end(status)
        }
        if span.flags != 0 { writer.field(16, fixed32: span.flags) }
        writer.end(start)
        count += 1
    }

    /// Adds an attribute to the span that is being added.
    public mutating func attribute(_ name: StaticString, _ text: String) {
        var text = text
        text.withUTF8 { writer.attribute(9, name, UnsafeRawBufferPointer($0)) }
    }

    /// Adds an attribute whose text is the beginning of these bytes, which are UTF-8.
    public mutating func attribute(_ name: StaticString, utf8 bytes: ArraySlice<UInt8>, _ count: Int? = nil) {
        bytes.withUnsafeBytes {
            writer.attribute(9, name, UnsafeRawBufferPointer(rebasing: $0.prefix(count ?? $0.count)))
        }
    }

    /// Adds an attribute whose text `body` selects from another one: a range of its bytes.
    public mutating func attribute(
        _ name: StaticString, of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Range<Int>
    ) {
        var text = text
        text.withUTF8 { bytes in
            let range = body(bytes)
            writer.attribute(9, name, UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[range])))
        }
    }

    /// Adds an attribute whose text `write` appends piece by piece (`append`).
    public mutating func attribute(_ name: StaticString, pieces write: (inout SpanBatch) -> Void) {
        let start = writer.begin(9)
        writer.field(1, bytes: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        let value = writer.begin(2)
        let text = writer.begin(1)
        write(&self)
        writer.end(text)
        writer.end(value)
        writer.end(start)
    }

    /// Appends to the text of an attribute.
    public mutating func append(_ text: String) { writer.append(text) }

    /// Appends to the text of an attribute.
    public mutating func append(_ bytes: ArraySlice<UInt8>) { writer.append(bytes) }

    /// Adds an attribute with a number to the span.
    public mutating func attribute(_ name: StaticString, _ number: Int) {
        writer.attribute(9, name) { $0.field(3, varint: UInt64(bitPattern: Int64(number))) }
    }

    /// Adds an attribute whose value is a list of one text, as attributes of header fields are.
    public mutating func attribute(_ name: String, list text: String) {
        let start = writer.begin(9)
        writer.field(1, text: name)
        let value = writer.begin(2)
        let list = writer.begin(5)
        let element = writer.begin(1)
        writer.field(1, text: text)
        writer.end(element)
        writer.end(list)
        writer.end(value)
        writer.end(start)
    }

    /// Removes all spans, and returns them as bytes with their number.
    public mutating func take() -> (bytes: [UInt8], count: Int) {
        let taken = (bytes: Array(writer.bytes), count: count)
        writer.removeAll()
        count = 0
        return taken
    }
}

extension ProtobufWriter {
    /// Writes `trace_id`, `span_id` and `parent_span_id` in one piece.
    fileprivate mutating func ids(_ span: borrowing Span) {
        let place = UnsafeMutableRawPointer(out.reserve(38))
        place.storeBytes(of: 0x100A, as: UInt16.self)
        place.storeBytes(of: span.trace.high.bigEndian, toByteOffset: 2, as: UInt64.self)
        place.storeBytes(of: span.trace.low.bigEndian, toByteOffset: 10, as: UInt64.self)
        place.storeBytes(of: 0x0812, toByteOffset: 18, as: UInt16.self)
        place.storeBytes(of: span.id.bigEndian, toByteOffset: 20, as: UInt64.self)
        guard span.parent != 0 else { return out.advance(by: 28) }
        place.storeBytes(of: 0x0822, toByteOffset: 28, as: UInt16.self)
        place.storeBytes(of: span.parent.bigEndian, toByteOffset: 30, as: UInt64.self)
        out.advance(by: 38)
    }

    /// Writes a name with a text.
    @inline(__always)
    fileprivate mutating func attribute(
        _ field: UInt8, _ name: StaticString, _ text: UnsafeRawBufferPointer
    ) {
        let (length, count) = (name.utf8CodeUnitCount, text.count)
        // All lengths of a short attribute have one byte, so that it is written in one piece.
        guard length + count <= 119 else {
            return attribute(Int(field), name) { $0.field(1, bytes: text) }
        }
        let place = out.reserve(length + count + 8)
        place[0] = field << 3 | 2
        place[1] = UInt8(truncatingIfNeeded: length + count + 6)
        place[2] = 1 << 3 | 2
        place[3] = UInt8(truncatingIfNeeded: length)
        (place + 4).update(from: name.utf8Start, count: length)
        let value = place + 4 + length
        value[0] = 2 << 3 | 2
        value[1] = UInt8(truncatingIfNeeded: count + 2)
        value[2] = 1 << 3 | 2
        value[3] = UInt8(truncatingIfNeeded: count)
        if let start = text.baseAddress {
            UnsafeMutableRawPointer(value + 4).copyMemory(from: start, byteCount: count)
        }
        out.advance(by: length + count + 8)
    }

    @inline(__always)
    fileprivate mutating func attribute(
        _ field: Int, _ name: StaticString, _ write: (inout ProtobufWriter) -> Void
    ) {
        let start = begin(field)
        self.field(1, bytes: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        let value = begin(2)
        write(&self)
        end(value)
        end(start)
    }

    /// Writes a text, with another one and a blank before it.
    fileprivate mutating func field(_ number: Int, text: String, after first: String?) {
        guard let first else { return field(number, text: text) }
        let start = begin(number)
        append(first)
        append(" ")
        append(text)
        end(start)
    }
}
