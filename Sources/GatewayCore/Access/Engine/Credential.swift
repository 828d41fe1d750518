import ASCIIText
import HTTPModel

/// The credential of a request for one entry.
enum Credential {
    /// The request has none.
    case missing
    /// An API key, or the text of a token.
    case text(ArraySlice<UInt8>)
    /// Some of the fields that an authorizer gets.
    case fields
    /// A certificate that the entry knows.
    case known(Identity)
    /// The request has several where one counts, so that two readers could read two callers.
    case repeated

    /// - Parameters:
    ///   - entry: looks for the credential.
    ///   - fields: of the request.
    ///   - certificate: of the connection; nil without one. An entry that does not know it has no credential,
    ///     so that another entry may know the certificate.
    ///   - loop: has the certificates that the loop knows.
    init(
        of entry: AuthEntry, in fields: HTTPFields, _ certificate: ClientCertificate?, known loop: AccessLoop
    ) {
        switch entry.kind {
        case .keys(let keys): self = Self.only(keys.header, in: fields)
        case .tokens(let tokens):
            self = tokens.cookie.map { Self.cookie($0, in: fields) } ?? Self.bearer(fields)
        case .authorizer(let authorizer):
            self = authorizer.forward.contains(where: fields.contains) ? .fields : .missing
        case .certificate(let certificates):
            let identity = certificate.flatMap { loop.identity(of: $0, by: entry, certificates) }
            self = identity.map { .known($0) } ?? .missing
        }
    }

    private static func only(_ name: HTTPFieldName, in fields: HTTPFields) -> Credential {
        guard let index = fields.firstIndex(of: name) else { return .missing }
        guard fields.firstIndex(of: name, from: index + 1) == nil else { return .repeated }
        return .text(fields.valueBytes(at: index))
    }

    /// Returns the token of `Authorization` (RFC 6750 2.1). Such an entry ignores other schemes.
    private static func bearer(_ fields: HTTPFields) -> Credential {
        let found = only(.authorization, in: fields)
        guard case .text(let value) = found else { return found }
        let word = value.prefix { $0 != UInt8(ascii: " ") }
        guard word.withUnsafeBytes({ ASCII.isText($0, "bearer") }) else { return .missing }
        return .text(value[word.endIndex...].drop { $0 == UInt8(ascii: " ") })
    }

    /// Returns the value of the only cookie of that name. A page of a sibling domain can set a second one, so
    /// several are refused.
    private static func cookie(_ name: [UInt8], in fields: HTTPFields) -> Credential {
        guard fields.contains(.cookie) else { return .missing }
        let found = fields.cookieBytes.filter { $0.name.elementsEqual(name) }
        guard found.count < 2 else { return .repeated }
        return found.first.map { .text($0.value) } ?? .missing
    }
}
