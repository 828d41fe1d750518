import CAres
import Glibc

/// The socket functions of c-ares' channels. They ignore datagrams that are not responses: c-ares 1.18 does not look
/// at the QR bit, and would take a query that comes back for an answer without addresses.
enum AnswerSockets {
    static var functions: ares_socket_functions {
        ares_socket_functions(
            asocket: { family, type, number, _ in
                socket(family, type | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), number)
            },
            aclose: { descriptor, _ in close(descriptor) },
            aconnect: { descriptor, address, length, _ in connect(descriptor, address, length) },
            arecvfrom: { descriptor, buffer, size, flags, source, length, _ in
                receiveAnswer(descriptor, buffer, size, flags, source, length)
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
/// How many datagrams a call ignores. The socket stays readable if there are more, so that others get their turn.
private let mostIgnored = 64

private func receiveAnswer(
    _ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ size: Int, _ flags: Int32,
    _ source: UnsafeMutablePointer<sockaddr>?, _ length: UnsafeMutablePointer<socklen_t>?
) -> Int {
    let space = length?.pointee ?? 0
    for _ in 0..<mostIgnored {
        length?.pointee = space
        let count = recvfrom(descriptor, buffer, size, flags, source, length)
        // c-ares asks for the source of datagrams only. A TCP connection leads to the server itself.
        guard source != nil, count > flagsPosition, let buffer else { return count }
        if buffer.load(fromByteOffset: flagsPosition, as: UInt8.self) & 0x80 != 0 { return count }
    }
    errno = EAGAIN
    return -1
}
