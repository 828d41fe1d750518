import HTTPModel

/// The type of a file, by its extension.
struct FileType: Hashable, Sendable {
    /// For `Content-Type`.
    let mediaType: String
    /// Whether gzip makes it smaller. Most pictures, fonts and archives are already compressed.
    let isCompressible: Bool

    /// An unknown extension is `application/octet-stream`, which browsers neither show nor run.
    init(of path: String) {
        self = MediaType.fileExtension(of: path).flatMap { Self.known[$0] } ?? Self.unknown
    }

    private init(_ mediaType: String) {
        isCompressible = Array(mediaType.utf8).withUnsafeBytes { CompressibleTypes.contain($0) }
        let isText = mediaType.hasPrefix("text/") || mediaType.hasSuffix("json") || mediaType.hasSuffix("xml")
        self.mediaType = mediaType + (isText ? "; charset=utf-8" : "")
    }

    private static let known = MediaType.files.mapValues { FileType($0) }
    private static let unknown = FileType(MediaType.unknownFile)
}
