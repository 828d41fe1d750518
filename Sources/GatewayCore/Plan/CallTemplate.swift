import ASCIIText
import EndpointPlans
import HTTPModel
@_spi(Lines) import JSONBytes
@_spi(Encoded) import Networking
import Rx

/// A planned call before its values are known. Constant text is encoded when the plan is made.
final class CallTemplate: Sendable {
    /// A stretch of the path.
    enum Piece: Sendable {
        /// Encoded.
        case bytes([UInt8])
        case segment(BoundReference)
    }

    /// One or more pairs of the query.
    enum Pair: Sendable {
        /// `name=value`, encoded.
        case constant([UInt8])
        /// With `name=`, encoded.
        case template([UInt8], ValueTemplate<BoundReference>)

        var template: ValueTemplate<BoundReference>? {
            if case .template(_, let template) = self { template } else { nil }
        }
    }

    let method: HTTPMethod
    let pick: JSONPointer?
    let expected: JSONFragment.Kind?
    private let provider: Provider<PlannedTarget>
    private let settings: EncodedRequestSettings
    private let path: [Piece]
    private let isConstantPath: Bool
    private let hasJoinedSegment: Bool
    /// Before the first pair of the query.
    private let mark: UInt8
    private let query: [Pair]
    /// The upstream's fields that the call does not replace.
    private let constantHeaders: HTTPFields
    private let headers: [(name: HTTPFieldName, value: TextTemplate<BoundReference>)]
    private let body: ValueTemplate<BoundReference>?

    /// - Parameter left: fields of the upstream that the call does not get: the client's own are sent, or
    ///   none.
    init(
        _ call: PlannedCall, _ upstream: PlannedUpstream, path: [Piece], query: [Pair],
        headers: [(name: HTTPFieldName, value: TextTemplate<BoundReference>)],
        body: ValueTemplate<BoundReference>?, withoutFields left: [HTTPFieldName]
    ) {
        provider = upstream.provider(attempts: call.attempts)
        settings = EncodedRequestSettings(
            envelope: upstream.envelope, allowsEmptyBody: upstream.allowsEmptyBody,
            timeout: call.timeout.map { .nanoseconds($0) })
        method = call.method
        self.path = path
        let constants = path.map { piece -> [UInt8] in if case .bytes(let bytes) = piece { bytes } else { [] }
        }
        hasJoinedSegment = JoinedSegments.exist(in: path)
        isConstantPath = constants.allSatisfy { !$0.isEmpty }
        mark = constants.joined().contains(UInt8(ascii: "?")) ? UInt8(ascii: "&") : UInt8(ascii: "?")
        self.query = query
        var constant = upstream.headers
        for name in headers.map(\.name) + left { constant.remove(name) }
        constantHeaders = constant
        self.headers = headers
        self.body = body
        pick = call.pick
        expected = call.expected
    }

    /// Nil if targets compute the address.
    var upstream: Upstream? { provider.configuredUpstream }

    /// Whether the call would fail now with `circuit_open`.
    func isCircuitOpen(for endpoint: Int) -> Bool { provider.isCircuitOpen(for: endpoint) }

    /// Returns the call, cold.
    func single(_ request: EncodedRequest) -> Single<JSONFragment> {
        let response = provider.single(request, settings)
        guard pick != nil || expected != nil else { return response.fragment() }
        return response.fragment(at: pick ?? .root, as: expected)
    }

