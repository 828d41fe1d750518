import Glibc

/// A blocking client that sends and reads raw bytes, plain or over TLS. Every read has a deadline, so that a
/// test ends even if the server is silent.
package final class RawClient {
    package enum End: Equatable {
        case fin
        case reset
        /// Nothing arrived before the deadline.
        case silence
    }

    package struct Reply: CustomStringConvertible {
        package var status: Int
        package var head: String
        package var body: [UInt8]
        package var text: String { String(decoding: body, as: UTF8.self) }
        package var description: String { head + "\r\n\r\n" + text }

        /// The values of a field, in order.
        package func values(_ name: String) -> [String] {
            head.split(separator: "\r\n").dropFirst().compactMap { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { return nil }
                return String(parts[1].drop { $0 == " " })
            }
        }

        package func value(_ name: String) -> String? { values(name).first }
    }

    package struct Broken: Error, CustomStringConvertible {
        package var description: String
    }

    private var descriptor: Int32
    package private(set) var unread: [UInt8] = []
    private var isWithinReply = false
    /// Nil on a plain connection.
    package private(set) var tls: TLSClientConnection?
    private var isSecured = false
    private var patience: Int32 = 200
    private var hasBegunHandshake = false
    /// Bytes that wait for the end of the handshake.
    private var early: [UInt8] = []
    /// Encrypted bytes that the server has not taken.
    private var unsent: [UInt8] = []

    /// - Parameters:
    ///   - port: A port of 127.0.0.1.
    ///   - segment: The maximum segment size. On loopback it is 64 KiB, and the client acknowledges as many
    ///     bytes at a time.
    ///   - host: The last byte of the client's own address, 127.0.0.1 to 127.0.0.254.
    ///   - tls: Performs a handshake before the first bytes. Default nil: plain.
    ///   - patience: For how many milliseconds it waits for the handshake, here and before it sends, if the
    ///     server is busy or has no room. Bytes then wait until the client reads.
    package convenience init(
        port: Int, receiveBuffer: Int32? = nil, segment: Int32? = nil, host: UInt8 = 1, tls: TLSClient?,
        patience: Int32 = 200
    ) throws {
        try self.init(port: port, receiveBuffer: receiveBuffer, segment: segment, host: host)
        self.tls = tls.map(TLSClientConnection.init)
        self.patience = patience
        if patience > 0 { _ = secure(within: patience) }
    }

    package init(
        port: Int, receiveBuffer: Int32? = nil, segment: Int32? = nil, host: UInt8 = 1
    ) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4)
        }
        if var segment { setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, &segment, 4) }
        var timeout = timeval(tv_sec: Int(Patience.limit.components.seconds), tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound =
            host == 1 || Self.withLoopback(host: host, port: 0) { bind(descriptor, $0, size) } == 0
        guard isBound, Self.withLoopback(host: 1, port: port, { connect(descriptor, $0, size) }) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            descriptor = -1
            throw Broken(description: "connect: errno \(code)")
        }
    }

    private static func withLoopback(
        host: UInt8, port: Int, _ body: (UnsafePointer<sockaddr>) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = (UInt32(0x7f00_0000) | UInt32(host)).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }

    deinit {
        close()
    }

    /// Encrypts everything that follows. Performs the handshake.
    package func startTLS(_ client: TLSClient = .usual) throws {
        tls = TLSClientConnection(client)
        if let end = secure(within: Int32(Patience.limit / .milliseconds(1))) {
            throw Broken(description: "TLS: \(end) \(tls?.failure ?? "")")
        }
    }

    /// Goes on with the handshake, if there is one, for at most this long. Sends what was to be sent behind
    /// it. Returns the end of the connection, or `silence` if the handshake is not done yet.
    private func secure(within milliseconds: Int32) -> End? {
        guard let tls, !isSecured else { return nil }
        hasBegunHandshake = true
        while true {
            let step = tls.handshake()
            guard flush(flags: 0) else { return .reset }
            switch step {
            case .done:
                isSecured = true
                let bytes = early
                early = []
                return bytes.isEmpty || send(bytes) ? nil : .reset
            case .failed: return .reset
            case .needsInput: break
            }
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&poll, 1, milliseconds) == 1 else { return .silence }
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? .fin : .reset }
            tls.feed(chunk[..<count])
        }
    }

    /// Sends encrypted bytes; false if the server does not accept them.
    private func flush(flags: Int32) -> Bool {
        if let tls { unsent += tls.takeOutput() }
        while !unsent.isEmpty {
            let sent = unsent.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | flags)
            }
            if sent < 0, errno == EINTR { continue }
            guard sent > 0 else { return false }
            unsent.removeFirst(sent)
        }
        return true
    }

    package func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Resets the connection (RST).
    package func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// Half-closes the connection (FIN).
    package func shutdownWrite() {
        if let tls, isSecured {
            tls.sayGoodbye()
            _ = flush(flags: 0)
        }
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Half-closes a connection over TLS without close_notify, as an attacker could.
    package func finishWithoutGoodbye() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Sends what TLS has written by itself, such as key updates; false if the server does not accept it.
    @discardableResult
    package func sendHeld() -> Bool { flush(flags: 0) }

    /// Whether the peer resets the connection within this time, scaled for sanitizers. Reads nothing.
    package func isReset(within milliseconds: Int32) -> Bool {
        var poll = pollfd(fd: descriptor, events: 0, revents: 0)
        return Glibc.poll(&poll, 1, milliseconds * Int32(Sanitizer.slowdown)) == 1
            && poll.revents & Int16(POLLERR) != 0
    }

    /// Sends all bytes; false if the server does not accept them.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        if let tls {
            // A server that is busy, or has no room, does not hold up the test.
            if let end = secure(within: patience) {
                early += bytes
                return end == .silence
            }
            var rest = bytes[...]
            while !rest.isEmpty {
                guard tls.write(rest.prefix(16_384)), flush(flags: 0) else { return false }
                rest = rest.dropFirst(16_384)
            }
            return true
        }
        var offset = 0
        while offset < bytes.count {
            let sent = bytes.withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress.map { $0 + offset }, bytes.count - offset, Int32(MSG_NOSIGNAL))
            }
            // Interrupted by a signal: try again.
            if sent < 0, errno == EINTR { continue }
            guard sent > 0 else { return false }
            offset += sent
        }
        return true
    }

    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends bytes until the peer has taken none for this long, scaled for sanitizers. Returns how many were
    /// sent.
    package func sendUntilBlocked(_ bytes: [UInt8], for milliseconds: Int32) -> Int {
        var offset = 0
        while offset < bytes.count {
            let sent = sendSome(bytes[offset...])
            if sent > 0 {
                offset += sent
                continue
            }
            guard errno == EAGAIN || errno == EINTR else { return offset }
            var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard Glibc.poll(&poll, 1, milliseconds * Int32(Sanitizer.slowdown)) == 1 else { return offset }
        }
        return offset
    }

    /// Sends without waiting. Returns how many bytes were sent, or -1 with `errno`. Of a record that is sent
    /// in part, the rest waits and counts as sent.
    private func sendSome(_ bytes: ArraySlice<UInt8>) -> Int {
        guard let tls else {
            return bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
        }
        guard secure(within: patience) == nil, flush(flags: Int32(MSG_DONTWAIT)) else { return -1 }
        let record = bytes.prefix(16_384)
        guard tls.write(record) else { return -1 }
        _ = flush(flags: Int32(MSG_DONTWAIT))
        return record.count
    }

    private func receiveSome() -> End? {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        if hasBegunHandshake, let end = secure(within: Int32(Patience.limit / .milliseconds(1))) {
            return end
        }
        while true {
            var count = 0
            repeat { count = recv(descriptor, &chunk, chunk.count, 0) } while count < 0 && errno == EINTR
            guard count > 0 else { return end(count) }
            guard let tls else {
                unread += chunk[..<count]
                return nil
            }
            tls.feed(chunk[..<count])
            let (bytes, then, isOver) = tls.read()
            unread += bytes
            hasHeardGoodbye = isOver
            if then == .failed, !isOver { return .reset }
            if !bytes.isEmpty { return nil }
        }
    }

    /// Whether the server has sent close_notify.
    private var hasHeardGoodbye = false

    private func end(_ count: Int) -> End {
        // Without close_notify the answer may have been cut.
        if count == 0 { return !isSecured || hasHeardGoodbye ? .fin : .reset }
        return errno == EAGAIN ? .silence : .reset
    }

    /// Reads until the connection ends; returns the bytes and how it ended.
    package func readToEnd() -> (bytes: [UInt8], end: End) {
        while true {
            if let end = receiveSome() {
                defer { unread = [] }
                return (unread, end)
            }
        }
    }

    /// Reads until and including these bytes.
    package func read(through marker: String) throws -> String {
        let marker = Array(marker.utf8)
        while true {
            if let range = unread.firstRange(of: marker) {
                defer { unread.removeSubrange(..<range.upperBound) }
                return String(decoding: unread[..<range.upperBound], as: UTF8.self)
            }
            if let end = receiveSome() {
                throw Broken(
                    description: "\(end) instead of \(String(decoding: marker, as: UTF8.self)), after "
                        + String(decoding: unread, as: UTF8.self))
            }
        }
    }

    package func read(count: Int) throws -> [UInt8] {
        while unread.count < count {
            if let end = receiveSome() {
                throw Broken(description: "\(end) after \(unread.count) of \(count) bytes")
            }
        }
        defer { unread.removeFirst(count) }
        return Array(unread[..<count])
    }

    /// Reads a complete response, framed by Content-Length, by chunks, or by the end of the connection.
    package func reply(toHead: Bool = false) throws -> Reply {
        let head = String(try read(through: "\r\n\r\n").dropLast(2))
        isWithinReply = true
        let lines = head.split(separator: "\r\n")
        guard let first = lines.first, first.hasPrefix("HTTP/1.1 "),
            let status = Int(first.dropFirst(9).prefix(3))
        else { throw Broken(description: "no status line in \(head)") }
        var reply = Reply(status: status, head: head, body: [])
        if toHead || status < 200 || status == 204 || status == 304 {
            isWithinReply = false
            return reply
        }
        if let length = reply.value("Content-Length").flatMap({ Int($0) }) {
            reply.body = try read(count: length)
        } else if reply.value("Transfer-Encoding") == "chunked" {
            while true {
                let size = Int(try read(through: "\r\n").dropLast(1), radix: 16) ?? -1
                guard size >= 0 else { throw Broken(description: "no chunk size") }
                reply.body += try read(count: size)
                guard try read(count: 2) == [13, 10] else {
                    throw Broken(description: "no CRLF after a chunk")
                }
                if size == 0 { break }
            }
        } else {
            reply.body = readToEnd().bytes
        }
        isWithinReply = false
        return reply
    }

    /// Reads the next response; nil if the connection ends before it is complete.
    package func receive() -> Reply? { try? reply() }

    package func get(_ target: String) -> Reply? {
        send("GET \(target) HTTP/1.1\r\nHost: test\r\n\r\n")
        return receive()
    }

    /// Sends JSON.
    package func post(_ target: String, body: String) -> Reply? {
        send(
            "POST \(target) HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return receive()
    }

    /// Whether a response began but did not complete.
    package var hasPartOfAnAnswer: Bool { isWithinReply || !unread.isEmpty }

    /// Whether the peer ends the connection with FIN and sends no further bytes.
    package func reachesEnd() -> Bool { unread.isEmpty && receiveSome() == .fin }

    /// Waits this long for the connection to end; nil if bytes arrive first, which are kept.
    package func end(within milliseconds: Int32) -> End? {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, milliseconds) == 0 ? .silence : receiveSome()
    }
}

extension Array where Element == UInt8 {
    fileprivate func firstRange(of other: [UInt8]) -> Range<Int>? {
        guard count >= other.count else { return nil }
        for start in 0...(count - other.count) where self[start..<(start + other.count)].elementsEqual(other)
        {
            return start..<(start + other.count)
        }
        return nil
    }
}
