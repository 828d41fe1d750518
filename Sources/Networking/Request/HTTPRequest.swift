public import HTTPModel

/// A request without a target: URL, method, fields and body (Foundation's `URLRequest`).
///
///     let request = HTTPRequest(url: "http://api.test/daily/path")
///         .setHttpMethod(.POST)
///         .setContentType(.json)
///         .setAuthToken(token)
///         .setHttpBody(path)
///
/// A value type: each builder returns a new request. Building checks nothing. Errors, such as an invalid URL
/// or a model that cannot be encoded, fail the call that sends the request.
public struct HTTPRequest: Sendable {
    /// `http://host:port/path?query`, checked when the call is made. Characters not allowed in a URL (a
    /// space, `|`, `[`, non-ASCII text) are percent-encoded, escapes such as `%2F` are kept, and a fragment
    /// is not sent. A `.` or `..` segment or a control character fails the call.
    public var url: String
    /// The method. Default GET.
    public var method: HTTPMethod
    /// Fields that replace the fields of the same name from the provider and the context. Setting a field of
    /// the transport (`Host`, `Content-Length`, `Expect` and the hop-by-hop fields) fails the call.
    public var headers: HTTPFields
    /// The body; its `Content-Type` belongs in `headers`. Default none.
    public var body: RequestBody
    /// The limit of the whole call, with all attempts and the waits between them; nil for the provider's.
    /// Raises shorter limits of one attempt, unless `attemptLimits` is set.
    public var timeout: Duration?
    /// The limits of one attempt; nil for the provider's.
    public var attemptLimits: AttemptLimits?
    /// The statuses that the call accepts; any other fails it. Default `.none`, which accepts all.
    public var validation: ValidationType
    /// Whether the response's content codings are decoded. Default `.automatic`, unless the session says
    /// `.none`.
    public var contentDecoding = ContentDecoding.automatic

    /// The first error of a builder, thrown when the call is made.
    private(set) var fault: RequestFault?

    mutating func fail(_ fault: RequestFault) {
        self.fault = self.fault ?? fault
    }

    /// Creates a request. The builders set the same properties one by one.
    public init(
        url: String, method: HTTPMethod = .get, headers: HTTPFields = HTTPFields(), body: RequestBody = .none,
        timeout: Duration? = nil, attemptLimits: AttemptLimits? = nil, validation: ValidationType = .none
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.attemptLimits = attemptLimits
        self.validation = validation
    }
}

// MARK: - Builders

extension HTTPRequest {
    /// Sets the method: `.POST`, `.post`, or a custom one.
    public consuming func setHttpMethod(_ method: HTTPMethod) -> HTTPRequest {
        self.method = method
        return self
    }

    /// Sets the body: none, bytes or a stream.
    public consuming func setHttpBody(_ body: RequestBody) -> HTTPRequest {
        self.body = body
        return self
    }

    /// Sets bytes as the body. Set the type with `setContentType(_:)`.
    public consuming func setHttpBody(_ bytes: some Sequence<UInt8>) -> HTTPRequest {
        setHttpBody(.bytes(ArraySlice(bytes)))
    }

    /// Sets bytes as the body. Resolves the ambiguity for byte sequences that are also `Encodable`. A
    /// `String` is a model; to send its bytes, pass its `utf8`.
    public consuming func setHttpBody(_ bytes: some Sequence<UInt8> & Encodable) -> HTTPRequest {
        setHttpBody(.bytes(ArraySlice(bytes)))
    }

    /// Encodes a model as the body, by default with `JSONBytesEncoder()`, and sets the encoder's content type
    /// unless the request has one. If the encoder fails, so does the call.
    public consuming func setHttpBody(
        _ model: some Encodable, encoder: any RequestEncoder = RequestTask.encoder
    ) -> HTTPRequest {
        do {
            body = .bytes(try encoder.encodeBody(model))
            if !headers.contains(.contentType) { headers.append(.contentType, encoder.contentType) }
        } catch {
            fail(RequestFault(.body, "the body cannot be encoded", underlying: error))
        }
        return self
    }

