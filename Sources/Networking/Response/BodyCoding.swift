import HTTPModel

/// The content codings (RFC 9110 8.4) that a response's fields name. A transport removes those that it undoes.
enum BodyCoding {
    /// One of IANA's registry is among them: the body is not what it was before it was coded.
    case registered
    /// Other names alone, which servers send by mistake (`none`, `UTF-8`, `aws-chunked`): the body may be read as it is.
    case unregistered

    /// Nil where there is none, or `identity` alone.
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

    /// IANA, HTTP Content Coding Registry, without `identity`.
    private static let registry: Set<String> = [
        "aes128gcm", "br", "compress", "dcb", "dcz", "deflate", "exi", "gzip", "pack200-gzip", "x-compress",
        "x-gzip", "zstd",
    ]
}
