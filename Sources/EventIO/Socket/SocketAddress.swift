import Glibc

/// The address of a socket: IPv4, IPv6 or a Unix path.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    enum Form: Hashable, Sendable {
        case ipv4(address: UInt32, port: UInt16)
        case ipv6(high: UInt64, low: UInt64, scope: UInt32, port: UInt16)
        case unix(path: String)
    }

    let form: Form

    init(_ form: Form) {
        self.form = form
    }

    /// Parses a numeric host, such as `127.0.0.1`, `[::1]`, `::1` or `fe80::1%eth0`; nil for anything else.
    public init?(host: String, port: Int) {
        guard let port = UInt16(exactly: port) else { return nil }
        var text = Substring(host)
        if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
        var ipv4 = in_addr()
        if text.count == host.count, inet_pton(AF_INET, host, &ipv4) == 1 {
            self.init(.ipv4(address: UInt32(bigEndian: ipv4.s_addr), port: port))
            return
        }
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        var scope: UInt32 = 0
        if parts.count == 2 {
            scope = UInt32(parts[1]) ?? if_nametoindex(String(parts[1]))
            guard scope != 0 else { return nil }
        }
        var ipv6 = in6_addr()
        guard let digits = parts.first, inet_pton(AF_INET6, String(digits), &ipv6) == 1 else { return nil }
        self.init(ipv6, scope: scope, port: port)
    }

    /// - Throws: `.badAddress` when the path is empty, contains a NUL, or is longer than 107 bytes (unix(7)).
    public init(unixPath path: String) throws(SocketError) {
        guard !path.isEmpty, path.utf8.count <= 107, !path.utf8.contains(0) else {
            throw SocketError(.badAddress, .address, subject: path)
        }
        form = .unix(path: path)
    }

    /// Returns 127.0.0.1 with this port. Port 0 lets the system choose one.
    public static func loopback(port: Int = 0) -> SocketAddress {
        SocketAddress(.ipv4(address: 0x7f00_0001, port: UInt16(truncatingIfNeeded: port)))
    }

    /// Creates an IP address without a port from its 32 or 128 bits.
    package init(bits: UInt128, isIPv4: Bool) {
        if isIPv4 {
            form = .ipv4(address: UInt32(truncatingIfNeeded: bits), port: 0)
        } else {
            form = .ipv6(
                high: UInt64(truncatingIfNeeded: bits >> 64), low: UInt64(truncatingIfNeeded: bits), scope: 0,
                port: 0)
        }
    }

    /// The 32 or 128 bits of an IP address; nil on a Unix socket.
    package var bits: (number: UInt128, isIPv4: Bool)? {
        switch form {
        case .ipv4(let address, _): (UInt128(address), true)
        case .ipv6(let high, let low, _, _): (UInt128(high) << 64 | UInt128(low), false)
        case .unix: nil
        }
    }

    init(_ address: in6_addr, scope: UInt32, port: UInt16) {
        let (high, low) = withUnsafeBytes(of: address) {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        form = .ipv6(
            high: UInt64(bigEndian: high), low: UInt64(bigEndian: low), scope: scope, port: port)
    }

    /// The port; nil for a Unix socket.
    public var port: Int? {
        switch form {
        case .ipv4(_, let port), .ipv6(_, _, _, let port): Int(port)
        case .unix: nil
        }
    }

    /// Returns the address with another port. A Unix socket stays as it is.
    public func with(port: Int) -> SocketAddress {
        let port = UInt16(truncatingIfNeeded: port)
        switch form {
        case .ipv4(let address, _): return SocketAddress(.ipv4(address: address, port: port))
        case .ipv6(let high, let low, let scope, _):
            return SocketAddress(.ipv6(high: high, low: low, scope: scope, port: port))
        case .unix: return self
        }
    }

    /// Whether it is the path of a Unix socket.
    public var isUnix: Bool {
        if case .unix = form { true } else { false }
    }

    /// Whether it is an IPv6 address.
    public var isIPv6: Bool {
        if case .ipv6 = form { true } else { false }
    }

    /// Whether it is a loopback address, also one mapped to IPv6.
    public var isLoopback: Bool {
        switch form {
        case .ipv4(let address, _): address >> 24 == 127
        // ::1, and 127.0.0.0/8 mapped to IPv6 (RFC 4291 2.5.5.2).
        case .ipv6(let high, let low, _, _): high == 0 && (low == 1 || low >> 24 == 0xffff_7f)
        case .unix: true
        }
    }

    /// Whether a TCP connection can be made to the address: neither unspecified nor broadcast nor multicast.
    /// Linux would connect 0.0.0.0 and :: to this host.
    var isDestination: Bool {
        switch form {
        case .ipv4(let address, _): Self.isDestination(address)
        case .ipv6(0, let low, _, _) where low >> 32 == 0xffff:
            Self.isDestination(UInt32(truncatingIfNeeded: low))
        case .ipv6(let high, let low, _, _): high >> 56 != 0xff && (high, low) != (0, 0)
        case .unix: true
        }
    }

    /// 0.0.0.0/8 (RFC 6890), 224.0.0.0/4 and 255.255.255.255 are not.
    private static func isDestination(_ ipv4: UInt32) -> Bool {
        ipv4 >> 24 != 0 && ipv4 >> 28 != 0xe && ipv4 != .max
    }

    /// The address without the port: `127.0.0.1`, `::1`, or the path.
    public var host: String {
        switch form {
        case .ipv4(let address, _):
            return "\(address >> 24).\(address >> 16 & 255).\(address >> 8 & 255).\(address & 255)"
        case .ipv6(_, _, let scope, _):
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            withUnsafeSockaddr { pointer, _ in
                _ = pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                    withUnsafePointer(to: pointer.pointee.sin6_addr) {
                        inet_ntop(AF_INET6, $0, &text, socklen_t(INET6_ADDRSTRLEN))
                    }
                }
            }
            let digits = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            return scope == 0 ? digits : "\(digits)%\(scope)"
        case .unix(let path): return path
        }
    }

    /// `127.0.0.1:80`, `[::1]:80`, `unix:/run/sluice.sock`.
    public var description: String {
        switch form {
        case .ipv4(_, let port): "\(host):\(port)"
        case .ipv6(_, _, _, let port): "[\(host)]:\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    // MARK: The kernel's form

    var family: Int32 {
        switch form {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        case .unix: AF_UNIX
        }
    }

    /// Calls `body` with the address as a `sockaddr`, valid during the call.
    func withUnsafeSockaddr<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Result
    ) rethrows -> Result {
        var storage = sockaddr_storage()
        let size: Int
        switch form {
        case .ipv4(let address, let port):
            var ipv4 = sockaddr_in()
            ipv4.sin_family = sa_family_t(AF_INET)
            ipv4.sin_port = port.bigEndian
            ipv4.sin_addr.s_addr = address.bigEndian
            size = MemoryLayout<sockaddr_in>.size
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: ipv4, as: sockaddr_in.self) }
        case .ipv6(let high, let low, let scope, let port):
            var ipv6 = sockaddr_in6()
            ipv6.sin6_family = sa_family_t(AF_INET6)
            ipv6.sin6_port = port.bigEndian
            ipv6.sin6_scope_id = scope
            withUnsafeMutableBytes(of: &ipv6.sin6_addr) {
                $0.storeBytes(of: high.bigEndian, as: UInt64.self)
                $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            size = MemoryLayout<sockaddr_in6>.size
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: ipv6, as: sockaddr_in6.self) }
        case .unix(let path):
            storage.ss_family = sa_family_t(AF_UNIX)
            let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
            withUnsafeMutableBytes(of: &storage) { bytes in
                UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]).copyBytes(from: path.utf8)
            }
            size = offset + path.utf8.count + 1
        }
        return try withUnsafePointer(to: &storage) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try body($0, socklen_t(size))
            }
        }
    }

    /// Reads a `sockaddr`; nil for another family.
    init?(_ pointer: UnsafePointer<sockaddr>, length: socklen_t) {
        let bytes = UnsafeRawBufferPointer(start: pointer, count: Int(length))
        switch Int32(pointer.pointee.sa_family) {
        case AF_INET where bytes.count >= MemoryLayout<sockaddr_in>.size:
            let ipv4 = bytes.loadUnaligned(as: sockaddr_in.self)
            let port = UInt16(bigEndian: ipv4.sin_port)
            self.init(.ipv4(address: UInt32(bigEndian: ipv4.sin_addr.s_addr), port: port))
        case AF_INET6 where bytes.count >= MemoryLayout<sockaddr_in6>.size:
            let ipv6 = bytes.loadUnaligned(as: sockaddr_in6.self)
            self.init(ipv6.sin6_addr, scope: ipv6.sin6_scope_id, port: UInt16(bigEndian: ipv6.sin6_port))
        case AF_UNIX:
            let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
            let path = String(decoding: bytes.dropFirst(offset).prefix { $0 != 0 }, as: UTF8.self)
            self.init(.unix(path: path))
        default: return nil
        }
    }
}
