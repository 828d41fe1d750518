import GatewayCore
import HTTPModel
@_spi(Lines) import JSONBytes
@_spi(Records) import Networking
import Rx

/// Writes upstream calls into a line of the access log: names and addresses, but no other part of a URL or
/// message.
enum CallList {
    /// Writes `,"calls":[...]` for a part's calls, if it made any. A nil `number` means calls outside of
    /// parts.
    static func write(
        _ log: AttemptLog, of number: Int?, _ clock: PartClock, to line: inout JSONLine
    ) {
        var isFirst = true
        log.forEach(of: number) { call in
            if isFirst { line.constant(#","calls":["#) } else { line.constant(",") }
            isFirst = false
            write(call, in: log, clock, to: &line)
        }
        if !isFirst { line.constant("]") }
    }

    /// Begins the same for a part that is one call and succeeded at the first attempt. `times` and `}]`
    /// follow.
    static func write(_ upstream: Upstream, _ address: PeerAddress?, to line: inout JSONLine) {
        line.constant(#","calls":["#)
        line.constant(#"{"upstream":"#)
        upstream.jsonName.withUnsafeBufferPointer { line.plain($0) }
        write(address, to: &line)
        line.constant(#","attempts":1,"status":200,"#)
    }

    private static func write(_ address: PeerAddress?, to line: inout JSONLine) {
        guard let address else { return }
        line.constant(#","address":"#)
        guard let quoted = address.quoted else { return line.string(address.description) }
        quoted.withUnsafeBufferPointer { line.plain($0) }
    }

    private static func write(
        _ call: borrowing CallEntry, in log: AttemptLog, _ clock: PartClock, to line: inout JSONLine
    ) {
        line.constant(#"{"upstream":"#)
        call.upstream.jsonName.withUnsafeBufferPointer { line.plain($0) }
        write(call.address, to: &line)
        line.constant(#","attempts":"#)
        line.integer(call.attempts)
        write(call.status, call.reason, call.detail, to: &line)
        if !call.hasEnded { line.constant(#","cancelled":true"#) }
        let start = clock.start(of: call.began)
        line.constant(",")
        times(Int(start) / 1000, Int(max(0, call.elapsed)) / 1000, to: &line)
        let tries = log.tries(of: call)
        for (index, attempt) in tries.enumerated() {
            line.constant(index == 0 ? #","tries":[{"# : ",{")
            let elapsed = Int(call.elapsed(of: attempt)) / 1000
            times(Int(clock.start(of: attempt.began)) / 1000, elapsed, to: &line)
            write(attempt.address, to: &line)
            write(attempt.status, attempt.reason, attempt.detail, to: &line)
            line.constant("}")
        }
        if !tries.isEmpty { line.constant("]") }
        line.constant("}")
    }

    /// Writes `"startMs":0.012,"elapsedMs":12.417` for a part, call or attempt. Both are microseconds; a nil
    /// start is `null`.
    static func times(_ start: Int?, _ elapsed: Int, to line: inout JSONLine) {
        line.constant(#""startMs":"#)
        if let start { line.thousandths(start) } else { line.constant("null") }
        line.constant(#","elapsedMs":"#)
        line.thousandths(elapsed)
    }

    private static func write(
        _ status: Int?, _ reason: FailureReason?, _ detail: String?, to line: inout JSONLine
    ) {
        if let status {
            line.constant(#","status":"#)
            line.integer(status)
        }
        if let reason {
            line.constant(#","reason":"#)
            line.string(reason.token)
        }
        if let detail, !detail.isEmpty {
            line.constant(#","detail":"#)
            line.string(detail)
        }
    }
}

/// Caches the text of plain calls by upstream and address, because most calls of a gateway go to a few of
/// them. Confined to a loop.
struct PlainCallTexts: ~Copyable {
    /// The entries, a power of two. A key has two adjacent entries.
    private static let capacity = 64
    private var keys = [PlainCallKey](repeating: .none, count: capacity)
    private var texts = [[UInt8]](repeating: [], count: capacity)
    /// The objects of each key, retained so that no other object gets the same key.
    private var calls = [(upstream: Upstream, address: PeerAddress?)?](repeating: nil, count: capacity)

    /// Begins `,"calls":[{...` for a part that is one call and succeeded at once. Returns false for other
    /// parts.
    mutating func write(_ call: Link, to line: inout JSONLine) -> Bool {
        guard let key = call.plainCallKey else { return false }
        var index = key.number & (Self.capacity - 2)
        if keys[index] != key {
            index += 1
            if keys[index] != key { make(key, of: call, at: index) }
        }
        texts[index].withUnsafeBufferPointer { line.plain($0) }
        return true
    }

    @inline(never)
    private mutating func make(_ key: PlainCallKey, of link: Link, at index: Int) {
        guard let call = link.plainCall else { return }
        // The second entry of a pair has the newest text; the first has the one before it.
        keys.swapAt(index, index - 1)
        calls.swapAt(index, index - 1)
        texts.swapAt(index, index - 1)
        keys[index] = key
        calls[index] = (call.upstream, call.address)
        texts[index] = JSONLine.array(capacity: 128) { CallList.write(call.upstream, call.address, to: &$0) }
    }
}
