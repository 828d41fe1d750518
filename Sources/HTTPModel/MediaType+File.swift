extension MediaType {
    /// Returns the type of a file, by its extension.
    package static func text(ofFile path: String) -> String {
        fileExtension(of: path).flatMap { files[$0] } ?? unknownFile
    }

    /// Returns the extension of a file's name in lowercase; nil if it has none.
    package static func fileExtension(of path: String) -> String? {
        guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let ending = path[dot...].dropFirst()
        return ending.utf8.contains(UInt8(ascii: "/")) ? nil : ending.lowercased()
    }

    package static let unknownFile = "application/octet-stream"

    /// The types of files by extension.
    package static let files = [
        "avif": "image/avif", "bmp": "image/bmp", "css": "text/css", "csv": "text/csv",
        "gif": "image/gif", "gz": "application/gzip", "heic": "image/heic", "htm": "text/html",
        "html": "text/html", "ico": "image/vnd.microsoft.icon", "jpeg": "image/jpeg", "jpg": "image/jpeg",
        "js": "text/javascript", "json": "application/json", "m4a": "audio/mp4", "map": "application/json",
        "md": "text/markdown", "mjs": "text/javascript", "mov": "video/quicktime", "mp3": "audio/mpeg",
        "mp4": "video/mp4", "ogg": "audio/ogg", "otf": "font/otf", "pdf": "application/pdf",
        "png": "image/png", "svg": "image/svg+xml", "tar": "application/x-tar", "tif": "image/tiff",
        "tiff": "image/tiff", "ttf": "font/ttf", "txt": "text/plain", "vtt": "text/vtt",
        "wasm": "application/wasm", "wav": "audio/wav", "webm": "video/webm",
        "webmanifest": "application/manifest+json", "webp": "image/webp", "woff": "font/woff",
        "woff2": "font/woff2", "xml": "application/xml", "yaml": "application/yaml",
        "zip": "application/zip",
    ]
}
