@_spi(Lines) import JSONBytes
import Networking
import Rx

/// The parts of a stage with their outcomes, in the order of the plan.
struct PartResults: Sendable {
    private(set) var parts: [NamedPart]
    /// False for a handler's own call that failed: `errors` lists it, `meta.parts` does not.
    let hasNames: Bool
    let areSteps: Bool
    /// The number of the first part; the others follow it. Nil without names.
    let firstNumber: Int?
    /// Nanoseconds from the request to the beginning of the parts.
    var began: Int64 = 0

    init(
        _ parts: consuming [NamedPart], from firstNumber: Int, areSteps: Bool = false, began: Int64 = 0
    ) {
        self.parts = parts
        self.began = began
        self.firstNumber = firstNumber
        self.areSteps = areSteps
        hasNames = true
    }

    /// Parts that have ended in a pipeline.
    init(ended: [EndedPart], from firstNumber: Int) {
        let parts = ended.map { part in
            var named = NamedPart(name: part.name, part: Part(part))
            named.outcome = part.outcome
            return named
        }
        self.init(parts, from: firstNumber)
    }

    /// A failed call that belongs to no part.
    init(unnamed failure: PartFailure, elapsed: Int64) {
        var call = NamedPart(name: "", part: Part(source: .never()))
        call.outcome = PartOutcome(failure, elapsed: elapsed)
        parts = [call]
        hasNames = false
        areSteps = false
        firstNumber = nil
    }

    /// The run of a planned endpoint whose parts have a layout.
    @inline(never)
    var plan: PlanRun? {
        guard isPlanned, case .planned(let run) = parts[0].part.policy else { return nil }
        return run
    }

    @inline(__always)
    var isPlanned: Bool { !parts.isEmpty && parts[0].part.isPlanned }

    /// Whether an answer with these parts succeeds.
    var verdict: Verdict {
        if isPlanned, let plan { return plan.layout.verdict(self, plan) }
        return Verdict(parts)
    }

    /// Releases the parts' values; their kinds, failures and times stay.
    mutating func dropValues() {
        plan?.dropValues()
        for index in parts.indices { parts[index].dropValue() }
    }
}

/// The members of an envelope besides its data and its parts.
struct EnvelopeHead: ~Copyable {
    let code: String
    let message: String
    let status: Int
    let requestID: String
    /// Nanoseconds from the request to its answer.
    let elapsed: Int64
    let timeline: AnswerTimeline?
}

/// Writes the envelope of an answer, with its keys in the documented order.
enum Envelope {
    enum Body {
        case parts
        case value(JSONFragment)
        /// No data, and the `details` of the error that the answer reports.
        case error(details: JSONFragment?)
    }

    /// Returns the envelope in pieces for a gathered write.
    static func answer(
        _ head: borrowing EnvelopeHead, _ body: Body, _ results: PartResults?, complete: Bool
    ) -> [ArraySlice<UInt8>] {
        let room =
            256 + head.message.utf8.count + head.requestID.utf8.count + (results?.envelopeBytes ?? 0)
            + (head.timeline?.envelopeBytes ?? 0)
        let fragments = fragmentBytes(body, results)
        // Up to 16 KiB the envelope is one block. Beyond, fragments of 1 KiB or more are separate pieces, not
        // copied.
        let isOneBlock = room + fragments <= 16 * 1024
        var shared = SharedFragments(from: isOneBlock ? .max : 1024)
        let text = JSONLine.array(capacity: room + (isOneBlock ? fragments : 4 * 1024)) { line in
            if complete, head.status == 200 {
                // Nearly every answer begins with this.
                line.constant("{\"code\":\"OK\",\"message\":\"success\",\"status\":200,\"data\":")
            } else {
                begin(head, &line)
            }
            switch body {
            case .parts:
                if let results { members(results, &line, &shared) }
            case .value(let fragment):
                shared.write(fragment, to: &line)
            case .error(let details):
                line.constant("null")
                if let details {
                    line.constant(",\"details\":")
                    shared.write(details, to: &line)
                }
            }
            if let results { errors(results, &line) }
            meta(head, results, complete: complete, &line)
        }
        return shared.pieces(of: text)
    }

