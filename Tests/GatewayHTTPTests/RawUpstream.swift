import Foundation
import Glibc

/// An upstream on a raw loopback socket, which may break the rules of HTTP.
final class RawUpstream: Sendable {
    let url: String
    private let descriptors: [Int32]

    private init(_ port: UInt16, _ descriptors: [Int32]) {
        url = "http://127.0.0.1:\(port)"
        self.descriptors = descriptors
    }

    /// Listens with a full backlog, so that a connect gets no answer.
    static func blackHole() throws -> RawUpstream {
        let (listener, port) = try listen(backlog: 0)
        let clients = (0..<4).map { _ in
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            var address = loopback(port)
            _ = withSocketAddress(&address) { connect(client, $0, $1) }
            return client
        }
        return RawUpstream(port, [listener] + clients)
    }

    /// Sends this to the first client, then nothing until the client leaves.
    static func saying(_ text: String) throws -> RawUpstream {
        let (listener, port) = try listen(backlog: 16)
        Thread.detachNewThread {
            let peer = accept(listener, nil, nil)
            guard peer >= 0 else { return }
            let bytes = Array(text.utf8)
            var scratch = [UInt8](repeating: 0, count: 4096)
            // Waits for the request: bytes before it would not be a response.
            _ = recv(peer, &scratch, scratch.count, 0)
            _ = send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            while recv(peer, &scratch, scratch.count, 0) > 0 {}
            close(peer)
        }
        return RawUpstream(port, [listener])
    }

    /// Closes the first `count` connections once each has sent something. Holds later connections open and
    /// calls `held` for each.
    static func ending(first count: Int, held: @escaping @Sendable () -> Void) throws -> RawUpstream {
        let (listener, port) = try listen(backlog: 64)
        Thread.detachNewThread {
            var byte: UInt8 = 0
            var first: [Int32] = []
            while first.count < count {
                let peer = accept(listener, nil, nil)
                guard peer >= 0 else { break }
                first.append(peer)
            }
            for peer in first { _ = recv(peer, &byte, 1, 0) }
            for peer in first { shutdown(peer, Int32(SHUT_RDWR)) }
            for peer in first { close(peer) }
            var kept: [Int32] = []
            while true {
                let peer = accept(listener, nil, nil)
                guard peer >= 0 else { break }
                kept.append(peer)
                held()
            }
            for peer in kept { close(peer) }
        }
        return RawUpstream(port, [listener])
    }

    deinit {
        for descriptor in descriptors {
            // Wakes the thread that waits in accept.
            shutdown(descriptor, Int32(SHUT_RDWR))
            close(descriptor)
        }
    }

    private static func listen(backlog: Int32) throws -> (Int32, UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(0)
        let isListening = withSocketAddress(&address) { address, count in
            var count = count
            return bind(descriptor, address, count) == 0 && Glibc.listen(descriptor, backlog) == 0
                && getsockname(descriptor, address, &count) == 0
        }
        guard isListening else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    private static func withSocketAddress<Result>(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
