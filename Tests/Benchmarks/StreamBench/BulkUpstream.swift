import Foundation
import Glibc

/// Answers `GET /n` with n bytes, and a PUT with an empty body once it has read the request.
enum BulkUpstream {
    static func start() -> UInt16 {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listener, address, length) == 0, listen(listener, 16) == 0 else { return }
                getsockname(listener, address, &length)
            }
        }
        Thread.detachNewThread {
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
            while true {
                let descriptor = accept(listener, nil, nil)
                while answer(descriptor, room) {}
                close(descriptor)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Serves one request. Returns false when the connection ends.
    private static func answer(_ descriptor: Int32, _ room: UnsafeMutableRawBufferPointer) -> Bool {
        var head: [UInt8] = []
        var rest = 0
        while true {
            let count = read(descriptor, room.baseAddress, room.count)
            guard count > 0 else { return false }
            head += room[..<count]
            let text = String(decoding: head, as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n") else { continue }
            rest = head.count - text[..<end.upperBound].utf8.count
            break
        }
        let lines = String(decoding: head.prefix(head.count - rest), as: UTF8.self).components(
            separatedBy: "\r\n")
        let target = lines[0].split(separator: " ")[1].dropFirst()
        if lines[0].hasPrefix("GET") { return send(Int(target) ?? 0, descriptor, room) }
        let field = lines.first { $0.hasPrefix("Content-Length: ") }
        var left = (field.flatMap { Int($0.dropFirst(16)) } ?? 0) - rest
        while left > 0 {
            let count = read(descriptor, room.baseAddress, room.count)
            guard count > 0 else { return false }
            left -= count
        }
        return send(0, descriptor, room)
    }

    private static func send(_ count: Int, _ descriptor: Int32, _ room: UnsafeMutableRawBufferPointer) -> Bool
    {
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n".utf8)
        guard write(descriptor, head, head.count) == head.count else { return false }
        var left = count
        while left > 0 {
            let sent = write(descriptor, room.baseAddress, min(left, room.count))
            guard sent > 0 else { return false }
            left -= sent
        }
        return true
    }
}
