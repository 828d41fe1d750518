import EventIO

/// Files that a gateway serves at paths that no endpoint matches: pages, styles, scripts, pictures.
///
///     configuration.files = .folder("Public")
///
/// GET and HEAD serve each file at its path; `/` and `folder/` serve the `index.html` there. Only regular
/// files are served: folder listings, symbolic links and names that begin with a dot, at any depth, are 404.
/// Supported are `ETag` and `Last-Modified` with their conditions (304, 412), single byte ranges (206, 416; a
/// request for several ranges gets the whole file), gzip, and br for files inside the program. Each answer
/// with a file has a strict Content-Security-Policy and keeps pages of other origins from loading, framing or
/// reading it.
///
/// A file that the kernel has in memory is read on the event loop, if its file system is local. Four helper
/// threads read the others, of at most 64 requests of each loop at once. Further requests wait, and client
/// addresses take turns.
public struct StaticFiles: Sendable {
    package enum Source: Sendable {
        case folder(String)
        case builtIn([BuiltInFile], modified: Int64)
    }

    /// Runs work on helper threads; returns false if too much work is waiting.
    package typealias Submit = @Sendable (@escaping @Sendable () -> Void) -> Bool

    /// Who finds a file, and reads it if it is small.
    package enum Finder: Sendable {
        /// The loop, if the kernel has the file in memory; else `FileThreads`.
        case loop
        case threads(Submit)
    }

    package let source: Source
    package var finder = Finder.loop

    /// How long browsers may cache a file without revalidating it. Default nil: they revalidate each time and
    /// get a 304 if it has not changed (`Cache-Control: no-cache`).
    public var maxAge: Duration?

    /// What a page may load and do. Default: resources of its own origin only; no inline scripts or styles,
    /// frames, plug-ins or forms. A gateway does not start if it contains control characters.
    public var contentSecurityPolicy = StaticFiles.strictPolicy

    /// Files beyond 256 KiB that one loop reads at once, each with up to 128 KiB of read-ahead. Default 256.
    /// Other large files wait for their turn, at most `readDeadline`. A file whose client does not keep up
    /// for a second gives up its turn until the client has room.
    ///
    /// Each file that is being sent takes a descriptor and one of the loop's requests in flight. Such files
    /// may be half of the requests in flight, and have an eighth of the process's descriptors together with
    /// answers that wait on disk, in fair shares by client address. Beyond it: 503 `OVERLOADED`.
    public var streams = 256

    /// Time-out for opening a file, and for reading each piece of it. Default 15 s. Beyond it: 503
    /// `OVERLOADED`, or a reset if a part of the file has been sent.
    public var readDeadline = Duration.seconds(15)

    private init(_ source: Source) {
        self.source = source
    }

    /// The files of a folder, read for each request. A `name.gz` next to a file, unless older, is sent to
    /// clients that accept gzip.
    ///
    /// - Parameter path: the folder, which must exist when the gateway starts. Symbolic links in the path are
    ///   resolved then, and renaming the folder later has no effect.
    public static func folder(_ path: String) -> StaticFiles { StaticFiles(.folder(path)) }

    /// Files in memory, compressed with gzip and br once when the gateway starts. `modified` is in seconds
    /// since 1970.
    public static func builtIn(_ files: [BuiltInFile], modified: Int64) -> StaticFiles {
        StaticFiles(.builtIn(files, modified: modified))
    }

    /// The policy for pages that load nothing from other origins.
    public static let strictPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
        + "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        + "require-trusted-types-for 'script'"
}

/// A file built into the program.
public struct BuiltInFile: Sendable {
    /// Relative to the root, without a leading slash: `css/page.css`.
    public var path: String
    /// The content.
    public var bytes: [UInt8]

    /// Creates a file with a path relative to the root.
    public init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }
}