    /// Returns the request with its values.
    func request(_ scope: PlanScope) throws(PlannedFailure) -> EncodedRequest {
        var failure: PlannedFailure?
        let target = JSONLine.array(capacity: 128) { line in
            do throws(PlannedFailure) {
                try write(scope, to: &line)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        if let fault = EncodedRequest.check(target, isConstant: isConstantPath) {
            throw .unusable(fault, from: scope.origin(of: references))
        }
        // An encoded value has no other percent sign.
        if hasJoinedSegment, target.contains(Byte.percent) { try checkJoinedSegments(scope) }
        return EncodedRequest(
            method, target,
            headers: headers.isEmpty ? constantHeaders : try fields(scope), body: try bodyBytes(scope))
    }

    // MARK: - Path and query

    /// The references of the path and the query. Read only after a failure.
    private var references: [BoundReference] {
        path.compactMap { piece in if case .segment(let reference) = piece { reference } else { nil } }
            + query.flatMap { $0.template?.references ?? [] }
    }

    private func checkJoinedSegments(_ scope: PlanScope) throws(PlannedFailure) {
        let areAllowed = try JoinedSegments.areAllowed(in: path) { reference throws(PlannedFailure) in
            try scope.text(reference, most: Self.longestText) ?? ""
        }
        guard !areAllowed else { return }
        throw .unusable(
            "values in one segment of the path are together a dot segment, a slash, a backslash or a control character",
            from: scope.origin(of: references))
    }

    private func write(_ scope: PlanScope, to line: inout JSONLine) throws(PlannedFailure) {
        for piece in path {
            switch piece {
            case .bytes(let bytes): line.plain(bytes)
            case .segment(let reference): try write(segment: reference, scope, to: &line)
            }
        }
        var mark = mark
        for pair in query {
            switch pair {
            case .constant(let bytes):
                line.plain(mark)
                line.plain(bytes)
                mark = UInt8(ascii: "&")
            case .template(let name, let template):
                try write(name, template, scope, &mark, to: &line)
            }
        }
    }

    private func write(
        segment reference: BoundReference, _ scope: PlanScope, to line: inout JSONLine
    ) throws(PlannedFailure) {
        guard let value = try scope.text(reference, most: Self.longestText) else {
            throw scope.missing(reference)
        }
        try Self.check(value, of: reference.text) { scope.origin(of: reference) }
        do {
            line.plain(try EncodedText.segment(value))
        } catch {
            // Parameters and direct references to the body have been checked before.
            throw .unusable(
                "\(reference.text) cannot be in a path: it is empty or a dot segment, or has a slash, a backslash or "
                    + "a control character", from: scope.origin(of: reference))
        }
    }

    /// Writes a pair for each text of the value: none for an absent one, several for an array.
    private func write(
        _ name: [UInt8], _ template: ValueTemplate<BoundReference>, _ scope: PlanScope, _ mark: inout UInt8,
        to line: inout JSONLine
    ) throws(PlannedFailure) {
        // The common case, without a list.
        if case .reference(let reference) = template, case .parameter(let index) = reference.source {
            guard let value = scope.values.parameters[index] else { return }
            if !value.isList { return write(name, value.text, &mark, to: &line) }
        }
        try forEachText(template, scope) { text throws(PlannedFailure) in
            try Self.check(text, of: "a value of the query") { scope.origin(of: template.references) }
            write(name, text, &mark, to: &line)
            // A list may have a million elements.
            guard line.length <= EncodedRequest.longestTarget else {
                throw .unusable(EncodedRequest.lengthFault, from: scope.origin(of: references))
            }
        }
    }

    /// Longer texts are not sent in URLs and fields: peers refuse them. They are not encoded first.
    static let longestText = 8192

    private static func check(
        length value: JSONFragment, of name: String, _ origin: () -> ValueOrigin
    ) throws(PlannedFailure) {
        guard value.certainlyExceeds(longestText) else { return }
        throw .unusable("\(name) has more than \(longestText) bytes", from: origin())
    }

    private static func check(
        _ text: String, of name: String, _ origin: () -> ValueOrigin
    ) throws(PlannedFailure) {
        guard text.utf8.count > longestText else { return }
        throw .unusable("\(name) has more than \(longestText) bytes", from: origin())
    }

    private func write(_ name: [UInt8], _ text: String, _ mark: inout UInt8, to line: inout JSONLine) {
        line.plain(mark)
        line.plain(name)
        line.plain(EncodedText.value(text))
        mark = UInt8(ascii: "&")
    }

    private func forEachText(
        _ template: ValueTemplate<BoundReference>, _ scope: PlanScope,
        _ body: (String) throws(PlannedFailure) -> Void
    ) throws(PlannedFailure) {
        switch template {
        case .constant(let value):
            try Self.forEachText(value, of: "the query", from: .constant, body)
        case .text(let text):
            if let text = try present(text, scope) { try body(text) }
        case .reference(let reference):
            if case .parameter(let index) = reference.source, scope.values.parameters[index]?.isList != true {
                if let text = try scope.text(reference) { try body(text) }
            } else if let value = try scope.json(reference) {
                try Self.forEachText(value, of: reference.text, from: scope.origin(of: reference), body)
            }
        case .array(let elements):
            for element in elements { try forEachText(element, scope, body) }
        case .object: throw .unusable("an object cannot be in a query", from: .constant)
        }
    }

    /// In a query also a value that a part lacks is absent.
    private func present(
        _ text: TextTemplate<BoundReference>, _ scope: PlanScope
    ) throws(PlannedFailure) -> String? {
        do throws(PlannedFailure) {
            return try scope.text(text, most: Self.longestText)
        } catch {
            guard error.reason == .missingData else { throw error }
            return nil
        }
    }

    /// Calls `body` with each text of a value, one after another, so that it can stop at a limit: none for
    /// null, several for an array.
    static func forEachText(
        _ value: JSONFragment, of name: String, from origin: @autoclosure () -> ValueOrigin,
        _ body: (String) throws(PlannedFailure) -> Void
    ) throws(PlannedFailure) {
        if value.isNull { return }
        guard value.kind == .array else {
            try check(length: value, of: name, origin)
            guard let text = value.scalarText else {
                throw .unusable("\(name) has an object", from: origin())
            }
            return try body(text)
        }
        var count = 0
        try value.forEachElement { element throws(PlannedFailure) in
            count += 1
            guard count <= longestText else {
                throw .unusable("\(name) has more than \(longestText) elements", from: origin())
            }
            if element.isNull { return true }
            try check(length: element, of: name, origin)
            guard let text = element.scalarText else {
                throw .unusable("\(name) has a list or an object in a list", from: origin())
            }
            try body(text)
            return true
        }
    }

    // MARK: - Fields and body

    private func fields(_ scope: PlanScope) throws(PlannedFailure) -> HTTPFields {
        var fields = constantHeaders
        for (name, template) in headers {
            guard let value = try scope.text(template, most: Self.longestText) else { continue }
            try Self.check(value, of: "the value of the field \(name)") {
                scope.origin(of: template.references)
            }
            guard Renderer.canSend(value) else {
                throw .unusable(
                    "the value of the field \(name) has a control character",
                    from: scope.origin(of: template.references))
            }
            fields.append(name, value)
        }
        return fields
    }

    private func bodyBytes(_ scope: PlanScope) throws(PlannedFailure) -> [UInt8]? {
        guard let body else { return nil }
        return try scope.body(body, of: self)
    }
}

extension JSONLine {
    fileprivate mutating func plain(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { plain($0) } }

    fileprivate mutating func plain(_ byte: UInt8) {
        withUnsafePointer(to: byte) { plain(UnsafeBufferPointer(start: $0, count: 1)) }
    }
}
