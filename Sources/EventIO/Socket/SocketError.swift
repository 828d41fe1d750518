import Glibc

/// Why an operation on a socket, a file or a name failed.
public struct SocketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was being done.
    public struct Operation: Hashable, Sendable, CustomStringConvertible {
        /// The value as text, for logs and messages.
        public let description: String

        /// The operation `eventfd`.
        public static let eventDescriptor = Operation(description: "eventfd")
        /// The operation `event_base_new`.
        public static let eventBase = Operation(description: "event_base_new")
        /// The operation `epoll_ctl`.
        public static let register = Operation(description: "epoll_ctl")
        /// The operation `socket`.
        public static let socket = Operation(description: "socket")
        /// The operation `setsockopt`.
        public static let option = Operation(description: "setsockopt")
        /// The operation `bind`.
        public static let bind = Operation(description: "bind")
        /// The operation `listen`.
        public static let listen = Operation(description: "listen")
        /// The operation `accept`.
        public static let accept = Operation(description: "accept")
        /// The operation `connect`.
        public static let connect = Operation(description: "connect")
        /// The operation `read`.
        public static let read = Operation(description: "read")
        /// The operation `write`.
        public static let write = Operation(description: "write")
        /// The operation `resolve`.
        public static let resolve = Operation(description: "resolve")
        /// The operation `sigaction`.
        public static let signal = Operation(description: "sigaction")
        /// The operation `pthread_create`.
        public static let thread = Operation(description: "pthread_create")
        /// The operation `address`.
        public static let address = Operation(description: "address")
        /// The operation `spool`.
        public static let spool = Operation(description: "spool")
        /// The operation `handshake`.
        public static let handshake = Operation(description: "handshake")
        /// The operation `file`.
        public static let file = Operation(description: "file")
    }

    /// What went wrong.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The value as text, for logs and messages.
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
        /// The loop ended before the operation did.
        public static let loopEnded = Kind(description: "event loop ended")
        /// Neither a numeric address nor a valid Unix path.
        public static let badAddress = Kind(description: "invalid address")
    }

    /// What went wrong.
    public let kind: Kind
    /// What was being done.
    public let operation: Operation

    /// The `errno` for `.system`, else 0.
    public let code: Int32

    /// The address, name or path concerned. May be empty.
    public var subject: String

    /// The TLS failure, if the kind is `.tls`.
    public let tls: TLSError?

    /// Creates the error of a system call from its `errno`.
    public init(_ operation: Operation, _ code: Int32, subject: String = "") {
        self.kind = .system
        tls = nil
        self.operation = operation
        self.code = code
        self.subject = subject
    }

    /// Creates an error without a system call.
    public init(_ kind: Kind, _ operation: Operation, subject: String = "") {
        self.kind = kind
        tls = nil
        self.operation = operation
        self.code = 0
        self.subject = subject
    }

    /// Creates the error of a failed TLS connection.
    public init(_ error: TLSError, _ operation: Operation, subject: String = "") {
        kind = .tls
        self.operation = operation
        code = 0
        self.subject = subject
        tls = error
    }

    /// Whether another socket has the address already.
    public var isAddressInUse: Bool { code == EADDRINUSE }

    /// Whether the process or the system has no file descriptors left.
    public var isOutOfDescriptors: Bool { code == EMFILE || code == ENFILE }

    /// What is wrong, in words.
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