    /// Returns the data alone, in pieces for a gathered write.
    static func data(_ body: Body, _ results: PartResults?) -> [ArraySlice<UInt8>] {
        switch body {
        case .value(let fragment): return [fragment.bytes]
        case .error: return [JSONFragment.null.bytes]
        case .parts:
            let room = 16 + (results?.envelopeBytes ?? 0)
            let fragments = fragmentBytes(body, results)
            let isOneBlock = room + fragments <= 16 * 1024
            var shared = SharedFragments(from: isOneBlock ? .max : 1024)
            let text = JSONLine.array(capacity: room + (isOneBlock ? fragments : 4 * 1024)) { line in
                if let results { members(results, &line, &shared) } else { line.constant("{}") }
            }
            return shared.pieces(of: text)
        }
    }

    /// Returns an RFC 9457 problem document instead of the envelope of a failed answer.
    static func problem(
        _ head: borrowing EnvelopeHead, _ code: ErrorCode, _ details: JSONFragment?, _ results: PartResults?
    ) -> [ArraySlice<UInt8>] {
        let room =
            320 + head.message.utf8.count + head.requestID.utf8.count + (results?.envelopeBytes ?? 0)
            + (head.timeline?.envelopeBytes ?? 0)
        let text = JSONLine.array(capacity: room) { line in
            line.constant("{\"type\":")
            line.string("urn:sluice:problem:\(code.kebabName)")
            line.constant(",\"title\":")
            line.string(code.title)
            line.constant(",\"status\":")
            line.integer(head.status)
            line.constant(",\"detail\":")
            line.string(head.message)
            line.constant(",\"instance\":")
            line.string("urn:sluice:request:\(head.requestID)")
            if let details {
                line.constant(",\"details\":")
                line.fragment(details)
                // draft-ietf-httpapi-ratelimit-headers-10, 6.1
                if code == .tooManyRequests, let policies = details[member: "violated-policies"] {
                    line.constant(",\"violated-policies\":")
                    line.fragment(policies)
                }
            }
            if let results { errors(results, &line) }
            if let timeline = head.timeline { timeline.write(to: &line) }
            line.constant("}")
        }
        return [text[...]]
    }

    private static func fragmentBytes(_ body: Body, _ results: PartResults?) -> Int {
        switch body {
        case .parts: results?.dataBytes ?? 0
        case .value(let fragment): fragment.bytes.count
        case .error(let details): details?.bytes.count ?? 0
        }
    }

    private static func begin(_ head: borrowing EnvelopeHead, _ line: inout JSONLine) {
        line.constant("{\"code\":")
        line.string(head.code)
        line.constant(",\"message\":")
        line.string(head.message)
        line.constant(",\"status\":")
        line.integer(head.status)
        line.constant(",\"data\":")
    }

    private static func members(
        _ results: PartResults, _ line: inout JSONLine, _ shared: inout SharedFragments
    ) {
        if results.isPlanned, let plan = results.plan {
            return plan.layout.write(results, plan, to: &line, &shared)
        }
        line.constant("{")
        for index in results.parts.indices {
            if index > 0 { line.constant(",") }
            line.string(results.parts[index].name)
            line.constant(":")
            shared.write(results.value(at: index), to: &line)
        }
        line.constant("}")
    }

    private static func errors(_ results: PartResults, _ line: inout JSONLine) {
        var isFirst = true
        for index in results.parts.indices {
            guard let failure = results.parts[index].failure else {
                if let items = results.parts[index].outcome?.failedItems {
                    itemErrors(items, of: results.parts[index].name, &isFirst, &line)
                }
                continue
            }
            begin(&isFirst, &line)
            if results.hasNames {
                line.string(results.parts[index].name)
            } else {
                line.constant("null")
            }
            error(failure, &line)
        }
        if !isFirst { line.constant("]") }
    }

    private static func begin(_ isFirst: inout Bool, _ line: inout JSONLine) {
        if isFirst { line.constant(",\"errors\":[{\"part\":") } else { line.constant(",{\"part\":") }
        isFirst = false
    }

