import ContentCoding
import EventIO
import GatewayCore
import HTTPModel

/// The static files of a gateway. One serves all loops.
final class FileServer: Sendable {
    private enum Place: Sendable {
        case folder(FolderFiles)
        /// By their paths.
        case builtIn([String: BuiltInPage])
    }

    let settings: StaticFiles
    private let place: Place
    /// What every answer with a file says.
    private let fields: HTTPFields

    /// Opens the folder, or compresses what is built in: takes its time.
    init(_ settings: StaticFiles) throws(GatewayStartError) {
        self.settings = settings
        guard settings.contentSecurityPolicy.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
            throw GatewayStartError("the policy of static files has a control character")
        }
        fields = Self.fields(settings)
        switch settings.source {
        case .folder(let path):
            do {
                place = .folder(FolderFiles(try RootFolder(path: path)))
            } catch {
                throw GatewayStartError("the folder of static files cannot be served: \(error)")
            }
        case .builtIn(let files, let modified):
            var pages: [String: BuiltInPage] = [:]
            for file in files { pages[file.path] = BuiltInPage(file, modified: modified) }
            place = .builtIn(pages)
        }
    }

    /// Where the file of a request would be; nil where none is, as far as is known without asking the disk.
    func request(for head: HTTPRequestHead) -> FileRequest? {
        guard let path = FilePath(head.target.pathBytes) else { return nil }
        switch place {
        case .folder(let folder):
            return FileRequest(path, .folder(folder))
        case .builtIn(let pages):
            return pages[path.text].map { FileRequest(path, .builtIn($0)) }
        }
    }

    // MARK: Fields

    /// The head of an answer with a file, or with a 304 of it.
    ///
    /// - Parameter now: seconds since 1970.
    func head(
        _ plan: FileResponsePlan, of facts: FileFacts, _ type: FileType, requestID: String, now: Int64
    ) -> HTTPResponseHead {
        let chosen = plan.representation(of: facts)
        var fields = fields
        fields.append(.eTag, chosen.tag.description)
        // RFC 9110 8.8.2.1: never later than the answer itself.
        fields.append(.lastModified, bytes: HTTPDate.text(secondsSince1970: min(facts.modified, now))[...])
        if facts.compressed != nil { fields.append(.vary, "Accept-Encoding") }
        fields.append(.xRequestID, requestID)
        // A 304 says nothing of the content but what may have changed (RFC 9110 15.4.5).
        guard plan.verdict != .notModified else {
            return HTTPResponseHead(status: .notModified, fields: fields)
        }
        fields.append(.contentType, type.mediaType)
        if plan.isCompressed { fields.append(.contentEncoding, "gzip") }
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

/// A request that a file may answer: what `decide` found out, for the exchange.
final class FileRequest: Sendable {
    enum Place: Sendable {
        case folder(FolderFiles)
        case builtIn(BuiltInPage)
    }

    let path: FilePath
    let type: FileType
    let place: Place

    init(_ path: FilePath, _ place: Place) {
        self.path = path
        type = FileType(of: path.text)
        self.place = place
    }
}

/// A file in memory, in both of its forms.
final class BuiltInPage: Sendable {
    let facts: FileFacts
    private let plain: [UInt8]
    private let compressed: [UInt8]?

    init(_ file: BuiltInFile, modified: Int64) {
        plain = file.bytes
        let shorter = FileType(of: file.path).isCompressible ? try? Gzip.compress(file.bytes) : nil
        compressed = shorter.flatMap { $0.count < file.bytes.count ? $0 : nil }
        let digest = Self.digest(file.bytes)
        facts = FileFacts(
            plain: .init(byteCount: Int64(plain.count), tag: .of(digest)),
            compressed: compressed.map { .init(byteCount: Int64($0.count), tag: .of("\(digest)-gz")) },
            modified: modified)
    }

    /// What a GET is sent.
    func body(of plan: FileResponsePlan) -> ArraySlice<UInt8> {
        let range = plan.body(of: facts)
        let bytes = plan.isCompressed ? compressed ?? plain : plain
        return bytes[Int(range.lowerBound)..<Int(range.upperBound)]
    }

    /// Another one for another content, as far as nobody means to make two alike: 64 bits of FNV-1a, and the length.
    private static func digest(_ bytes: [UInt8]) -> String {
        let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return "\(String(hash, radix: 16))-\(String(bytes.count, radix: 16))"
    }
}

extension EntityTag {
    /// Of letters, digits and dashes.
    static func of(_ text: String) -> EntityTag {
        guard let tag = EntityTag(text) else { preconditionFailure("a tag of ours has a quote or a blank") }
        return tag
    }
}
