import HTTPModel

/// The metadata of a file, whether on disk or built in.
struct FileFacts: Hashable, Sendable {
    /// One form of the content: plain or compressed.
    struct Representation: Hashable, Sendable {
        var byteCount: Int64
        /// Strong: different contents have different tags.
        var tag: EntityTag
    }

    var plain: Representation
    /// Nil without a gzip form.
    var compressed: Representation?
    /// Nil without a br form.
    var brotli: Representation?
    /// Whether nobody has looked for a compressed form, since the client accepts none.
    var mayHaveCompressed = false
    /// Seconds since 1970.
    var modified: Int64

    /// Whether the answer depends on the codings that a client accepts (RFC 9110 12.5.5).
    var varies: Bool { compressed != nil || brotli != nil || mayHaveCompressed }

    func representation(in coding: FileCoding?) -> Representation {
        switch coding {
        case nil: plain
        case .gzip: compressed ?? plain
        case .brotli: brotli ?? plain
        }
    }

    /// Returns the coding in which a client gets the file; nil for none. br comes first, because it makes
    /// text smaller.
    fileprivate func coding(for fields: HTTPFields) -> FileCoding? {
        guard compressed != nil || brotli != nil else { return nil }
        var known: [FileCoding] = []
        if brotli != nil { known.append(.brotli) }
        if compressed != nil { known.append(.gzip) }
        return AcceptedCodings(fields).best(of: known.map(\.rawValue)).flatMap { FileCoding(rawValue: $0) }
    }
}

/// A content coding in which a file may be stored.
enum FileCoding: String, Hashable, Sendable {
    case gzip
    case brotli = "br"
}

/// How to answer a GET or HEAD of a file, given the request's fields and the file's metadata (RFC
/// 9110 13.2.2).
struct FileSelection: Hashable, Sendable {
    enum Verdict: Hashable, Sendable {
        /// 200
        case whole
        /// 206
        case part(Range<Int64>)
        /// 304
        case notModified
        /// 412
        case preconditionFailed
        /// 416
        case unsatisfiableRange
    }

    let verdict: Verdict
    /// The coding of the form that the answer is about; nil for the plain one.
    let coding: FileCoding?
    var isCompressed: Bool { coding != nil }

    /// `now` is in seconds since 1970.
    init(_ fields: HTTPFields, isHead: Bool, _ facts: FileFacts, now: Int64) {
        coding = facts.coding(for: fields)
        let chosen = facts.representation(in: coding)
        let conditions = Conditions(fields: fields, chosen: chosen, modified: facts.modified, now: now)
        if !conditions.matchConditionsHold {
            verdict = .preconditionFailed
        } else if !conditions.noneMatchConditionsHold {
            verdict = .notModified
        } else if !isHead, let range = conditions.range {
            verdict = Self.verdict(range, of: chosen.byteCount)
        } else {
            verdict = .whole
        }
    }

    private static func verdict(_ range: ByteRange, of byteCount: Int64) -> Verdict {
        if let bytes = range.resolved(in: byteCount) { return .part(bytes) }
        // A suffix of an empty file is satisfiable, but Content-Range cannot express it.
        if byteCount == 0, case .last(let count) = range, count > 0 { return .whole }
        return .unsatisfiableRange
    }

    func representation(of facts: FileFacts) -> FileFacts.Representation {
        facts.representation(in: coding)
    }

    /// The bytes that a GET receives.
    func body(of facts: FileFacts) -> Range<Int64> {
        switch verdict {
        case .whole: 0..<representation(of: facts).byteCount
        case .part(let range): range
        case .notModified, .preconditionFailed, .unsatisfiableRange: 0..<0
        }
    }
}

/// The conditions of a request (RFC 9110 13.1).
private struct Conditions {
    let fields: HTTPFields
    let chosen: FileFacts.Representation
    let modified: Int64
    let now: Int64

    /// Steps 1 and 2: `If-Match`, or without it `If-Unmodified-Since`.
    var matchConditionsHold: Bool {
        if let condition = EntityTagCondition(.ifMatch, in: fields) {
            return condition.includes(chosen.tag, strongly: true)
        }
        guard let date = date(.ifUnmodifiedSince) else { return true }
        return modified <= date
    }

    /// Steps 3 and 4: `If-None-Match`, or without it `If-Modified-Since`.
    var noneMatchConditionsHold: Bool {
        if let condition = EntityTagCondition(.ifNoneMatch, in: fields) {
            return !condition.includes(chosen.tag, strongly: false)
        }
        guard let date = date(.ifModifiedSince) else { return true }
        return modified > date
    }

    /// Step 5: the requested range, if there is exactly one and `If-Range` allows it.
    var range: ByteRange? {
        // Several ranges are ignored, as RFC 9110 14.2 allows: the answer could have many small parts.
        let values = fields.valueBytes(of: .range)
        guard values.count == 1, let ranges = ByteRange.ranges(in: values[0]), ranges.count == 1,
            ifRangeConditionHolds
        else { return nil }
        return ranges.first
    }

    private var ifRangeConditionHolds: Bool {
        let values = fields.valueBytes(of: .ifRange)
        guard let value = values.first else { return true }
        guard values.count == 1 else { return false }
        if let tag = EntityTag(bytes: value) { return tag.isStronglyEqual(to: chosen.tag) }
        // A date is a strong validator only once its second is over (RFC 9110 8.8.2.2).
        guard let date = HTTPDate.seconds(value) else { return false }
        return date == modified && modified < now
    }

    /// Nil if the field is absent, repeated or not a date: the condition is ignored then.
    private func date(_ name: HTTPFieldName) -> Int64? {
        let values = fields.valueBytes(of: name)
        return values.count == 1 ? HTTPDate.seconds(values[0]) : nil
    }
}
