import HTTPModel

/// The fields of a call that adds its own or forwards some. Precedence: target, then forwarded, then
/// provider.
final class CallFields: Sendable {
    /// The fields of the provider and the target, without those that the context's replace.
    let fields: HTTPFields
    /// The fields for another context; nil if the target and its body add none to the provider's.
    let originalFields: HTTPFields?
    /// The fields of the context.
    let contextFields: HTTPFields
    /// The target's own fields, which `fields` also contains.
    let headers: HTTPFields

    private init(
        _ original: HTTPFields?, _ headers: HTTPFields, in context: CallContext?, shared: CallSettings
    ) {
        originalFields = original
        var fields = original ?? shared.fields
        var contextFields = context?.fields(for: shared.upstream) ?? shared.fieldsWithoutContext
        if context?.forwards == true || !headers.isEmpty {
            if contextFields.contains(.accept), !headers.contains(.accept) { fields.remove(.accept) }
            // As in `RequestBuilder.add`, for a forwarded Range.
            if contextFields.contains(.range), !headers.contains(.acceptEncoding),
                fields.contains(.acceptEncoding)
            {
                fields.remove(.acceptEncoding)
                fields.append(.acceptEncoding, "identity")
            }
            Self.replace(in: &contextFields, by: &fields, named: headers)
        }
        if let caller = context?.callerFields { Self.keep(caller, in: &contextFields, insteadOf: &fields) }
        self.fields = fields
        self.contextFields = contextFields
        self.headers = headers
    }

    /// The fields of a call that passes on a client's. Only constant fields of the upstream may replace the
    /// gateway's own.
    init(relaying passed: HTTPFields, in context: CallContext, to upstream: Upstream) {
        var fields = passed
        var contextFields = context.fields(for: upstream)
        if context.forwards || context.tellsClient || CallContext.sent.contains(where: fields.contains) {
            Self.replace(in: &contextFields, by: &fields, named: passed)
        }
        if let caller = context.callerFields { Self.keep(caller, in: &contextFields, insteadOf: &fields) }
        self.fields = fields
        self.contextFields = contextFields
        originalFields = fields
        headers = fields
    }

    /// Lets a call's own fields take the place of the context's, so that each is sent once.
    ///
    /// `Via` lists the hops of a request (RFC 9110 7.6.3). There the context's entries follow, or a loop
    /// would not be noticed. A `tracestate` belongs to its `traceparent` (W3C Trace Context 3.3).
    ///
    /// - Parameter own: the fields of the call whose names decide.
    private static func replace(
        in contextFields: inout HTTPFields, by fields: inout HTTPFields, named own: HTTPFields
    ) {
        if own.contains(.via), let via = contextFields.firstValueBytes(.via),
            let ownVia = fields.firstValueBytes(.via)
        {
            let entries = Array(", ".utf8) + via
            // A call that is changed and made again has the entries already.
            let isListed = ownVia == via || ownVia.suffix(entries.count) == entries[...]
            fields.remove(.via)
            fields.append(.via, bytes: isListed ? ownVia : ownVia + entries)
        }
        contextFields.remove(allIn: own)
        if own.contains(.traceParent) { contextFields.remove(.traceState) }
    }

    /// Lets the fields that tell who calls take the place of the call's own: those may come from a client.
    private static func keep(
        _ caller: CallerFields, in contextFields: inout HTTPFields, insteadOf fields: inout HTTPFields
    ) {
        let own = caller.fields
        guard !own.isEmpty else { return }
        caller.removeReplaced(from: &fields)
        // The call's own fields have removed some.
        caller.removeReplaced(from: &contextFields)
        contextFields.append(contentsOf: own)
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
        return CallFields(nil, headers, in: context, shared: shared)
    }
}
