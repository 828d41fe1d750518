import GatewayCore
import HTTPModel
@_spi(Lines) import JSONBytes
@_spi(Records) import Networking
import Rx

/// Writes upstream calls into a line of the access log: names and addresses, and nothing else of a URL or a message.
enum CallList {
    /// Writes `,"calls":[...]` for the calls of one part, nothing where it made none.
    ///
    /// - Parameter number: the part's; nil for calls that were made for no part.
    static func write(_ calls: borrowing CallRecord, of number: Int?, to line: inout JSONLine) {
        var isFirst = true
        calls.forEach(of: number) { call in
            if isFirst { line.constant(#","calls":["#) } else { line.constant(",") }
            isFirst = false
            write(call, to: &line)
        }
        if !isFirst { line.constant("]") }
    }

    /// The same for a part that is one call, which had its data by the first attempt.
    static func write(_ upstream: Upstream, _ address: PeerAddress?, to line: inout JSONLine) {
        line.constant(#","calls":["#)
        begin(upstream, address, to: &line)
        line.constant(#","attempts":1,"status":200}]"#)
    }

    private static func begin(_ upstream: Upstream, _ address: PeerAddress?, to line: inout JSONLine) {
        line.constant(#"{"upstream":"#)
        upstream.jsonName.withUnsafeBufferPointer { line.plain($0) }
        guard let address else { return }
        line.constant(#","address":"#)
        guard let quoted = address.quoted else { return line.string(address.description) }
        quoted.withUnsafeBufferPointer { line.plain($0) }
    }

    private static func write(_ call: borrowing RecordedCall, to line: inout JSONLine) {
        begin(call.upstream, call.address, to: &line)
        line.constant(#","attempts":"#)
        line.integer(call.attempts)
        if let status = call.status {
            line.constant(#","status":"#)
            line.integer(status)
        }
        if let reason = call.reason {
            line.constant(#","reason":"#)
            line.string(reason.token)
        } else if !call.hasEnded {
            line.constant(#","cancelled":true"#)
        }
        line.constant("}")
    }
}

/// Keeps the text of plain calls for each upstream and address, since most calls of a gateway go to a few of them. Confined to a
/// loop.
struct PlainCallTexts: ~Copyable {
    /// A power of two. A text may stand in either of two that follow each other.
    private static let places = 64
    private var keys = [PlainCallKey](repeating: .none, count: places)
    private var texts = [[UInt8]](repeating: [], count: places)
    /// The objects of each key. They are held, so that no other object gets the same key.
    private var calls = [(upstream: Upstream, address: PeerAddress?)?](repeating: nil, count: places)

    /// Writes `,"calls":[...]` for a part that is one call which had its data by the first attempt.
    ///
    /// - Returns: false, and nothing is written, for other parts.
    mutating func write(_ call: Link, to line: inout JSONLine) -> Bool {
        guard let key = call.plainCallKey else { return false }
        var place = key.number & (Self.places - 2)
        if keys[place] != key {
            place += 1
            if keys[place] != key { make(key, of: call, at: place) }
        }
        texts[place].withUnsafeBufferPointer { line.plain($0) }
        return true
    }

    @inline(never)
    private mutating func make(_ key: PlainCallKey, of link: Link, at place: Int) {
        guard let call = link.plainCall else { return }
        // The pair's second place has the text that was made last; the first has the one before it.
        keys.swapAt(place, place - 1)
        calls.swapAt(place, place - 1)
        texts.swapAt(place, place - 1)
        keys[place] = key
        calls[place] = call
        texts[place] = JSONLine.array(capacity: 128) { CallList.write(call.upstream, call.address, to: &$0) }
    }
}
