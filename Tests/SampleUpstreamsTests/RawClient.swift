import Glibc
import JSONBytes

/// A connection that writes and reads bytes, blocking, at most ten seconds each time.
final class RawClient {
    private let descriptor: Int32

    struct Failure: Error {
        let code: Int32
    }

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw Failure(code: errno) }
    }

    deinit { Glibc.close(descriptor) }

    func write(_ text: String) throws {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(code: errno) }
            sent += count
        }
    }

    /// What one read gives; empty at the end of the stream.
    func read() throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { throw Failure(code: errno) }
        return Array(buffer[..<count])
    }

    func readToEnd() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let piece = try read()
            guard !piece.isEmpty else { return bytes }
            bytes += piece
        }
    }
}

/// An answer, read by somebody who trusts nothing but the blank line.
struct RawAnswerText {
    let status: Int?
    let head: String
    let body: [UInt8]

    init(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        head = String(parts[0])
        body = parts.count > 1 ? Array(parts[1].utf8) : []
        let words = head.split(separator: " ")
        status = words.count > 1 && words[0] == "HTTP/1.1" ? Int(words[1]) : nil
    }

    func field(_ name: String) -> String? {
        for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix(name.lowercased() + ": ")
        {
            return String(line.dropFirst(name.count + 2))
        }
        return nil
    }

    var json: JSONFragment? { try? JSONFragment(validating: body[...]) }
    var text: String { String(decoding: body, as: UTF8.self) }
}
