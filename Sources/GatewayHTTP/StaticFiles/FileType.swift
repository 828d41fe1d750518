/// The type of a file, by its extension.
struct FileType: Hashable, Sendable {
    /// For `Content-Type`.
    let mediaType: String
    /// Whether gzip makes it smaller. Most pictures, fonts and archives are already compressed.
    let isCompressible: Bool

    /// Text is UTF-8. An unknown extension is `application/octet-stream`, which browsers neither show nor
    /// run.
    init(of path: String) {
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...]
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")),
            let ending = String(name[name.index(after: dot)...]),
            let known = Self.known[ending.lowercased()]
        else {
            (mediaType, isCompressible) = ("application/octet-stream", false)
            return
        }
        (mediaType, isCompressible) = known
    }

    private static let known: [String: (String, Bool)] = [
        "html": ("text/html; charset=utf-8", true),
        "htm": ("text/html; charset=utf-8", true),
        "css": ("text/css; charset=utf-8", true),
        "js": ("text/javascript; charset=utf-8", true),
        "mjs": ("text/javascript; charset=utf-8", true),
        "json": ("application/json; charset=utf-8", true),
        "map": ("application/json; charset=utf-8", true),
        "webmanifest": ("application/manifest+json; charset=utf-8", true),
        "txt": ("text/plain; charset=utf-8", true),
        "md": ("text/markdown; charset=utf-8", true),
        "csv": ("text/csv; charset=utf-8", true),
        "vtt": ("text/vtt; charset=utf-8", true),
        "xml": ("application/xml; charset=utf-8", true),
        "svg": ("image/svg+xml; charset=utf-8", true),
        "wasm": ("application/wasm", true),
        "ico": ("image/vnd.microsoft.icon", true),
        "png": ("image/png", false),
        "jpg": ("image/jpeg", false),
        "jpeg": ("image/jpeg", false),
        "gif": ("image/gif", false),
        "webp": ("image/webp", false),
        "avif": ("image/avif", false),
        "woff": ("font/woff", false),
        "woff2": ("font/woff2", false),
        "ttf": ("font/ttf", true),
        "otf": ("font/otf", true),
        "mp3": ("audio/mpeg", false),
        "ogg": ("audio/ogg", false),
        "mp4": ("video/mp4", false),
        "webm": ("video/webm", false),
        "pdf": ("application/pdf", false),
        "zip": ("application/zip", false),
        "gz": ("application/gzip", false),
    ]
}
