import Glibc

/// Why an operation on a socket, a file or a name failed.
public struct SocketError: Error, Hashable, Sendable, CustomStringConvertible {
    public struct Operation: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        public static let eventDescriptor = Operation(description: "eventfd")
        public static let eventBase = Operation(description: "event_base_new")
        public static let register = Operation(description: "epoll_ctl")
        public static let socket = Operation(description: "socket")
        public static let option = Operation(description: "setsockopt")
        public static let bind = Operation(description: "bind")
        public static let listen = Operation(description: "listen")
        public static let accept = Operation(description: "accept")
        public static let connect = Operation(description: "connect")
        public static let read = Operation(description: "read")
        public static let write = Operation(description: "write")
        public static let resolve = Operation(description: "resolve")
        public static let signal = Operation(description: "sigaction")
        public static let thread = Operation(description: "pthread_create")
        public static let address = Operation(description: "address")
        public static let spool = Operation(description: "spool")
        public static let handshake = Operation(description: "handshake")
        public static let file = Operation(description: "file")
    }

    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// A system call failed; `code` is its `errno`.
        public static let system = Kind(description: "system")
        /// TLS failed; `tls` says why.
        public static let tls = Kind(description: "TLS")
        /// No address connected, or the handshake did not finish, in time.
        public static let connectTimedOut = Kind(description: "connect timed out")
        /// The name has no address.
        public static let nameNotFound = Kind(description: "name not found")
        /// The name has only addresses to which no connection can be made, such as 0.0.0.0.
        public static let nameUnusable = Kind(
            description: "the name has only unspecified, broadcast or multicast addresses")
        /// The resolver failed, or too many names are waiting for it. A retry may succeed.
        public static let nameFailed = Kind(description: "name resolution failed")
        /// The resolver did not answer in time.
        public static let nameTimedOut = Kind(description: "name resolution timed out")
        /// The disk did not answer in time.
        public static let fileTimedOut = Kind(description: "disk timed out")
        /// The file has fewer bytes than when it was opened.
        public static let fileShortened = Kind(description: "the file became shorter while it was sent")
        /// The file has been written to since it was opened.
        public static let fileChanged = Kind(description: "the file changed while it was sent")
        /// A device, a pipe or a socket, which no file may replace.
        public static let notRegularFile = Kind(description: "not a regular file")
        /// A symbolic link to a missing file.
        public static let danglingLink = Kind(description: "a symbolic link to a missing file")
        /// The path contains a NUL, where C would cut it off.
        public static let badPath = Kind(description: "the path contains a NUL")
        public static let loopEnded = Kind(description: "event loop ended")
        /// Neither a numeric address nor a valid Unix path.
        public static let badAddress = Kind(description: "invalid address")
    }

    public let kind: Kind
    public let operation: Operation

    /// The `errno` for `.system`, else 0.
    public let code: Int32

    /// The address, name or path concerned. May be empty.
    public var subject: String

    public let tls: TLSError?

    public init(_ operation: Operation, _ code: Int32, subject: String = "") {
        self.kind = .system
        tls = nil
        self.operation = operation
        self.code = code
        self.subject = subject
    }

    public init(_ kind: Kind, _ operation: Operation, subject: String = "") {
        self.kind = kind
        tls = nil
        self.operation = operation
        self.code = 0
        self.subject = subject
    }

    public init(_ error: TLSError, _ operation: Operation, subject: String = "") {
        kind = .tls
        self.operation = operation
        code = 0
        self.subject = subject
        tls = error
    }

    public var isAddressInUse: Bool { code == EADDRINUSE }

    /// Whether the process or the system has no file descriptors left.
    public var isOutOfDescriptors: Bool { code == EMFILE || code == ENFILE }

    public var description: String {
        let what = subject.isEmpty ? operation.description : "\(operation) \(subject)"
        if let tls { return "\(what): \(tls)" }
        guard kind == .system else { return "\(what): \(kind)" }
        return "\(what): \(String(cString: strerror(code)))"
    }
}

extension SocketError {
    /// The error of a name that has none but these addresses, or that is one of them. Its text has three of
    /// them at most.
    static func unusable(_ addresses: [SocketAddress], of host: String) -> SocketError {
        let list = addresses.prefix(3).map(\.host).joined(separator: ", ")
        return SocketError(.nameUnusable, .resolve, subject: "\(host) (\(list))")
    }

    /// - Throws: `.badPath` when the path contains a NUL; the subject is the part before it.
    package static func checkPath(_ path: String, for operation: Operation = .file) throws(SocketError) {
        guard let end = path.utf8.firstIndex(of: 0) else { return }
        throw SocketError(.badPath, operation, subject: String(path[..<end]))
    }
}
