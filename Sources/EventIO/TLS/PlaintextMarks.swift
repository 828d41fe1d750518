/// Relates the bytes that an encrypted stream has passed to the kernel to the plaintext in them.
///
/// It marks the ends of records, about each 64 KiB, and interpolates between two marks. Where the output ends
/// it is exact. Handshakes and alerts are bytes on the wire without plaintext.
struct PlaintextMarks {
    private struct Mark {
        var wire: Int64
        var plain: Int64
    }

    /// The least number of bytes between two marks.
    static let spacing: Int64 = 64 << 10
    /// The most marks. Beyond it, marks of acknowledged bytes are forgotten. The kernel buffers a few
    /// megabytes.
    private static let limit = 64

    private var first = Mark(wire: 0, plain: 0)
    /// Behind the first.
    private var others: [Mark] = []
    private var end = Mark(wire: 0, plain: 0)

    /// Whether to forget some.
    var isFull: Bool { others.count >= Self.limit }

    /// Records with this much plaintext take the bytes from `start` to `wire` of the output.
    mutating func recordsWritten(from start: Int64, to wire: Int64, plaintext: Int) {
        // Nothing before this record is of interest if the kernel was offered only the handshake.
        if end.plain == 0 { first = Mark(wire: start, plain: 0) }
        end = Mark(wire: wire, plain: end.plain &+ Int64(plaintext))
        if end.wire &- (others.last ?? first).wire >= Self.spacing { others.append(end) }
    }

    /// Returns how much plaintext the first `wire` bytes of the output hold.
    func plaintext(within wire: Int64) -> Int64 {
        guard wire < end.wire else { return end.plain }
        var after = end
        for mark in others.reversed() {
            if mark.wire <= wire { return Self.between(mark, after, at: wire) }
            after = mark
        }
        return wire <= first.wire ? first.plain : Self.between(first, after, at: wire)
    }

    private static func between(_ one: Mark, _ other: Mark, at wire: Int64) -> Int64 {
        guard other.wire > one.wire else { return one.plain }
        // At most a few gigabytes each, so the product does not overflow.
        let (product, isTooLarge) = (wire &- one.wire).multipliedReportingOverflow(
            by: other.plain &- one.plain)
        guard !isTooLarge else { return one.plain }
        return one.plain &+ product / (other.wire &- one.wire)
    }

    /// Forgets marks that are not needed to look at `wire` or later bytes.
    mutating func forget(before wire: Int64) {
        guard let last = others.lastIndex(where: { $0.wire <= wire }) else { return thin() }
        first = others[last]
        others.removeSubrange(...last)
        thin()
    }

    /// Drops every other mark if there are still too many, which makes the estimate coarser.
    private mutating func thin() {
        guard isFull else { return }
        others = others.indices.compactMap { $0 & 1 == 1 ? others[$0] : nil }
    }
}
