import CAres
import Glibc

/// The socket functions of c-ares' channels. They ignore datagrams that are not responses, and break a TCP
/// connection that brings such a message: c-ares 1.18 does not look at the QR bit, and would take a query
/// that comes back for an answer without addresses.
enum AnswerSockets {
    /// The TCP connections of a channel by descriptor. The functions' context is a pointer to them.
    typealias Streams = [Int32: AnswerStream]

    static var functions: ares_socket_functions {
        ares_socket_functions(
            asocket: { family, type, number, _ in
                socket(family, type | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), number)
            },
            aclose: { descriptor, context in
                context?.assumingMemoryBound(to: Streams.self).pointee[descriptor] = nil
                return close(descriptor)
            },
            aconnect: { descriptor, address, length, _ in connect(descriptor, address, length) },
            arecvfrom: { descriptor, buffer, size, flags, source, length, context in
                guard source == nil else {
                    return receiveDatagram(descriptor, buffer, size, flags, source, length)
                }
                let count = recv(descriptor, buffer, size, flags)
                guard count > 0, let streams = context?.assumingMemoryBound(to: Streams.self) else {
                    return count
                }
                let bytes = UnsafeRawBufferPointer(start: buffer, count: count)
                if streams.pointee[descriptor, default: AnswerStream()].received(bytes) { return count }
                errno = EBADMSG
                return -1
            },
            asendv: { descriptor, parts, count, _ in
                var message = msghdr()
                // Not changed by `sendmsg`.
                message.msg_iov = UnsafeMutablePointer(mutating: parts)
                message.msg_iovlen = Int(count)
                return sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
            })
    }
}

/// The position of the byte with the QR bit, which is its highest (RFC 1035 4.1.1).
private let flagsPosition = 2
/// How many datagrams a call ignores. The socket stays readable if there are more, so that others get their
/// turn.
private let mostIgnored = 64

/// Finds the messages in the bytes of a TCP connection: each follows its length of two bytes (RFC
/// 1035 4.2.2).
struct AnswerStream {
    /// Of the next byte in its message. Negative for the length.
    private var position = -2
    private var length = 0

    /// Returns false if a message is not marked as a response.
    mutating func received(_ bytes: UnsafeRawBufferPointer) -> Bool {
        for byte in bytes {
            if position < 0 {
                length = (length << 8 | Int(byte)) & 0xffff
            } else if position == flagsPosition, byte & 0x80 == 0 {
                return false
            }
            position += 1
            if position >= 0, position == length { (position, length) = (-2, 0) }
        }
        return true
    }
}

private func receiveDatagram(
    _ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ size: Int, _ flags: Int32,
    _ source: UnsafeMutablePointer<sockaddr>?, _ length: UnsafeMutablePointer<socklen_t>?
) -> Int {
    let space = length?.pointee ?? 0
    for _ in 0..<mostIgnored {
        length?.pointee = space
        let count = recvfrom(descriptor, buffer, size, flags, source, length)
        guard count > flagsPosition, let buffer else { return count }
        if buffer.load(fromByteOffset: flagsPosition, as: UInt8.self) & 0x80 != 0 { return count }
    }
    errno = EAGAIN
    return -1
}
