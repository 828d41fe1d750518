import ASCIIText
import ContentCoding
import EventIO
import GatewayConfig
import GatewayCore
import HTTPModel

/// The static files of a gateway, shared by all loops.
final class FileServer: Sendable {
    private enum Storage: Sendable {
        case folder(FolderFiles)
        /// Pages by path.
        case builtIn([String: BuiltInPage])
    }

    let settings: StaticFiles
    private let storage: Storage
    /// The fields of every answer with a file.
    private let fields: HTTPFields

    /// Opens the folder or compresses the built-in files. Blocks.
    init(_ settings: StaticFiles) throws(GatewayStartError) {
        self.settings = settings
        guard !settings.contentSecurityPolicy.utf8.contains(where: ASCII.isControl) else {
            throw GatewayStartError(
                "the Content-Security-Policy of static files contains a control character")
        }
        fields = Self.fields(settings)
        switch settings.source {
        case .folder(let path):
            do {
                storage = .folder(FolderFiles(try RootFolder(path: path)))
            } catch {
                throw GatewayStartError("cannot serve the folder of static files: \(error)")
            }
        case .builtIn(let files, let modified):
            var pages: [String: BuiltInPage] = [:]
            for file in files { pages[file.path] = BuiltInPage(file, modified: modified) }
            storage = .builtIn(pages)
        }
    }

    /// Locates the file at a path without accessing the disk. Returns nil if no file can be there.
    func location(of path: FilePath) -> FileRequest.Location? {
        switch storage {
        case .folder(let folder): .folder(folder)
        case .builtIn(let pages): pages[path.text].map { .builtIn($0) }
        }
    }

    // MARK: Fields

    /// Returns the head of an answer with a file, or of a 304. `now` is in seconds since 1970. Requests to
    /// the admin listener have no record, so they have no `requestID`.
    func head(
        _ plan: FileSelection, of facts: FileFacts, _ type: FileType, requestID: String?, now: Int64
    ) -> HTTPResponseHead {
        let chosen = plan.representation(of: facts)
        var fields = fields
        fields.append(.eTag, bytes: chosen.tag.quoted[...])
        // RFC 9110 8.8.2.1: Last-Modified is never later than Date.
        fields.append(.lastModified, bytes: HTTPDate.text(secondsSince1970: min(facts.modified, now))[...])
        if facts.varies { fields.append(.vary, "Accept-Encoding") }
        if let requestID { fields.append(.xRequestID, requestID) }
        // A 304 has no other metadata of the content (RFC 9110 15.4.5).
        guard plan.verdict != .notModified else {
            return HTTPResponseHead(status: .notModified, fields: fields)
        }
        fields.append(.contentType, type.mediaType)
        if let coding = plan.coding { fields.append(.contentEncoding, coding.rawValue) }
        guard case .part(let range) = plan.verdict else {
            return HTTPResponseHead(status: .ok, fields: fields)
        }
        fields.append(
            .contentRange, "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(chosen.byteCount)")
        return HTTPResponseHead(status: .partialContent, fields: fields)
    }

    private static func fields(_ settings: StaticFiles) -> HTTPFields {
        let cacheControl =
            settings.maxAge.map { "public, max-age=\(max(0, $0.components.seconds))" } ?? "no-cache"
        let denied = [
            "accelerometer", "camera", "display-capture", "geolocation", "gyroscope",
            "magnetometer", "microphone", "midi", "payment", "serial", "usb", "xr-spatial-tracking",
        ]
        let fields: HTTPFields = [
            .cacheControl: cacheControl,
            .acceptRanges: "bytes",
            .contentSecurityPolicy: settings.contentSecurityPolicy,
            .xContentTypeOptions: "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "X-Frame-Options": "DENY",
            "Permissions-Policy": denied.map { "\($0)=()" }.joined(separator: ", "),
        ]
        return fields.checked()
    }
}

/// A request for a path that may have a file. Confined to its loop.
final class FileRequest {
    enum Location: Sendable {
        case folder(FolderFiles)
        case builtIn(BuiltInPage)
    }

    let path: FilePath
    let type: FileType
    let location: Location
    let files: LoopFiles
    /// The middleware that the request has to pass first, if any.
    let middleware: EndpointMatch?

    init(
        _ path: FilePath, at location: Location, _ files: LoopFiles, middleware: EndpointMatch?
    ) {
        self.middleware = middleware
        self.path = path
        type = FileType(of: path.text)
        self.location = location
        self.files = files
    }
}

/// A built-in file, plain and compressed.
final class BuiltInPage: Sendable {
    let facts: FileFacts
    private let plain: [UInt8]
    /// Those that are shorter.
    private let coded: [FileCoding: [UInt8]]

    init(_ file: BuiltInFile, modified: Int64) {
        plain = file.bytes
        var coded: [FileCoding: [UInt8]] = [:]
        if FileType(of: file.path).isCompressible {
            coded[.gzip] = try? Gzip.compress(file.bytes)
            coded[.brotli] = try? Self.brotli(file.bytes)
        }
        self.coded = coded.filter { $0.value.count < file.bytes.count }
        let digest = Self.digest(file.bytes)
        facts = FileFacts(
            plain: .init(byteCount: Int64(plain.count), tag: .of(digest)),
            compressed: self.coded[.gzip].map {
                .init(byteCount: Int64($0.count), tag: .of("\(digest)-gz"))
            },
            brotli: self.coded[.brotli].map { .init(byteCount: Int64($0.count), tag: .of("\(digest)-br")) },
            modified: modified)
    }

    /// Level 11 would take fifty times as long for a few per cent, at each start.
    private static func brotli(_ bytes: [UInt8]) throws(ContentCodingError) -> [UInt8] {
        var output: [UInt8] = []
        let encoder = try ContentEncoder(.brotli, level: 9)
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(ContentCodingError) in try encoder.encode(bytes, to: &output, .finish) }
        }
        try result.get()
        return output
    }

    func body(of plan: FileSelection) -> ArraySlice<UInt8> {
        let range = plan.body(of: facts)
        let bytes = plan.coding.flatMap { coded[$0] } ?? plain
        return bytes[Int(range.lowerBound)..<Int(range.upperBound)]
    }

    /// 64 bits of FNV-1a and the length: enough unless someone constructs a collision.
    private static func digest(_ bytes: [UInt8]) -> String {
        let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return "\(String(hash, radix: 16))-\(String(bytes.count, radix: 16))"
    }
}

extension EntityTag {
    /// Returns the tag for a text of letters, digits and dashes.
    static func of(_ text: String) -> EntityTag {
        guard let tag = EntityTag(text) else {
            preconditionFailure("'\(text)' is not of letters, digits and dashes")
        }
        return tag
    }
}
