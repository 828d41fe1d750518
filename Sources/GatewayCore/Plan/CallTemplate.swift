import HTTPModel
import JSONBytes
import Networking
import Rx

/// A planned call before its values are known. Constant text is encoded when the plan is made.
final class CallTemplate: Sendable {
    struct Pair: Sendable {
        enum Value: Sendable {
            /// Encoded texts, each a pair of its own.
            case constant([String])
            case template(ValueTemplate<BoundReference>)
        }

        /// `name=`, encoded.
        let name: String
        let value: Value
    }

    let provider: Provider<PlannedTarget>
    let method: HTTPMethod
    let path: TextTemplate<BoundReference>
    let query: [Pair]
    /// The upstream's fields that the call does not replace.
    let constantHeaders: HTTPFields
    let headers: [(name: HTTPFieldName, value: TextTemplate<BoundReference>)]
    let body: ValueTemplate<BoundReference>?
    let pick: JSONPointer?
    let expected: JSONFragment.Kind?
    /// Nil if the value in the answer is the one that references read.
    let shape: JSONShape?
    private let settings: PlannedTargetSettings

    init(
        _ call: PlannedCall, path: TextTemplate<BoundReference>, query: [Pair],
        headers: [(name: HTTPFieldName, value: TextTemplate<BoundReference>)],
        body: ValueTemplate<BoundReference>?
    ) {
        provider = call.upstream.provider(attempts: call.attempts)
        method = call.method
        self.path = path
        self.query = query
        var constant = call.upstream.headers
        for (name, _) in headers { constant.remove(name) }
        constantHeaders = constant
        self.headers = headers
        self.body = body
        pick = call.pick
        expected = call.expected
        settings = PlannedTargetSettings(call.upstream, timeout: call.timeout)
        var shape = JSONShape()
        if let kept = call.kept { shape = shape.keep(kept) }
        shape = shape.drop(call.dropped).rename(pairs: call.renamed.map { ($0.path, $0.name) })
        self.shape =
            call.kept == nil && call.dropped.isEmpty && call.renamed.isEmpty ? nil : shape
    }

    /// Returns the call, cold.
    func single(_ target: PlannedTarget) -> Single<JSONFragment> {
        let response = provider.rx.request(target)
        guard pick != nil || expected != nil else { return response.fragment() }
        return response.fragment(at: pick ?? .root, as: expected)
    }

    /// Returns the call with its values.
    func target(_ scope: PlanScope) throws(PlannedFailure) -> PlannedTarget {
        var text = ""
        for piece in path.pieces {
            switch piece {
            case .text(let constant): text += constant
            case .reference(let reference): try append(segment: reference, scope, to: &text)
            }
        }
        if !query.isEmpty { try appendQuery(scope, to: &text) }
        return PlannedTarget(
            method: method, text: text, headers: try fields(scope), body: try bodyBytes(scope),
            settings: settings)
    }

    private func append(
        segment reference: BoundReference, _ scope: PlanScope, to text: inout String
    ) throws(PlannedFailure) {
        guard let value = try scope.text(reference) else { throw .missing(reference) }
        do {
            try PercentEncodedText.appendSegment(value, to: &text)
        } catch {
            // Values of the client have been checked with its parameters.
            throw .unusable("\(reference.text) cannot be in a path")
        }
    }

    private func appendQuery(_ scope: PlanScope, to text: inout String) throws(PlannedFailure) {
        var mark = path.constant?.utf8.contains(UInt8(ascii: "?")) == true ? "&" : "?"
        func append(_ name: String, encoded value: String) {
            text += mark
            text += name
            text += value
            mark = "&"
        }
        for pair in query {
            switch pair.value {
            case .constant(let values): for value in values { append(pair.name, encoded: value) }
            case .template(let template):
                for value in try texts(template, scope) {
                    text += mark
                    text += pair.name
                    PercentEncodedText.append(value, to: &text)
                    mark = "&"
                }
            }
        }
    }

    /// Returns the texts of a query's value: none for an absent one, several for an array.
    private func texts(
        _ template: ValueTemplate<BoundReference>, _ scope: PlanScope
    ) throws(PlannedFailure) -> [String] {
        switch template {
        case .constant(let value): return try Self.texts(value, of: "the query")
        case .text(let text): return try present { () throws(PlannedFailure) in try scope.text(text) }
        case .reference(let reference):
            if case .parameter = reference.source { return (try scope.text(reference)).map { [$0] } ?? [] }
            return try scope.json(reference).map { value throws(PlannedFailure) in
                try Self.texts(value, of: reference.text)
            } ?? []
        case .array(let elements):
            var all: [String] = []
            for element in elements { all += try texts(element, scope) }
            return all
        case .object: throw .unusable("an object cannot be in a query")
        }
    }

    /// In a query also a value that a part lacks is absent.
    private func present(_ text: () throws(PlannedFailure) -> String?) throws(PlannedFailure) -> [String] {
        do throws(PlannedFailure) {
            return try text().map { [$0] } ?? []
        } catch {
            guard error.reason == .missingData else { throw error }
            return []
        }
    }

    static func texts(_ value: JSONFragment, of name: String) throws(PlannedFailure) -> [String] {
        if value.isNull { return [] }
        guard value.kind == .array else {
            guard let text = value.scalarText else { throw .unusable("\(name) has an object") }
            return [text]
        }
        var texts: [String] = []
        for element in value.elements where !element.isNull {
            guard let text = element.scalarText else {
                throw .unusable("\(name) has a list or an object in a list")
            }
            texts.append(text)
        }
        return texts
    }

    private func fields(_ scope: PlanScope) throws(PlannedFailure) -> HTTPFields {
        var fields = constantHeaders
        for (name, template) in headers {
            guard let value = try scope.text(template) else { continue }
            guard Renderer.canSend(value) else {
                throw .unusable("the value of the field \(name) has a control character")
            }
            fields.append(name, value)
        }
        return fields
    }

    private func bodyBytes(_ scope: PlanScope) throws(PlannedFailure) -> [UInt8]? {
        guard let body else { return nil }
        return Array(try scope.json(body).bytes)
    }
}
