extension HTTPFieldName {
    /// The field `Accept`.
    public static var accept: HTTPFieldName { "Accept" }
    /// The field `Accept-Encoding`.
    public static var acceptEncoding: HTTPFieldName { "Accept-Encoding" }
    /// The field `Accept-Language`.
    public static var acceptLanguage: HTTPFieldName { "Accept-Language" }
    /// The field `Accept-Ranges`.
    public static var acceptRanges: HTTPFieldName { "Accept-Ranges" }
    /// The field `Access-Control-Allow-Credentials`.
    public static var accessControlAllowCredentials: HTTPFieldName { "Access-Control-Allow-Credentials" }
    /// The field `Access-Control-Allow-Headers`.
    public static var accessControlAllowHeaders: HTTPFieldName { "Access-Control-Allow-Headers" }
    /// The field `Access-Control-Allow-Methods`.
    public static var accessControlAllowMethods: HTTPFieldName { "Access-Control-Allow-Methods" }
    /// The field `Access-Control-Allow-Origin`.
    public static var accessControlAllowOrigin: HTTPFieldName { "Access-Control-Allow-Origin" }
    /// The field `Access-Control-Expose-Headers`.
    public static var accessControlExposeHeaders: HTTPFieldName { "Access-Control-Expose-Headers" }
    /// The field `Access-Control-Max-Age`.
    public static var accessControlMaxAge: HTTPFieldName { "Access-Control-Max-Age" }
    /// The field `Access-Control-Request-Headers`.
    public static var accessControlRequestHeaders: HTTPFieldName { "Access-Control-Request-Headers" }
    /// The field `Access-Control-Request-Method`.
    public static var accessControlRequestMethod: HTTPFieldName { "Access-Control-Request-Method" }
    /// The field `Age`.
    public static var age: HTTPFieldName { "Age" }
    /// The field `Allow`.
    public static var allow: HTTPFieldName { "Allow" }
    /// The field `Authorization`.
    public static var authorization: HTTPFieldName { "Authorization" }
    /// The field `Cache-Control`.
    public static var cacheControl: HTTPFieldName { "Cache-Control" }
    /// The field `Connection`.
    public static var connection: HTTPFieldName { "Connection" }
    /// The field `Content-Encoding`.
    public static var contentEncoding: HTTPFieldName { "Content-Encoding" }
    /// The field `Content-Language`.
    public static var contentLanguage: HTTPFieldName { "Content-Language" }
    /// The field `Content-Length`.
    public static var contentLength: HTTPFieldName { "Content-Length" }
    /// The field `Content-Location`.
    public static var contentLocation: HTTPFieldName { "Content-Location" }
    /// The field `Content-Range`.
    public static var contentRange: HTTPFieldName { "Content-Range" }
    /// The field `Content-Security-Policy`.
    public static var contentSecurityPolicy: HTTPFieldName { "Content-Security-Policy" }
    /// The field `Content-Type`.
    public static var contentType: HTTPFieldName { "Content-Type" }
    /// The field `Cookie`.
    public static var cookie: HTTPFieldName { "Cookie" }
    /// The field `Date`.
    public static var date: HTTPFieldName { "Date" }
    /// The field `ETag`.
    public static var eTag: HTTPFieldName { "ETag" }
    /// The field `Expect`.
    public static var expect: HTTPFieldName { "Expect" }
    /// The field `Forwarded`.
    public static var forwarded: HTTPFieldName { "Forwarded" }
    /// The field `Host`.
    public static var host: HTTPFieldName { "Host" }
    /// The field `HTTP2-Settings`.
    public static var http2Settings: HTTPFieldName { "HTTP2-Settings" }
    /// The field `If-Match`.
    public static var ifMatch: HTTPFieldName { "If-Match" }
    /// The field `If-Modified-Since`.
    public static var ifModifiedSince: HTTPFieldName { "If-Modified-Since" }
    /// The field `If-None-Match`.
    public static var ifNoneMatch: HTTPFieldName { "If-None-Match" }
    /// The field `If-Unmodified-Since`.
    public static var ifUnmodifiedSince: HTTPFieldName { "If-Unmodified-Since" }
    /// The field `If-Range`.
    public static var ifRange: HTTPFieldName { "If-Range" }
    /// The field `Keep-Alive`.
    public static var keepAlive: HTTPFieldName { "Keep-Alive" }
    /// The field `Last-Modified`.
    public static var lastModified: HTTPFieldName { "Last-Modified" }
    /// The field `Link`.
    public static var link: HTTPFieldName { "Link" }
    /// The field `Location`.
    public static var location: HTTPFieldName { "Location" }
    /// The field `Origin`.
    public static var origin: HTTPFieldName { "Origin" }
    /// The field `Prefer`.
    public static var prefer: HTTPFieldName { "Prefer" }
    /// The field `Preference-Applied`.
    public static var preferenceApplied: HTTPFieldName { "Preference-Applied" }
    /// The field `Proxy-Authenticate`.
    public static var proxyAuthenticate: HTTPFieldName { "Proxy-Authenticate" }
    /// The field `Proxy-Authorization`.
    public static var proxyAuthorization: HTTPFieldName { "Proxy-Authorization" }
    /// The field `Proxy-Connection`.
    public static var proxyConnection: HTTPFieldName { "Proxy-Connection" }
    /// The field `Proxy-Status`.
    public static var proxyStatus: HTTPFieldName { "Proxy-Status" }
    /// The field `Range`.
    public static var range: HTTPFieldName { "Range" }
    /// The field `Referer`.
    public static var referer: HTTPFieldName { "Referer" }
    /// The field `Retry-After`.
    public static var retryAfter: HTTPFieldName { "Retry-After" }
    /// The field `Server`.
    public static var server: HTTPFieldName { "Server" }
    /// The field `Server-Timing`.
    public static var serverTiming: HTTPFieldName { "Server-Timing" }
    /// The field `Set-Cookie`.
    public static var setCookie: HTTPFieldName { "Set-Cookie" }
    /// The field `TE`.
    public static var te: HTTPFieldName { "TE" }
    /// The field `traceparent`.
    public static var traceParent: HTTPFieldName { "traceparent" }
    /// The field `tracestate`.
    public static var traceState: HTTPFieldName { "tracestate" }
    /// The field `Trailer`.
    public static var trailer: HTTPFieldName { "Trailer" }
    /// The field `Transfer-Encoding`.
    public static var transferEncoding: HTTPFieldName { "Transfer-Encoding" }
    /// The field `Upgrade`.
    public static var upgrade: HTTPFieldName { "Upgrade" }
    /// The field `User-Agent`.
    public static var userAgent: HTTPFieldName { "User-Agent" }
    /// The field `Vary`.
    public static var vary: HTTPFieldName { "Vary" }
    /// The field `Via`.
    public static var via: HTTPFieldName { "Via" }
    /// The field `WWW-Authenticate`.
    public static var wwwAuthenticate: HTTPFieldName { "WWW-Authenticate" }
    /// The field `X-Content-Type-Options`.
    public static var xContentTypeOptions: HTTPFieldName { "X-Content-Type-Options" }
    /// The field `X-Forwarded-For`.
    public static var xForwardedFor: HTTPFieldName { "X-Forwarded-For" }
    /// The field `X-Forwarded-Host`.
    public static var xForwardedHost: HTTPFieldName { "X-Forwarded-Host" }
    /// The field `X-Forwarded-Proto`.
    public static var xForwardedProto: HTTPFieldName { "X-Forwarded-Proto" }
    /// The field `X-Real-IP`.
    public static var xRealIP: HTTPFieldName { "X-Real-IP" }
    /// The field `X-Request-Id`.
    public static var xRequestID: HTTPFieldName { "X-Request-Id" }
}

extension HTTPFieldName {
    /// Digests of a body in its content coding: the fields of RFC 9530, and `Digest` (RFC 3230) and
    /// `Content-MD5` (RFC 2616 14.15) before it.
    package static var digests: [HTTPFieldName] {
        ["Content-Digest", "Repr-Digest", "Digest", "Content-MD5"]
    }

    /// Whether the field describes the body of its message, so that it would be wrong next to another body.
    package var describesBody: Bool {
        [.contentType, .contentEncoding, .contentRange].contains(self) || Self.digests.contains(self)
    }
}
