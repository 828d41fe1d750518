import HTTPModel
import Testing

@testable import GatewayHTTP

struct ReportRow: Sendable, CustomTestStringConvertible {
    let fields: [(HTTPFieldName, String)]
    let verdict: FileSelection.Verdict

    init(_ fields: [(HTTPFieldName, String)], _ verdict: FileSelection.Verdict) {
        self.fields = fields
        self.verdict = verdict
    }

    var testDescription: String {
        fields.map { "\($0.0): \($0.1)" }.joined(separator: ", ") + " -> \(verdict)"
    }
}

/// Checks the precedence of conditions (RFC 9110 13.2.2).
@Suite("Answers to requests for files")
struct FileSelectionTests {
    /// The second in which the file was modified, as a number and a date, and the dates a second before and
    /// after.
    private static let modified: Int64 = 784_111_777
    private static let then = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let before = "Sun, 06 Nov 1994 08:49:36 GMT"
    private static let after = "Sun, 06 Nov 1994 08:49:38 GMT"

    private func plan(
        _ fields: [(HTTPFieldName, String)], isHead: Bool = false, byteCount: Int64 = 1000,
        hasCompressed: Bool = true, now: Int64 = modified + 100
    ) -> FileSelection {
        var request = HTTPFields()
        for (name, value) in fields { request.append(name, value) }
        let facts = FileFacts(
            plain: .init(byteCount: byteCount, tag: .of("a")),
            compressed: hasCompressed ? .init(byteCount: 100, tag: .of("a-gz")) : nil, modified: Self.modified
        )
        return FileSelection(request, isHead: isHead, facts, now: now)
    }

    static let preconditions: [ReportRow] = [
        ReportRow([(.ifMatch, "\"b\"")], .preconditionFailed),
        ReportRow([(.ifMatch, "W/\"a\"")], .preconditionFailed),
        ReportRow([(.ifMatch, "b")], .preconditionFailed),
        ReportRow([(.ifMatch, "\"a-gz\"")], .preconditionFailed),
        ReportRow([(.ifMatch, "\"a\"")], .whole),
        ReportRow([(.ifMatch, "\"b\", \"a\"")], .whole),
        ReportRow([(.ifMatch, "*")], .whole),
        ReportRow([(.ifUnmodifiedSince, before)], .preconditionFailed),
        ReportRow([(.ifUnmodifiedSince, then)], .whole),
        ReportRow([(.ifUnmodifiedSince, "yesterday")], .whole),
        // If-Match takes precedence.
        ReportRow([(.ifMatch, "\"a\""), (.ifUnmodifiedSince, before)], .whole),
        ReportRow([(.ifMatch, "\"b\""), (.ifUnmodifiedSince, after)], .preconditionFailed),
        // If-Match and If-Unmodified-Since take precedence over If-None-Match.
        ReportRow([(.ifMatch, "\"b\""), (.ifNoneMatch, "\"a\"")], .preconditionFailed),
        ReportRow([(.ifMatch, "\"a\""), (.ifNoneMatch, "\"a\"")], .notModified),
    ]

    static let validations: [ReportRow] = [
        ReportRow([(.ifNoneMatch, "\"a\"")], .notModified),
        ReportRow([(.ifNoneMatch, "W/\"a\"")], .notModified),
        ReportRow([(.ifNoneMatch, "\"b\", \"a\"")], .notModified),
        ReportRow([(.ifNoneMatch, "\"b\""), (.ifNoneMatch, "\"a\"")], .notModified),
        ReportRow([(.ifNoneMatch, "*")], .notModified),
        ReportRow([(.ifNoneMatch, "\"b\"")], .whole),
        ReportRow([(.ifNoneMatch, "a")], .whole),
        ReportRow([(.ifModifiedSince, then)], .notModified),
        ReportRow([(.ifModifiedSince, after)], .notModified),
        ReportRow([(.ifModifiedSince, before)], .whole),
        ReportRow([(.ifModifiedSince, "784111777")], .whole),
        ReportRow([(.ifModifiedSince, after), (.ifModifiedSince, after)], .whole),
        // If-None-Match takes precedence.
        ReportRow([(.ifNoneMatch, "\"b\""), (.ifModifiedSince, after)], .whole),
        ReportRow([(.ifNoneMatch, "\"a\""), (.ifModifiedSince, before)], .notModified),
        // If-None-Match takes precedence over a range.
        ReportRow([(.ifNoneMatch, "\"a\""), (.range, "bytes=0-1")], .notModified),
        ReportRow([(.ifNoneMatch, "\"b\""), (.range, "bytes=0-1")], .part(0..<2)),
    ]

