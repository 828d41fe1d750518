extension HTTPFieldName {
    public static var accept: HTTPFieldName { "Accept" }
    public static var acceptEncoding: HTTPFieldName { "Accept-Encoding" }
    public static var acceptLanguage: HTTPFieldName { "Accept-Language" }
    public static var acceptRanges: HTTPFieldName { "Accept-Ranges" }
    public static var accessControlAllowCredentials: HTTPFieldName { "Access-Control-Allow-Credentials" }
    public static var accessControlAllowHeaders: HTTPFieldName { "Access-Control-Allow-Headers" }
    public static var accessControlAllowMethods: HTTPFieldName { "Access-Control-Allow-Methods" }
    public static var accessControlAllowOrigin: HTTPFieldName { "Access-Control-Allow-Origin" }
    public static var accessControlExposeHeaders: HTTPFieldName { "Access-Control-Expose-Headers" }
    public static var accessControlMaxAge: HTTPFieldName { "Access-Control-Max-Age" }
    public static var accessControlRequestHeaders: HTTPFieldName { "Access-Control-Request-Headers" }
    public static var accessControlRequestMethod: HTTPFieldName { "Access-Control-Request-Method" }
    public static var age: HTTPFieldName { "Age" }
    public static var allow: HTTPFieldName { "Allow" }
    public static var authorization: HTTPFieldName { "Authorization" }
    public static var cacheControl: HTTPFieldName { "Cache-Control" }
    public static var connection: HTTPFieldName { "Connection" }
    public static var contentEncoding: HTTPFieldName { "Content-Encoding" }
    public static var contentLanguage: HTTPFieldName { "Content-Language" }
    public static var contentLength: HTTPFieldName { "Content-Length" }
    public static var contentLocation: HTTPFieldName { "Content-Location" }
    public static var contentRange: HTTPFieldName { "Content-Range" }
    public static var contentSecurityPolicy: HTTPFieldName { "Content-Security-Policy" }
    public static var contentType: HTTPFieldName { "Content-Type" }
    public static var cookie: HTTPFieldName { "Cookie" }
    public static var date: HTTPFieldName { "Date" }
    public static var eTag: HTTPFieldName { "ETag" }
    public static var expect: HTTPFieldName { "Expect" }
    public static var forwarded: HTTPFieldName { "Forwarded" }
    public static var host: HTTPFieldName { "Host" }
    public static var http2Settings: HTTPFieldName { "HTTP2-Settings" }
    public static var ifMatch: HTTPFieldName { "If-Match" }
    public static var ifModifiedSince: HTTPFieldName { "If-Modified-Since" }
    public static var ifNoneMatch: HTTPFieldName { "If-None-Match" }
    public static var ifUnmodifiedSince: HTTPFieldName { "If-Unmodified-Since" }
    public static var ifRange: HTTPFieldName { "If-Range" }
    public static var keepAlive: HTTPFieldName { "Keep-Alive" }
    public static var lastModified: HTTPFieldName { "Last-Modified" }
    public static var link: HTTPFieldName { "Link" }
    public static var location: HTTPFieldName { "Location" }
    public static var origin: HTTPFieldName { "Origin" }
    public static var prefer: HTTPFieldName { "Prefer" }
    public static var preferenceApplied: HTTPFieldName { "Preference-Applied" }
    public static var proxyAuthenticate: HTTPFieldName { "Proxy-Authenticate" }
    public static var proxyAuthorization: HTTPFieldName { "Proxy-Authorization" }
    public static var proxyConnection: HTTPFieldName { "Proxy-Connection" }
    public static var proxyStatus: HTTPFieldName { "Proxy-Status" }
    public static var range: HTTPFieldName { "Range" }
    public static var referer: HTTPFieldName { "Referer" }
    public static var retryAfter: HTTPFieldName { "Retry-After" }
    public static var server: HTTPFieldName { "Server" }
    public static var serverTiming: HTTPFieldName { "Server-Timing" }
    public static var setCookie: HTTPFieldName { "Set-Cookie" }
    public static var te: HTTPFieldName { "TE" }
    public static var traceParent: HTTPFieldName { "traceparent" }
    public static var traceState: HTTPFieldName { "tracestate" }
    public static var trailer: HTTPFieldName { "Trailer" }
    public static var transferEncoding: HTTPFieldName { "Transfer-Encoding" }
    public static var upgrade: HTTPFieldName { "Upgrade" }
    public static var userAgent: HTTPFieldName { "User-Agent" }
    public static var vary: HTTPFieldName { "Vary" }
    public static var via: HTTPFieldName { "Via" }
    public static var wwwAuthenticate: HTTPFieldName { "WWW-Authenticate" }
    public static var xContentTypeOptions: HTTPFieldName { "X-Content-Type-Options" }
    public static var xForwardedFor: HTTPFieldName { "X-Forwarded-For" }
    public static var xForwardedHost: HTTPFieldName { "X-Forwarded-Host" }
    public static var xForwardedProto: HTTPFieldName { "X-Forwarded-Proto" }
    public static var xRealIP: HTTPFieldName { "X-Real-IP" }
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
