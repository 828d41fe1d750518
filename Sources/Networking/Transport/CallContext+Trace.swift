import HTTPModel
import Synchronization

/// The spans of a request's attempts (W3C Trace Context). The id of a span follows from the id of the
/// request's span and a number, so that only the number is kept.
extension CallContext {
    /// The request's trace and its own span, which `traceparent` tells upstreams; nil without one.
    package var trace: (high: UInt64, low: UInt64, span: UInt64)? {
        var trace: (UInt64, UInt64, UInt64)?
        withTraceParent { value in
            trace = (
                SpanNumber.value(of: value, at: 3), SpanNumber.value(of: value, at: 19),
                SpanNumber.value(of: value, at: 36)
            )
        }
        return trace
    }

    /// The number of another attempt's span; 0 if there are too many.
    func takeSpan() -> UInt16 {
        UInt16(exactly: (root ?? self).spans.wrappingAdd(1, ordering: .relaxed).newValue) ?? 0
    }
}

extension TransportCall {
    /// Whether the call belongs to a request whose trace is sampled.
    package var isSampled: Bool { context?.isSampled ?? false }

    /// The number of the span of another attempt; 0 if it has none.
    package func takeSpan() -> UInt16 { context?.takeSpan() ?? 0 }

    /// The fields of the incoming request's context for the attempt with this span.
    package func contextFields(of span: UInt16) -> HTTPFields {
        var fields = contextFields
        guard let index = fields.firstIndex(of: .traceParent) else { return fields }
        fields.overwrite(valueAt: index) {
            guard $0.count >= 55 else { return }
            let root = SpanNumber.value(of: UnsafeRawBufferPointer($0), at: 36)
            SpanNumber.write(SpanNumber.id(UInt64(span), of: root), at: 36, in: $0)
        }
        return fields
    }
}

/// The ids of spans.
package enum SpanNumber {
    /// Returns the id of a span below the request's: of an attempt by its number from 1 on, or of something
    /// else by another number.
    package static func id(_ number: UInt64, of root: UInt64) -> UInt64 {
        // A step of SplitMix64, which gives each number another id.
        var bits = root &+ number &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        return bits == 0 ? 1 : bits
    }

    /// Returns the value of 16 hexadecimal digits.
    static func value(of digits: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in offset..<offset + 16 {
            // The digits a to f have bit 6, and are 1 to 6 in their lower half.
            let digit = digits[index]
            value = value << 4 | UInt64(digit & 0xF &+ (digit >> 6) &* 9)
        }
        return value
    }

    static func write(_ bits: UInt64, at offset: Int, in place: UnsafeMutableRawBufferPointer) {
        for index in 0..<16 {
            let digit = UInt8(truncatingIfNeeded: bits >> UInt64(60 - 4 * index) & 0xF)
            place[offset + index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        }
    }
}
