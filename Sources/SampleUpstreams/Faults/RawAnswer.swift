internal import Sluice

/// Answers as raw bytes, for faults that a correct server cannot send.
enum RawAnswer {
    /// The banner of another protocol.
    static let garbage = ArraySlice("SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n\u{0}\u{1}garbage\r\n".utf8)

    /// Returns the bytes of a response that closes the connection.
    static func bytes(of response: HTTPResponse) -> [UInt8] {
        var text = "HTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n"
        for (name, value) in response.fields { text += "\(name): \(value)\r\n" }
        if !response.status.forbidsBody { text += "Content-Length: \(response.bodyCount)\r\n" }
        text += "Connection: close\r\n\r\n"
        return Array(text.utf8) + response.body.joined()
    }

    /// Returns the head, with the length of the whole body, and half of the body; half of the head without a
    /// body.
    static func truncated(_ response: HTTPResponse) -> ArraySlice<UInt8> {
        let whole = bytes(of: response)
        let body = response.status.forbidsBody ? 0 : response.bodyCount
        return whole.prefix(body > 0 ? whole.count - (body + 1) / 2 : whole.count / 2)
    }
}
