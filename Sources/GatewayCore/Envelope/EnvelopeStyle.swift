public import HTTPModel

/// The form of an endpoint's JSON answers. Answers that are `raw`, `text`, streams or redirects have none.
///
///     gateway.defaults(.envelope(.bare))  // all endpoints, and errors without an endpoint
///     gateway.group("/v1", .envelope(.custom(OldAppFormat()))) { ... }
///     gateway.get("/api/charts", .envelope(.sluice)) { ... }
public struct EnvelopeStyle: Sendable {
    /// Nil for `.sluice`.
    let format: EnvelopeFormat?

    /// Sluice's envelope: `code`, `message`, `status`, `data`, `errors` and `meta`. The default.
    public static let sluice = EnvelopeStyle(format: nil)

    /// `data` alone on success, a problem document (RFC 9457) on failure. If some parts failed, their names
    /// are in `Proxy-Status` (RFC 9209).
    public static let bare = EnvelopeStyle(format: EnvelopeFormat(.bare(completeField: nil)))

    /// `.bare`, with a field that tells `true` if all parts succeeded and `false` otherwise. A field with a
    /// meaning of its own, such as `Content-Type`, is a declaration fault.
    public static func bare(completeField: HTTPFieldName) -> EnvelopeStyle {
        EnvelopeStyle(format: EnvelopeFormat(.bare(completeField: completeField)))
    }

    /// A form of your own, such as the contract of an existing app.
    public static func custom(_ format: some AnswerFormat) -> EnvelopeStyle {
        EnvelopeStyle(format: EnvelopeFormat(.custom(format)))
    }
}

/// A class, so that endpoints and requests hold one reference, which is nil for nearly all.
final class EnvelopeFormat: Sendable {
    enum Kind: Sendable {
        case bare(completeField: HTTPFieldName?)
        case custom(any AnswerFormat)
    }

    let kind: Kind

    init(_ kind: Kind) { self.kind = kind }

    /// Says whether an answer is complete; nil if no field does.
    var completeField: HTTPFieldName? {
        if case .bare(let field) = kind { field } else { nil }
    }

    /// Why the format cannot be used, phrased to follow the name of an endpoint or group; nil if it can.
    var fault: String? {
        guard let field = completeField, FieldsWithMeaning.contains(field) else { return nil }
        return "has the completeField \(field), which has a meaning of its own; use one such as X-Complete"
    }
}

extension EndpointOption {
    /// Sets the form of the endpoint's answers. Default `.sluice`. Requests that no endpoint takes are
    /// answered in the style of the group whose prefix their path begins with, malformed requests in the
    /// style of the gateway (`Gateway.defaults`).
    public static func envelope(_ style: EnvelopeStyle) -> EndpointOption {
        EndpointOption { $0.format = style.format }
    }
}
