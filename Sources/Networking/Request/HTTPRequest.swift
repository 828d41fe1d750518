public import HTTPModel

/// A request as it is, without a target: address, method, fields, body (Foundation's `URLRequest`).
///
///     let request = HTTPRequest(url: "http://api.test/daily/path")
///         .setHttpMethod(.POST)
///         .setContentType(.json)
///         .setAuthToken(token)
///         .setHttpBody(path)
///
/// A value: each builder returns another one. Nothing is checked as it is built; what is wrong with it (an address that is
/// none, a model that cannot be encoded) is the failure of the call that is made with it.
public struct HTTPRequest: Sendable {
    /// `http://host:port/path?query`, checked when the call is made. What a URL cannot hold (a blank, `|`, `[`, text beyond
    /// ASCII) is sent percent-encoded, escapes such as `%2F` as they are, and a fragment is not sent. A `.` or `..`
    /// segment and a control character fail the call.
    public var url: String
    /// Default GET.
    public var method: HTTPMethod
    /// On top of the provider's own and the context's, and instead of those of the same name. `Host`, `Content-Length` and the
    /// hop-by-hop fields are the transport's: naming one of them fails the call.
    public var headers: HTTPFields
    /// Default none. Its `Content-Type` is `headers`' to say.
    public var body: RequestBody
    /// The longest that the call may take, all attempts and the waits between them; nil: what its provider says. The limits of
    /// one attempt are raised to it where they are shorter, unless `attemptLimits` sets them.
    public var timeout: Duration?
    /// The limits of one attempt; nil: what its provider says.
    public var attemptLimits: AttemptLimits?
    /// The statuses for which the call itself fails. Default `.none`.
    public var validation: ValidationType
    /// Whether the response's content codings are undone. Default `.automatic`, unless the session says `.none`.
    public var contentDecoding = ContentDecoding.automatic

    /// What a builder could not do first, kept for the call.
    private(set) var fault: RequestFault?

    mutating func fail(_ fault: RequestFault) {
        self.fault = self.fault ?? fault
    }

    /// A request with all that it has; the builders say the same one by one.
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
    /// `.POST`, `.post`, or a method of the API's own.
    public consuming func setHttpMethod(_ method: HTTPMethod) -> HTTPRequest {
        self.method = method
        return self
    }

    /// A body in whatever form: none, bytes, a stream.
    public consuming func setHttpBody(_ body: RequestBody) -> HTTPRequest {
        self.body = body
        return self
    }

    /// Bytes as the body; `setContentType(_:)` says what they are.
    public consuming func setHttpBody(_ bytes: some Sequence<UInt8>) -> HTTPRequest {
        setHttpBody(.bytes(ArraySlice(bytes)))
    }

    /// Bytes that are a model too, a list of numbers, are bytes here. A text's are its `utf8`: a text itself is a model.
    public consuming func setHttpBody(_ bytes: some Sequence<UInt8> & Encodable) -> HTTPRequest {
        setHttpBody(.bytes(ArraySlice(bytes)))
    }

    /// A model as the body, by `JSONBytesEncoder()` unless said otherwise. Its content type goes along where the request has none.
    /// A model that cannot be encoded fails the call, with the encoder's error.
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

    /// `Authorization: Bearer token` (RFC 6750 2.1).
    public consuming func setAuthToken(_ token: String) -> HTTPRequest {
        setHeader(.authorization, "Bearer \(token)")
    }

    /// What the body is, in the place of what was said before.
    public consuming func setContentType(_ contentType: ContentType) -> HTTPRequest {
        setHeader(.contentType, contentType.text)
    }

    /// The one field of that name, in the place of those that there were. A name that is none fails the call.
    public consuming func setHeader(_ name: String, _ value: String) -> HTTPRequest {
        guard let name = HTTPFieldName(name) else {
            fail(RequestFault(.headers, "a header has no valid name"))
            return self
        }
        return setHeader(name, value)
    }

    /// The one field of that name, in the place of those that there were.
    public consuming func setHeader(_ name: HTTPFieldName, _ value: String) -> HTTPRequest {
        headers[name] = value
        return self
    }

    /// One more field, beside those of that name.
    public consuming func addHeader(_ name: HTTPFieldName, _ value: String) -> HTTPRequest {
        headers.append(name, value)
        return self
    }

    /// The longest that the call may take; nil: what its provider says. Raises the limits of one attempt.
    public consuming func setTimeout(_ timeout: Duration?) -> HTTPRequest {
        self.timeout = timeout
        return self
    }

    /// The limits of one attempt; nil: what its provider says.
    public consuming func setAttemptLimits(_ limits: AttemptLimits?) -> HTTPRequest {
        attemptLimits = limits
        return self
    }

    /// The statuses for which the call itself fails.
    public consuming func setValidation(_ validation: ValidationType) -> HTTPRequest {
        self.validation = validation
        return self
    }

    /// Whether the response's content codings are undone.
    public consuming func setContentDecoding(_ decoding: ContentDecoding) -> HTTPRequest {
        contentDecoding = decoding
        return self
    }
}

extension HTTPRequest {
    /// What a body is (RFC 9110 8.3).
    public struct ContentType: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The value of the field, parameters included.
        public let text: String

        /// A value as it is to be sent.
        public init(_ text: String) {
            self.text = text
        }

        /// A media type with its parameters.
        public init(_ mediaType: MediaType) {
            text = mediaType.description
        }

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
        /// `application/octet-stream`: bytes of which nothing is known
        public static let octetStream = ContentType("application/octet-stream")

        /// `multipart/form-data` (RFC 7578) of a body that was put together elsewhere.
        public static func multipart(boundary: String) -> ContentType {
            ContentType("multipart/form-data; boundary=\(boundary)")
        }

        public var description: String { text }
    }
}

extension HTTPRequest: CustomStringConvertible {
    /// Without query, fragment, fields and body, which may hold what no log should.
    public var description: String { "\(method.rawValue) \(url.prefix { $0 != "?" && $0 != "#" })" }
}

extension HTTPMethod {
    // The names that requests have on the wire, for `setHttpMethod(.POST)`.
    /// `HTTPMethod.get` as it is on the wire.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static var GET: HTTPMethod { .get }
    /// `HTTPMethod.head` as it is on the wire.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static var HEAD: HTTPMethod { .head }
    /// `HTTPMethod.post` as it is on the wire.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static var POST: HTTPMethod { .post }
    /// `HTTPMethod.put` as it is on the wire.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static var PUT: HTTPMethod { .put }
    /// `HTTPMethod.patch` as it is on the wire.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static var PATCH: HTTPMethod { .patch }
    /// `HTTPMethod.delete` as it is on the wire.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static var DELETE: HTTPMethod { .delete }
    /// `HTTPMethod.options` as it is on the wire.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static var OPTIONS: HTTPMethod { .options }
}
