import JSONBytes
import Networking
import Rx

/// The parts of an answer as they ended, in the order of the plan.
struct PartResults: Sendable {
    let parts: [NamedPart]
    /// Whether the parts stand in the endpoint's plan. One call that a handler made itself has no name: it is an
    /// error of the answer, and no part of it.
    let hasNames: Bool

    init(_ parts: consuming [NamedPart]) {
        self.parts = parts
        hasNames = true
    }

    /// The failure of a call that is no part.
    init(unnamed failure: PartFailure, elapsed: Int64) {
        var call = NamedPart(name: "", part: Part(source: .never()))
        call.outcome = PartOutcome(failure, elapsed: elapsed)
        parts = [call]
        hasNames = false
    }
}

/// What goes into an envelope beside its data.
struct EnvelopeHead {
    let code: String
    let message: String
    let status: Int
    let requestID: String
    /// Nanoseconds from the request to its answer.
    let elapsed: Int64
}

/// Writes the envelope of an answer as bytes, in the key order of the contract.
enum Envelope {
    enum Body {
        case parts
        case value(JSONFragment)
        case null
    }

    /// An answer with its data.
    static func answer(
        _ head: EnvelopeHead, _ body: Body, _ results: PartResults?, complete: Bool
    ) -> JSONWriter {
        var writer = JSONWriter(
            envelope: 256 + head.message.utf8.count + head.requestID.utf8.count
                + (results?.envelopeBytes ?? 0),
            fragments: fragmentBytes(body, results))
        if complete, head.status == 200 {
            // What nearly every answer begins with.
            writer.constant("{\"code\":\"OK\",\"message\":\"success\",\"status\":200,\"data\":")
        } else {
            begin(head, &writer)
        }
        switch body {
        case .parts:
            if let results { members(results, &writer) }
        case .value(let fragment):
            writer.fragment(fragment)
        case .null:
            writer.constant("null")
        }
        if let results { errors(results, &writer) }
        meta(head, results, complete: complete, &writer)
        return writer
    }

    /// An RFC 9457 problem in place of a failed answer.
    static func problem(_ head: EnvelopeHead, _ code: ErrorCode, _ results: PartResults?) -> JSONWriter {
        var writer = JSONWriter(
            envelope: 320 + head.message.utf8.count + head.requestID.utf8.count
                + (results?.envelopeBytes ?? 0),
            fragments: 0)
        writer.constant("{\"type\":")
        writer.string("urn:sluice:problem:\(code.kebabName)")
        writer.constant(",\"title\":")
        writer.string(code.title)
        writer.constant(",\"status\":")
        writer.integer(head.status)
        writer.constant(",\"detail\":")
        writer.string(head.message)
        writer.constant(",\"instance\":")
        writer.string("urn:sluice:request:\(head.requestID)")
        if let results { errors(results, &writer) }
        writer.constant("}")
        return writer
    }

    private static func fragmentBytes(_ body: Body, _ results: PartResults?) -> Int {
        switch body {
        case .parts: results?.dataBytes ?? 0
        case .value(let fragment): fragment.bytes.count
        case .null: 0
        }
    }

    private static func begin(_ head: EnvelopeHead, _ writer: inout JSONWriter) {
        writer.constant("{\"code\":")
        writer.string(head.code)
        writer.constant(",\"message\":")
        writer.string(head.message)
        writer.constant(",\"status\":")
        writer.integer(head.status)
        writer.constant(",\"data\":")
    }

    private static func members(_ results: PartResults, _ writer: inout JSONWriter) {
        writer.constant("{")
        for index in results.parts.indices {
            if index > 0 { writer.constant(",") }
            writer.string(results.parts[index].name)
            writer.constant(":")
            writer.fragment(results.value(at: index))
        }
        writer.constant("}")
    }

    private static func errors(_ results: PartResults, _ writer: inout JSONWriter) {
        var isFirst = true
        for index in results.parts.indices {
            guard let failure = results.parts[index].failure else { continue }
            writer.constant(isFirst ? ",\"errors\":[{\"part\":" : ",{\"part\":")
            isFirst = false
            if results.hasNames {
                writer.string(results.parts[index].name)
            } else {
                writer.constant("null")
            }
            error(failure, &writer)
        }
        if !isFirst { writer.constant("]") }
    }