    static let ranges: [ReportRow] = [
        ReportRow([(.range, "bytes=0-0")], .part(0..<1)),
        ReportRow([(.range, "bytes=999-")], .part(999..<1000)),
        ReportRow([(.range, "bytes=-1")], .part(999..<1000)),
        ReportRow([(.range, "bytes=-2000")], .part(0..<1000)),
        ReportRow([(.range, "bytes=0-99999")], .part(0..<1000)),
        ReportRow([(.range, "bytes=1000-")], .unsatisfiableRange),
        ReportRow([(.range, "bytes=-0")], .unsatisfiableRange),
        ReportRow([(.range, "bytes=1-0")], .whole),
        ReportRow([(.range, "lines=1-2")], .whole),
        ReportRow([(.range, "bytes=0-1,5-6")], .whole),
        ReportRow([(.range, "bytes=0-1"), (.range, "bytes=2-3")], .whole),
        ReportRow([(.range, "bytes=0-1"), (.ifRange, "\"a\"")], .part(0..<2)),
        ReportRow([(.range, "bytes=0-1"), (.ifRange, "\"b\"")], .whole),
        ReportRow([(.range, "bytes=0-1"), (.ifRange, "W/\"a\"")], .whole),
        ReportRow([(.range, "bytes=0-1"), (.ifRange, "\"a-gz\"")], .whole),
        ReportRow([(.range, "bytes=0-1"), (.ifRange, then)], .part(0..<2)),
        ReportRow([(.range, "bytes=0-1"), (.ifRange, after)], .whole),
        ReportRow([(.range, "bytes=0-1"), (.ifRange, before)], .whole),
        ReportRow([(.range, "bytes=0-1"), (.ifRange, "a")], .whole),
        ReportRow([(.range, "bytes=0-1"), (.ifRange, "\"a\""), (.ifRange, "\"a\"")], .whole),
        ReportRow([(.range, "bytes=1000-"), (.ifRange, "\"b\"")], .whole),
        ReportRow([(.ifRange, "\"b\"")], .whole),
    ]

    @Test("A request whose precondition the file does not meet gets 412", arguments: preconditions)
    func otherState(row: ReportRow) {
        #expect(plan(row.fields).verdict == row.verdict)
        #expect(plan(row.fields, isHead: true).verdict == row.verdict)
    }

    @Test("A request for a file that the browser already has gets 304", arguments: validations)
    func unchanged(row: ReportRow) {
        #expect(plan(row.fields).verdict == row.verdict)
    }

    @Test("A single range is answered if If-Range allows it", arguments: ranges)
    func partial(row: ReportRow) {
        #expect(plan(row.fields).verdict == row.verdict)
        // Range applies to GET only (RFC 9110 14.2).
        #expect(plan(row.fields, isHead: true).verdict == .whole)
    }

    @Test("A date in If-Range is not accepted until its second is over")
    func dates() {
        let fields: [(HTTPFieldName, String)] = [(.range, "bytes=0-1"), (.ifRange, Self.then)]
        #expect(plan(fields, now: Self.modified).verdict == .whole)
        #expect(plan(fields, now: Self.modified + 1).verdict == .part(0..<2))
    }

    @Test("A suffix range of an empty file gets the whole file; any other range is unsatisfiable")
    func empty() {
        #expect(plan([(.range, "bytes=0-")], byteCount: 0).verdict == .unsatisfiableRange)
        #expect(plan([(.range, "bytes=-5")], byteCount: 0).verdict == .whole)
    }

    @Test("If gzip is accepted, the tag and ranges of the compressed file apply")
    func compressed() {
        let gzip = (HTTPFieldName.acceptEncoding, "gzip, br")
        #expect(plan([gzip]).isCompressed)
        #expect(!plan([gzip], hasCompressed: false).isCompressed)
        #expect(!plan([]).isCompressed)
        #expect(plan([gzip, (.ifNoneMatch, "\"a\"")]).verdict == .whole)
        #expect(plan([gzip, (.ifNoneMatch, "\"a-gz\"")]).verdict == .notModified)
        #expect(plan([gzip, (.range, "bytes=-5")]).verdict == .part(95..<100))
        #expect(plan([gzip, (.range, "bytes=100-")]).verdict == .unsatisfiableRange)
        #expect(plan([gzip, (.range, "bytes=0-"), (.ifRange, "\"a\"")]).verdict == .whole)
    }

    @Test(
        "The form is the coding that the client likes best, br before gzip",
        arguments: [
            ("gzip, br", "br"), ("br;q=0.5, gzip", "gzip"), ("gzip", "gzip"), ("br", "br"), ("*", "br"),
            ("br;q=0, *", "gzip"), ("identity", nil), ("zstd", nil),
        ])
    func forms(accepted: String, coding: String?) {
        let facts = FileFacts(
            plain: .init(byteCount: 1000, tag: .of("a")), compressed: .init(byteCount: 100, tag: .of("a-gz")),
            brotli: .init(byteCount: 90, tag: .of("a-br")), modified: Self.modified)
        let plan = FileSelection([.acceptEncoding: accepted], isHead: false, facts, now: Self.modified)
        #expect(plan.coding?.rawValue == coding)
        #expect(plan.body(of: facts).count == (coding == nil ? 1000 : coding == "br" ? 90 : 100))
    }
}
