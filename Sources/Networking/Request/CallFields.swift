import HTTPModel

/// The fields of a call that adds some of its own, or whose request has some forwarded: a target's own field goes before
/// a forwarded one, that before the provider's.
final class CallFields: Sendable {
    /// The provider's and the target's own.
    let fields: HTTPFields
    /// The context's.
    let contextFields: HTTPFields
    /// The target's own, which are in `fields`.
    let headers: HTTPFields

    private init(
        _ fields: HTTPFields, _ headers: HTTPFields, in context: CallContext?, shared: CallSettings
    ) {
        var fields = fields
        var contextFields = context?.fields(for: shared.upstream) ?? shared.fieldsWithoutContext
        if let context, context.forwards || !headers.isEmpty {
            if contextFields.contains(.accept), !headers.contains(.accept) { fields.remove(.accept) }
            for (text, _) in headers {
                if let name = HTTPFieldName(text) { contextFields.remove(name) }
            }
        }
        self.fields = fields
        self.contextFields = contextFields
        self.headers = headers
    }

    /// Nil where the fields are the provider's and the context's as they are.
    ///
    /// - Parameters:
    ///   - fields: the provider's and the target's own in one, where they are more than the provider's.
    static func needed(
        _ fields: HTTPFields?, _ headers: HTTPFields, in context: CallContext?, shared: CallSettings
    ) -> CallFields? {
        if let fields { return CallFields(fields, headers, in: context, shared: shared) }
        guard let context, context.forwards else { return nil }
        return CallFields(shared.fields, headers, in: context, shared: shared)
    }
}
