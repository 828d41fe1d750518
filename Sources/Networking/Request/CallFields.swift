import HTTPModel

/// The fields of a call that adds its own or forwards some. Precedence: target, then forwarded, then provider.
final class CallFields: Sendable {
    /// The fields of the provider and the target.
    let fields: HTTPFields
    /// The fields of the context.
    let contextFields: HTTPFields
    /// The target's own fields, which `fields` also contains.
    let headers: HTTPFields

    private init(
        _ fields: HTTPFields, _ headers: HTTPFields, in context: CallContext?, shared: CallSettings
    ) {
        var fields = fields
        var contextFields = context?.fields(for: shared.upstream) ?? shared.fieldsWithoutContext
        if let context, context.forwards || !headers.isEmpty {
            if contextFields.contains(.accept), !headers.contains(.accept) { fields.remove(.accept) }
            // As in `RequestBuilder.add`, for a forwarded Range.
            if contextFields.contains(.range), !headers.contains(.acceptEncoding),
                fields.contains(.acceptEncoding)
            {
                fields.remove(.acceptEncoding)
                fields.append(.acceptEncoding, "identity")
            }
            for (text, _) in headers {
                if let name = HTTPFieldName(text) { contextFields.remove(name) }
            }
        }
        self.fields = fields
        self.contextFields = contextFields
        self.headers = headers
    }

    /// The fields of a call that passes on a client's. None of them is one of the gateway's own.
    init(relaying fields: HTTPFields, in context: CallContext, to upstream: Upstream) {
        var contextFields = context.fields(for: upstream)
        if context.forwards {
            let passed = FieldNameSet(fields.compactMap { HTTPFieldName($0.name) })
            contextFields.remove(where: passed.contains)
        }
        self.fields = fields
        self.contextFields = contextFields
        headers = fields
    }

    /// Returns nil if the provider's and the context's fields apply unchanged.
    ///
    /// - Parameters:
    ///   - fields: the combined fields of provider and target; nil if the target adds none.
    ///   - headers: the target's own fields.
    ///   - context: the context of the call.
    ///   - shared: the settings of the call.
    static func makeIfNeeded(
        _ fields: HTTPFields?, _ headers: HTTPFields, in context: CallContext?, shared: CallSettings
    ) -> CallFields? {
        if let fields { return CallFields(fields, headers, in: context, shared: shared) }
        guard let context, context.forwards else { return nil }
        return CallFields(shared.fields, headers, in: context, shared: shared)
    }
}
