/// The fields to which a standard, a browser or a proxy gives a meaning, so that a server cannot use them for
/// a value of its own.
///
/// IANA's "HTTP Field Name Registry" lists most of them. The list has the fields that an answer may have, and
/// the fields of requests that a proxy may take for its own; a name that merely begins like one of them is
/// free.
package enum FieldsWithMeaning {
    /// Whether the list contains the name, ignoring case.
    package static func contains(_ name: HTTPFieldName) -> Bool {
        let text = name.description.lowercased()
        return names.contains(text) || prefixes.contains { text.hasPrefix($0) }
            || HopByHopFields.contains(name)
    }

    /// Families of fields that grow: of CORS, of the browser (Fetch) and of nginx.
    private static let prefixes = ["access-control-", "sec-", "x-accel-", "x-forwarded-"]

    private static let names: Set<String> = [
        // RFC 9110 to 9112, and fields of caches.
        "accept", "accept-charset", "accept-encoding", "accept-language", "accept-patch", "accept-post",
        "accept-ranges", "age", "allow", "authentication-info", "authorization", "cache-control",
        "cache-status", "cdn-cache-control", "content-disposition", "content-encoding", "content-language",
        "content-length", "content-location", "content-range", "content-type", "date", "etag", "expect",
        "expires", "from", "host", "if-match", "if-modified-since", "if-none-match", "if-range",
        "if-unmodified-since", "last-modified", "link", "location", "max-forwards", "mime-version", "pragma",
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization", "proxy-status", "range",
        "referer", "retry-after", "server", "surrogate-control", "user-agent", "vary", "via", "warning",
        "www-authenticate",
        // Digests and signatures.
        "content-digest", "content-md5", "digest", "repr-digest", "signature", "signature-input",
        "want-content-digest", "want-repr-digest",
        // Cookies, security and what else browsers read.
        "alt-svc", "clear-site-data", "content-security-policy", "content-security-policy-report-only",
        "cookie", "cookie2", "cross-origin-embedder-policy", "cross-origin-opener-policy",
        "cross-origin-resource-policy", "expect-ct", "nel", "no-vary-search", "origin",
        "origin-agent-cluster", "permissions-policy", "public-key-pins", "referrer-policy", "refresh",
        "report-to", "reporting-endpoints", "server-timing", "service-worker-allowed", "set-cookie",
        "set-cookie2", "set-login", "sourcemap", "speculation-rules", "strict-transport-security",
        "supports-loading-mode", "timing-allow-origin", "tk", "x-content-type-options",
        "x-dns-prefetch-control", "x-frame-options", "x-permitted-cross-domain-policies", "x-sourcemap",
        "x-ua-compatible", "x-xss-protection",
        // Of APIs, traces and proxies.
        "baggage", "deprecation", "forwarded", "idempotency-key", "prefer", "preference-applied", "priority",
        "sunset", "traceparent", "tracestate", "x-real-ip", "x-request-id", "x-robots-tag", "x-sendfile",
    ]
}
