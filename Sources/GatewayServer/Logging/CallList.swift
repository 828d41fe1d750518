import Gateway
import HTTPModel
@_spi(Lines) import JSONBytes
@_spi(Records) import Networking

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
