import EventIO

/// Files that a gateway serves where no endpoint has the path: pages, styles, scripts, pictures.
///
///     configuration.files = .folder("Public")
///
/// GET and HEAD, each file at its path; `/` and `folder/` are the `index.html` there. No list of a folder, nothing whose name
/// begins with a dot, at any depth, no link, nothing but regular files: all of that is 404. `ETag` and `Last-Modified` with
/// their conditions (304, 412), one range of bytes (206, 416; asked for several the whole comes), gzip where it is accepted.
/// Each answer with a file has a strict Content-Security-Policy and keeps pages of other origins from loading, framing or
/// reading it.
/// Files are opened and read on threads beside the loops: four in the process, for which 4096 requests can wait; beyond that
/// they are answered 503 `OVERLOADED`.
public struct StaticFiles: Sendable {
    enum Source: Sendable {
        case folder(String)
        case builtIn([BuiltInFile], modified: Int64)
    }

    let source: Source
    /// Where files are opened and read; false where it has no room for more.
    var submit: @Sendable (@escaping @Sendable () -> Void) -> Bool = FileThreads.submit

    /// For how long a browser need not ask again. Nil, the default: it asks each time, and is told 304 where nothing has
    /// changed (`Cache-Control: no-cache`).
    public var maxAge: Duration?

    /// What a page may load and do. Default: from its own origin alone, no inline script or style, no frame, no plug-in, no
    /// form that leads elsewhere. A gateway does not start with one that no field can hold.
    public var contentSecurityPolicy = StaticFiles.strictPolicy

    /// Files beyond 256 KiB on their way to clients of one loop at once: each has a descriptor, up to 128 KiB that were read
    /// ahead, and its place among the loop's requests in flight. Default 256. Beyond it: 503 `OVERLOADED`.
    public var streams = 256

    /// Time that the disk has to open a file, and for each piece of it. Default 15 s. Beyond it: 503 `OVERLOADED`, or, where
    /// half of the file is out, a reset.
    public var readDeadline = Duration.seconds(15)

    private init(_ source: Source) {
        self.source = source
    }

    /// The files of a folder, as they are when they are asked for. Where a `name.gz` lies beside a file and is not older, it
    /// is sent to those who accept gzip.
    ///
    /// - Parameter path: links to the folder itself are followed once, at the start; later the folder is the same one, even if
    ///   its name has gone to another. A gateway does not start without it.
    public static func folder(_ path: String) -> StaticFiles { StaticFiles(.folder(path)) }

    /// Files in memory, compressed once as the gateway starts. They are answered without a thread or the disk.
    ///
    /// - Parameters:
    ///   - files: each with its path.
    ///   - modified: seconds since 1970, for `Last-Modified`.
    public static func builtIn(_ files: [BuiltInFile], modified: Int64) -> StaticFiles {
        StaticFiles(.builtIn(files, modified: modified))
    }

    /// The policy of pages that need nothing from elsewhere.
    public static let strictPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
        + "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        + "require-trusted-types-for 'script'"
}

/// A file that is a part of the program.
public struct BuiltInFile: Sendable {
    /// From the root, without a slash before it: `css/page.css`.
    public var path: String
    public var bytes: [UInt8]

    public init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }
}
