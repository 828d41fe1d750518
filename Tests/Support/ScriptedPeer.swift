import Foundation
import Glibc

/// One connection, served by a blocking thread.
struct ScriptedPeer {
    let descriptor: Int32
    var hasEnded = false
    var endsPolitely = false
    var tls: TLSServerConnection?
    private var buffered: [UInt8] = []

    init(descriptor: Int32) { self.descriptor = descriptor }

    mutating func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 16_384)
        let count = receive(&chunk)
        guard count > 0 else {
            hasEnded = true
            return false
        }
        buffered += chunk[..<count]
        return true
    }

    private func receive(_ chunk: inout [UInt8]) -> Int {
        if let tls { return tls.read(&chunk) }
        var count = Glibc.recv(descriptor, &chunk, chunk.count, 0)
        while count < 0 && errno == EINTR { count = Glibc.recv(descriptor, &chunk, chunk.count, 0) }
        return count
    }

    mutating func read(_ count: Int) -> [UInt8]? {
        while buffered.count < count { guard fill() else { return nil } }
        let bytes = Array(buffered[..<count])
        buffered.removeFirst(count)
        return bytes
    }

    mutating func readHead() -> String? {
        let end = Array("\r\n\r\n".utf8)
        var headLength = buffered.firstRange(of: end)?.upperBound
        while headLength == nil {
            guard fill() else { return nil }
            headLength = buffered.firstRange(of: end)?.upperBound
        }
        return read(headLength ?? 0).map { String(decoding: $0, as: UTF8.self) }
    }

    mutating func readRequest() -> String? {
        guard let head = readHead() else { return nil }
        var bodyLength = 0
        for line in head.lowercased().split(separator: "\r\n") where line.hasPrefix("content-length:") {
            bodyLength = Int(line.dropFirst(15).trimmingCharacters(in: .whitespaces)) ?? 0
        }
        return read(bodyLength).map { head + String(decoding: $0, as: UTF8.self) }
    }

    mutating func send(_ bytes: [UInt8]) -> Bool {
        if let tls {
            guard !tls.write(bytes) else { return true }
            hasEnded = true
            return false
        }
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                hasEnded = true
                return false
            }
            sent += count
        }
        return true
    }

    /// Whether the client stays connected and sends nothing for this long.
    func isSilent(for milliseconds: Int32) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, milliseconds) == 0
    }
}
