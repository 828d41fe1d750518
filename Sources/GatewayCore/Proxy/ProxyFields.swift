public import HTTPModel
import Networking

/// The fields that pass through a proxy, by name. All others stay behind.
///
///     gateway.proxy(
///         "/files/{path...}", to: files,
///         fields: .standard.adding(request: .userAgent, response: .setCookie))
///
/// Fields that belong to one connection never pass (RFC 9110 7.6.1), nor does any that `Connection` names.
public struct ProxyFields: Sendable {
    /// Names of a client's fields that reach the upstream.
    public let request: [HTTPFieldName]
    /// Names of the upstream's fields that reach the client.
    public let response: [HTTPFieldName]
    /// Fields of each call. They replace the client's.
    private let constant: HTTPFields
    let passed: PassedFields

    private init(
        request: [HTTPFieldName], response: [HTTPFieldName], constant: HTTPFields = HTTPFields()
    ) {
        self.request = request
        self.response = response
        self.constant = constant
        passed = PassedFields(
            request: FieldNameSet(request.filter { !constant.contains($0) }),
            response: FieldNameSet(response),
            hasAddresses: response.contains { RelayedCall.addressFields.contains($0) }, constant: constant)
    }

    /// The fields about content, caching, conditions and ranges, and what a client needs to follow an answer:
    /// `Allow`, `Content-Location`, `Link`, `Location`, `Retry-After` and `WWW-Authenticate`. No credentials:
    /// neither `Authorization` and `Cookie` nor `Set-Cookie`.
    public static let standard = ProxyFields(
        request: [
            .accept, .acceptEncoding, .acceptLanguage, .cacheControl, "Pragma", .contentType,
            .contentEncoding,
            .contentLanguage, "Content-Disposition", .contentRange, "Content-Digest", "Repr-Digest", .range,
            .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange,
        ],
        response: [
            .contentType, .contentEncoding, .contentLanguage, "Content-Disposition", .contentRange,
            "Content-Digest", "Repr-Digest", .acceptRanges, .cacheControl, "Expires", .age, .eTag,
            .lastModified, .vary, .allow, .contentLocation, .link, .location, .retryAfter, .wwwAuthenticate,
        ])

    /// No field at all. The body keeps its length and nothing else.
    public static let none = ProxyFields(request: [], response: [])

    /// Returns these fields and others. A field that belongs to one connection, or that the gateway sets
    /// itself, is a fault of the declaration.
    public func adding(request: HTTPFieldName..., response: HTTPFieldName...) -> ProxyFields {
        adding(request: request, response: response)
    }

    /// Returns these fields and others.
    package func adding(request: [HTTPFieldName], response: [HTTPFieldName]) -> ProxyFields {
        ProxyFields(
            request: self.request + request, response: self.response + response, constant: constant)
    }

    /// Returns these fields without some.
    public func removing(request: HTTPFieldName..., response: HTTPFieldName...) -> ProxyFields {
        removing(request: request, response: response)
    }

    /// Returns these fields without some.
    package func removing(request: [HTTPFieldName], response: [HTTPFieldName]) -> ProxyFields {
        ProxyFields(
            request: self.request.filter { !request.contains($0) },
            response: self.response.filter { !response.contains($0) }, constant: constant)
    }

    /// Returns these fields, and constant ones for each call, which replace the client's.
    package func with(constant: HTTPFields) -> ProxyFields {
        ProxyFields(request: request, response: response, constant: constant)
    }

    /// The fields of a client's request that pass besides the standard ones.
    var added: [HTTPFieldName] { request.filter { !Self.standard.request.contains($0) } }

    /// Why the lists are invalid; nil if they are valid.
    package var fault: String? {
        for name in request where TransportFields.areInRequest(name) || Self.ownOfRequest.contains(name) {
            return "passes on \(name), which each hop sets itself"
        }
        if let name = request.first(where: ClientForwarding.isField) {
            return "passes on \(name), \(ClientForwarding.fieldRule)"
        }
        for (text, _) in constant {
            guard let name = HTTPFieldName(text), TransportFields.areInRequest(name) else { continue }
            return "sends \(name), which each hop sets itself"
        }
        for name in response where TransportFields.areInResponse(name) || Self.ownOfResponse.contains(name) {
            return "passes on \(name), which each hop sets itself"
        }
        return nil
    }

    private static let ownOfRequest: [HTTPFieldName] = CallContext.sent + [.proxyAuthorization]
    private static let ownOfResponse: [HTTPFieldName] = [
        .date, .xRequestID, .xContentTypeOptions, .proxyStatus, .proxyAuthenticate,
    ]
}

/// The lists as they are looked up for each request. A class, so that an answer retains one object.
final class PassedFields: Sendable {
    let request: FieldNameSet
    let response: FieldNameSet
    /// Whether fields with addresses pass, which may be rewritten.
    let hasAddresses: Bool
    /// Fields of each call.
    private let constant: HTTPFields

    init(request: FieldNameSet, response: FieldNameSet, hasAddresses: Bool, constant: HTTPFields) {
        self.request = request
        self.response = response
        self.hasAddresses = hasAddresses
        self.constant = constant
    }

    /// Returns the fields of a client's request that pass.
    ///
    /// - Parameter own: names that only the gateway may set.
    func fields(of request: HTTPFields, without own: [CGIName]) -> HTTPFields {
        var passed = HTTPFields(room: request.count + 1, capacity: request.textSize + 32)
        passed.append(contentsOf: request, in: self.request)
        passed.remove(own)
        // Without the field, any coding would do (RFC 9110 12.5.3), and the client may know none.
        if !passed.contains(.acceptEncoding), !constant.contains(.acceptEncoding) {
            passed.append(.acceptEncoding, "identity")
        }
        if !constant.isEmpty { passed.append(contentsOf: constant) }
        return passed
    }

    /// Adds the fields of an upstream's response that pass.
    func add(_ response: HTTPFields, to fields: inout HTTPFields) {
        fields.append(contentsOf: response, in: self.response)
    }
}
