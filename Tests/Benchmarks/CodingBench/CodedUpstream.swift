import Foundation
import Glibc

/// Answers `GET /coding` with the body in that coding. Each connection has its thread.
final class CodedUpstream: Sendable {
    let port: UInt16
    private let listener: Int32

    init(_ bodies: [CodedBody]) {
        var responses: [String: [UInt8]] = [:]
        for body in bodies { responses[body.coding] = body.response }
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listener, address, length) == 0, listen(listener, 16) == 0 else { return }
                getsockname(listener, address, &length)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [responses] in
            while case let peer = accept(listener, nil, nil), peer >= 0 {
                var one: Int32 = 1
                setsockopt(peer, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
                Thread.detachNewThread { Self.serve(peer, responses) }
            }
            close(listener)
        }
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// A request without a body arrives in one piece.
    private static func serve(_ peer: Int32, _ responses: [String: [UInt8]]) {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while case let count = read(peer, &chunk, chunk.count), count > 0 {
            let line = chunk[..<count].prefix { $0 != UInt8(ascii: "\r") }
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard words.count == 3, let response = responses[String(words[1].dropFirst())] else { break }
            guard write(peer, response, response.count) == response.count else { break }
        }
        close(peer)
    }
}