    /// Tells the failed elements of a part that has succeeded: `"part":"tags[3]"`.
    /// Tells the failed elements of a part that has succeeded: `"part":"tags[3]"`.
    @inline(never)
    private static func itemErrors(
        _ items: [ItemFailure], of part: String, _ isFirst: inout Bool, _ line: inout JSONLine
    ) {
        for item in items {
            begin(&isFirst, &line)
            line.string("\(part)[\(item.index)]")
            error(item.failure, &line)
        }
    }

    private static func error(_ failure: PartFailure, _ line: inout JSONLine) {
        line.constant(",\"kind\":")
        line.string(failure.kind.rawValue)
        line.constant(",\"reason\":")
        line.string(failure.reason.token)
        if let code = failure.answer.ownCode {
            line.constant(",\"code\":")
            line.string(code.name)
        }
        line.constant(",\"status\":")
        if let status = failure.status {
            line.integer(status)
        } else {
            line.constant("null")
        }
        line.constant(",\"message\":")
        line.string(failure.message)
        if let details = failure.answer.gatewayError?.details {
            line.constant(",\"details\":")
            line.fragment(details)
        }
        line.constant(",\"attempts\":")
        line.integer(failure.attempts)
        if let notRetried = failure.notRetried {
            line.constant(",\"notRetried\":")
            line.string(notRetried.token)
        }
        line.constant(",\"elapsedMs\":")
        line.integer(failure.elapsedMilliseconds)
        line.constant(",\"retryable\":")
        if failure.isRetryable { line.constant("true}") } else { line.constant("false}") }
    }

    private static func meta(
        _ head: borrowing EnvelopeHead, _ results: PartResults?, complete: Bool, _ line: inout JSONLine
    ) {
        line.constant(",\"meta\":{\"requestId\":\"")
        line.plain(head.requestID)
        line.constant("\",\"complete\":")
        if complete { line.constant("true") } else { line.constant("false") }
        line.constant(",\"elapsedMs\":")
        line.milliseconds(nanoseconds: head.elapsed)
        if let results, results.hasNames, !results.parts.isEmpty {
            line.constant(",\"parts\":{")
            for index in results.parts.indices {
                if index > 0 { line.constant(",") }
                line.string(results.parts[index].name)
                line.constant(":")
                line.kind(results.parts[index].kind)
            }
            line.constant("}")
        }
        if let timeline = head.timeline { timeline.write(to: &line) }
        line.constant("}}")
    }
}

extension PartResults {
    /// Returns the part's value in `data`: the received one, the fallback, or `null`.
    func value(at index: Int) -> JSONFragment {
        if let outcome = parts[index].outcome, outcome.failure == nil { return outcome.value }
        switch parts[index].part.policy {
        case .fallback(let value): return value
        case .required, .optional: return .null
        case .planned(let run): return run.fallback(of: index)
        }
    }

    var dataBytes: Int {
        if isPlanned, let plan { return plan.layout.dataBytes(self, plan) }
        return parts.indices.reduce(0) { $0 + value(at: $1).bytes.count }
    }

    /// An estimate of the bytes of names, kinds and errors.
    fileprivate var envelopeBytes: Int {
        parts.indices.reduce(0) {
            $0 + 2 * parts[$1].name.utf8.count + (parts[$1].failure == nil ? 32 : 344)
        }
    }
}

extension JSONLine {
    /// Milliseconds with one decimal place, rounded: `12.4`.
    fileprivate mutating func milliseconds(nanoseconds: Int64) {
        fixed(Int(min(max(nanoseconds, 0), .max - 50_000) + 50_000) / 100_000, places: 1)
    }

    fileprivate mutating func kind(_ kind: OutcomeKind?) {
        switch kind {
        case .success: constant("\"success\"")
        case .noContent: constant("\"noContent\"")
        case .requestErr: constant("\"requestErr\"")
        case .pathErr: constant("\"pathErr\"")
        case .serverErr: constant("\"serverErr\"")
        case .networkFail: constant("\"networkFail\"")
        case nil: string(kind.partName)
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