    /// Sets `Authorization: Bearer token` (RFC 6750 2.1).
    public consuming func setAuthToken(_ token: String) -> HTTPRequest {
        setHeader(.authorization, "Bearer \(token)")
    }

    /// Sets the `Content-Type` of the body.
    public consuming func setContentType(_ contentType: ContentType) -> HTTPRequest {
        setHeader(.contentType, contentType.text)
    }

    /// Sets a field and replaces all fields of that name. An invalid name fails the call.
    public consuming func setHeader(_ name: String, _ value: String) -> HTTPRequest {
        guard let name = HTTPFieldName(name) else {
            fail(RequestFault(.headers, "a header name is invalid"))
            return self
        }
        return setHeader(name, value)
    }

    /// Sets a field and replaces all fields of that name.
    public consuming func setHeader(_ name: HTTPFieldName, _ value: String) -> HTTPRequest {
        headers[name] = value
        return self
    }

    /// Adds a field and keeps other fields of the same name.
    public consuming func addHeader(_ name: HTTPFieldName, _ value: String) -> HTTPRequest {
        headers.append(name, value)
        return self
    }

    /// Sets the limit of the whole call; nil for the provider's. Raises the limits of one attempt.
    public consuming func setTimeout(_ timeout: Duration?) -> HTTPRequest {
        self.timeout = timeout
        return self
    }

    /// Sets the limits of one attempt; nil for the provider's.
    public consuming func setAttemptLimits(_ limits: AttemptLimits?) -> HTTPRequest {
        attemptLimits = limits
        return self
    }

    /// Sets the statuses that the call accepts.
    public consuming func setValidation(_ validation: ValidationType) -> HTTPRequest {
        self.validation = validation
        return self
    }

    /// Sets whether the response's content codings are decoded.
    public consuming func setContentDecoding(_ decoding: ContentDecoding) -> HTTPRequest {
        contentDecoding = decoding
        return self
    }
}

extension HTTPRequest {
    /// The media type of a body (RFC 9110 8.3).
    public struct ContentType: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The value of the field, including parameters.
        public let text: String

        /// Creates a content type from the value of the field.
        public init(_ text: String) {
            self.text = text
        }

        /// Creates a content type from a media type and its parameters.
        public init(_ mediaType: MediaType) {
            text = mediaType.description
        }

        /// Creates the value from a string literal.
        public init(stringLiteral text: String) {
            self.text = text
        }

        /// `application/json` (RFC 8259)
        public static let json = ContentType("application/json")
        /// `application/x-www-form-urlencoded`
        public static let form = ContentType("application/x-www-form-urlencoded")
        /// `text/plain` in UTF-8
        public static let text = ContentType("text/plain; charset=utf-8")
        /// `application/xml`
        public static let xml = ContentType("application/xml")
        /// `application/octet-stream`, for bytes of unknown type
        public static let octetStream = ContentType("application/octet-stream")

        /// `multipart/form-data` (RFC 7578), for a body that you assembled yourself.
        public static func multipart(boundary: String) -> ContentType {
            ContentType("multipart/form-data; boundary=\(boundary)")
        }

        /// The value as text, for logs and messages.
        public var description: String { text }
    }
}

extension HTTPRequest: CustomStringConvertible {
    /// Omits query, fragment, fields and body, which may contain secrets.
    public var description: String { "\(method.rawValue) \(url.prefix { $0 != "?" && $0 != "#" })" }
}

extension HTTPMethod {
    // The upper-case names, for `setHttpMethod(.POST)`.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// `HTTPMethod.get`
    public static var GET: HTTPMethod { .get }
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// `HTTPMethod.head`
    public static var HEAD: HTTPMethod { .head }
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// `HTTPMethod.post`
    public static var POST: HTTPMethod { .post }
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// `HTTPMethod.put`
    public static var PUT: HTTPMethod { .put }
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// `HTTPMethod.patch`
    public static var PATCH: HTTPMethod { .patch }
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// `HTTPMethod.delete`
    public static var DELETE: HTTPMethod { .delete }
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// `HTTPMethod.options`
    public static var OPTIONS: HTTPMethod { .options }
}
