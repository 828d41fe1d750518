import Glibc

/// The service manager that started the process, as sd_notify(3) describes it: a datagram socket that takes
/// lines such as `READY=1`.
struct ServiceManager: Sendable {
    private let address: sockaddr_un
    private let length: socklen_t
    /// How often the manager wants to hear `WATCHDOG=1`; nil for never.
    let watchdog: Duration?

    /// Nil unless `NOTIFY_SOCKET` is the path of a socket, or `@` and an abstract name.
    init?(_ environment: [String: String]) {
        guard let name = environment["NOTIFY_SOCKET"]?.utf8, name.count > 1,
            name.first == UInt8(ascii: "/") || name.first == UInt8(ascii: "@")
        else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // An abstract name begins with a 0 byte, and ends with the address.
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard name.count < room else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: name)
            if path[0] == UInt8(ascii: "@") { path[0] = 0 }
        }
        self.address = address
        let isPath = name.first == UInt8(ascii: "/")
        length = socklen_t(
            MemoryLayout<sockaddr_un>.size - room + name.count + (isPath ? 1 : 0))
        let isOurs = environment["WATCHDOG_PID"].map { Int32($0) == getpid() } ?? true
        let interval = environment["WATCHDOG_USEC"].flatMap(Int64.init) ?? 0
        watchdog = isOurs && interval > 0 ? .microseconds(interval) : nil
    }

    /// Sends lines. A manager that takes none for the time of `patience` misses them.
    func send(_ lines: String..., patience: Duration = .milliseconds(100)) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let (seconds, attoseconds) = patience.components
        var time = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        let message = Array(lines.joined(separator: "\n").utf8)
        withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(
                    descriptor, message, message.count, Int32(MSG_NOSIGNAL), address, length)
            }
        }
    }
}

/// The phases of a gateway, for the service manager.
extension ServiceManager {
    /// All listeners accept, or a reload is over.
    ///
    /// - Parameters:
    ///   - generation: the number of the configuration in use; nil without a file.
    ///   - isRefused: whether the last reload was refused.
    func ready(generation: Int?, isRefused: Bool = false) {
        var status = "ready"
        if let generation { status += ", generation \(generation)" }
        if isRefused { status += ", the last reload was refused" }
        // Without it the manager would end the process at its limit of the start. No loop waits for it.
        send("READY=1", "STATUS=\(status)", patience: .seconds(5))
    }

    func reloading() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
        send("RELOADING=1", "MONOTONIC_USEC=\(microseconds)", "STATUS=reloading")
    }

    func stopping() { send("STOPPING=1", "STATUS=draining") }
}
