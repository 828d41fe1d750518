import HTTPModel

/// The content codings in a response's `Content-Encoding` (RFC 9110 8.4). A transport removes those that it
/// decodes.
enum BodyCoding {
    /// At least one coding is in IANA's registry, so the body is still encoded.
    case registered
    /// Only unregistered names, sent by mistake (`none`, `UTF-8`, `aws-chunked`). The body may be readable.
    case unregistered

    /// Returns nil if there is no `Content-Encoding` or it names only `identity`.
    init?(_ fields: HTTPFields) {
        guard fields.contains(.contentEncoding) else { return nil }
        var hasOthers = false
        for value in fields.values(of: .contentEncoding) {
            for element in value.lowercased().split(whereSeparator: { ", \t".contains($0) }) {
                if Self.registry.contains(String(element)) {
                    self = .registered
                    return
                }
                if element != "identity" { hasOthers = true }
            }
        }
        guard hasOthers else { return nil }
        self = .unregistered
    }

    /// IANA's HTTP Content Coding Registry, without `identity`.
    private static let registry: Set<String> = [
        "aes128gcm", "br", "compress", "dcb", "dcz", "deflate", "exi", "gzip", "pack200-gzip", "x-compress",
        "x-gzip", "zstd",
    ]
}
