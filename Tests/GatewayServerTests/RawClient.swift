import Foundation
import Glibc

/// A blocking client that shows what is on the wire. Reading gives up after five seconds.
final class RawClient {
    struct Response {
        let status: Int
        let head: String
        let body: String

        func field(_ name: String) -> String? {
            for line in head.split(separator: "\r\n").dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                if parts[0].lowercased() == name.lowercased() {
                    return parts[1].trimmingCharacters(in: .whitespaces)
                }
            }
            return nil
        }
    }

    struct Refused: Error {}

    private let descriptor: Int32
    private var isOpen = true
    private var buffered: [UInt8] = []

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            Glibc.close(descriptor)
            throw Refused()
        }
        var timeout = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close() }

    /// Ends the connection: by FIN, or by RST where bytes were not read.
    func close() {
        guard isOpen else { return }
        isOpen = false
        Glibc.close(descriptor)
    }

    /// Ends the connection by RST.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        close()
    }

    /// Whether an answer began to come and did not come to its end.
    var hasPartOfAnAnswer: Bool { !buffered.isEmpty }

    /// Ends its side.
    func shutdownWrite() {
        Glibc.shutdown(descriptor, Int32(SHUT_WR))
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    func get(_ target: String) -> Response? {
        send("GET \(target) HTTP/1.1\r\nHost: test\r\n\r\n")
        return receive()
    }

    /// The next response, which has a Content-Length; nil where the connection ends before.
    func receive() -> Response? {
        var headEnd: Int?
        while headEnd == nil {
            headEnd = buffered.firstRange(of: Array("\r\n\r\n".utf8))?.lowerBound
            if headEnd == nil, !fill() { return nil }
        }
        guard let headEnd else { return nil }
        let head = String(decoding: buffered[..<headEnd], as: UTF8.self)
        let statusLine = head.split(separator: " ")
        let bare = Response(status: Int(statusLine[1]) ?? 0, head: head, body: "")
        let length = bare.field("Content-Length").flatMap(Int.init) ?? 0
        while buffered.count < headEnd + 4 + length { if !fill() { return nil } }
        let body = String(decoding: buffered[(headEnd + 4)..<(headEnd + 4 + length)], as: UTF8.self)
        buffered.removeFirst(headEnd + 4 + length)
        return Response(status: bare.status, head: head, body: body)
    }

    /// Whether the other end closes, with nothing more to read.
    func reachesEnd() -> Bool {
        guard buffered.isEmpty else { return false }
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, 0) == 0
    }

    private func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        buffered += chunk[..<count]
        return true
    }
}
