import Foundation
import Glibc

/// A name server on UDP that knows no name. (Where nothing listens, the kernel refuses at most 1000 datagrams
/// a second.)
final class EmptyNameServer: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init() {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.descriptor = descriptor
        port = CrowdUpstreams.bindFreePort(descriptor, at: INADDR_LOOPBACK)
        // Queries of a crowd come at once.
        var room: Int32 = 1 << 20
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        Thread.detachNewThread { Self.answer(descriptor) }
    }

    /// Ends the thread, which closes the socket.
    func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private static func answer(_ descriptor: Int32) {
        defer { close(descriptor) }
        var query = [UInt8](repeating: 0, count: 512)
        var client = sockaddr_storage()
        while true {
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let length = withUnsafeMutablePointer(to: &client) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(descriptor, &query, query.count, 0, $0, &size)
                }
            }
            guard length >= 12 else { return }
            // A response with the code NXDOMAIN (RFC 1035 4.1.1), and the question alone.
            query[2] |= 0x80
            query[3] = 0x83
            for index in 6..<12 { query[index] = 0 }
            _ = withUnsafePointer(to: &client) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(descriptor, query, length, 0, $0, size)
                }
            }
        }
    }
}