    private static func error(_ failure: PartFailure, _ writer: inout JSONWriter) {
        writer.constant(",\"kind\":")
        writer.string(failure.kind.rawValue)
        writer.constant(",\"reason\":")
        writer.string(failure.reason.token)
        writer.constant(",\"status\":")
        if let status = failure.status {
            writer.integer(status)
        } else {
            writer.constant("null")
        }
        writer.constant(",\"message\":")
        writer.string(failure.message)
        writer.constant(",\"attempts\":")
        writer.integer(failure.attempts)
        writer.constant(",\"elapsedMs\":")
        writer.integer(failure.elapsedMilliseconds)
        writer.constant(failure.isRetryable ? ",\"retryable\":true}" : ",\"retryable\":false}")
    }

    private static func meta(
        _ head: EnvelopeHead, _ results: PartResults?, complete: Bool, _ writer: inout JSONWriter
    ) {
        writer.constant(",\"meta\":{\"requestId\":\"")
        writer.plain(head.requestID)
        writer.constant(
            complete ? "\",\"complete\":true,\"elapsedMs\":" : "\",\"complete\":false,\"elapsedMs\":")
        writer.milliseconds(nanoseconds: head.elapsed)
        if let results, results.hasNames, !results.parts.isEmpty {
            writer.constant(",\"parts\":{")
            for index in results.parts.indices {
                if index > 0 { writer.constant(",") }
                writer.string(results.parts[index].name)
                writer.constant(":")
                writer.kind(results.parts[index].outcome?.kind ?? .noContent)
            }
            writer.constant("}")
        }
        writer.constant("}}")
    }
}

extension PartResults {
    /// What stands in `data` for a part: its value, or its fallback where it failed.
    func value(at index: Int) -> JSONFragment {
        if let outcome = parts[index].outcome, outcome.failure == nil { return outcome.value }
        switch parts[index].part.policy {
        case .fallback(let value): return value
        case .required, .optional: return .null
        }
    }

    /// Bytes of all values in `data`.
    var dataBytes: Int {
        parts.indices.reduce(0) { $0 + value(at: $1).bytes.count }
    }

    /// About the bytes that names, kinds and errors take.
    fileprivate var envelopeBytes: Int {
        parts.indices.reduce(0) {
            $0 + 2 * parts[$1].name.utf8.count + (parts[$1].failure == nil ? 32 : 320)
        }
    }
}

extension JSONWriter {
    /// A body up to 16 KiB is one block, sized beforehand. In a longer one each fragment of 1 KiB or more stays
    /// where it is and becomes a piece of its own, so that nothing large is copied.
    ///
    /// - Parameters:
    ///   - envelope: bytes of everything but the fragments.
    ///   - fragments: bytes of the fragments.
    fileprivate init(envelope: Int, fragments: Int) {
        let isOneBlock = envelope + fragments <= 16 * 1024
        self.init(
            capacity: isOneBlock ? envelope + fragments : envelope + 4 * 1024,
            sharedFragmentLength: isOneBlock ? .max : 1024)
    }

    /// Milliseconds with one decimal place, rounded: `12.4`.
    fileprivate mutating func milliseconds(nanoseconds: Int64) {
        fixed(Int(max(nanoseconds, 0) + 50_000) / 100_000, places: 1)
    }

    fileprivate mutating func kind(_ kind: OutcomeKind) {
        switch kind {
        case .success: constant("\"success\"")
        case .noContent: constant("\"noContent\"")
        case .requestErr: constant("\"requestErr\"")
        case .pathErr: constant("\"pathErr\"")
        case .serverErr: constant("\"serverErr\"")
        case .networkFail: constant("\"networkFail\"")
        }
    }
}

extension ErrorCode {
    /// `not-found`.
    fileprivate var kebabName: String {
        String(
            decoding: name.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 | 0x20 }, as: UTF8.self
        )
    }
}
