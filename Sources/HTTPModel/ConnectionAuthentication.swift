import ASCIIText

/// Authentication schemes that log in a connection: afterwards the server may answer any request on that
/// connection as one of the user who has logged in. RFC 4559 6 describes it for Negotiate, and NTLM works
/// only in this way.
package enum ConnectionAuthentication {
    /// Whether the value of Authorization or Proxy-Authorization logs in the connection.
    package static func isUsed(by credentials: UnsafeRawBufferPointer) -> Bool {
        isScheme(word(of: credentials, from: 0))
    }

    /// Whether the value of WWW-Authenticate or Proxy-Authenticate, a list of challenges, offers or continues
    /// such a login.
    ///
    /// It compares every word, also those within parameters. A wrong hit costs one connection, and no
    /// malformed list hides a scheme.
    package static func isOffered(in challenges: UnsafeRawBufferPointer) -> Bool {
        var start = 0
        while start < challenges.count {
            let word = word(of: challenges, from: start)
            if isScheme(word) { return true }
            start += word.count + 1
        }
        return false
    }

    private static func word(of bytes: UnsafeRawBufferPointer, from start: Int) -> UnsafeRawBufferPointer {
        var end = start
        while end < bytes.count, ASCII.isTokenByte(bytes[end]) { end += 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    /// NTLM, Kerberos, and Negotiate with its relative Nego2. Scheme names ignore case (RFC 9110 11.1).
    private static func isScheme(_ word: UnsafeRawBufferPointer) -> Bool {
        guard word.count >= 4 else { return false }
        let start = UnsafeRawBufferPointer(rebasing: word[..<4])
        return ASCII.equals(start, lowercase: "nego") || ASCII.equals(word, lowercase: "ntlm")
            || ASCII.equals(word, lowercase: "kerberos")
    }
}

extension HTTPFields {
    /// Whether the credentials of a request log in the connection that it is sent on.
    package var logInConnection: Bool {
        guard storage.mayHaveName(ofLength: 13) || storage.mayHaveName(ofLength: 19) else { return false }
        return storage.bytes.withUnsafeBytes { bytes in
            for index in 0..<storage.count {
                let entry = storage.entry(index, in: bytes)
                guard entry.nameCount == 13 || entry.nameCount == 19 else { continue }
                let name = UnsafeRawBufferPointer(rebasing: bytes[entry.name])
                guard ASCII.isText(name, "authorization") || ASCII.isText(name, "proxy-authorization")
                else { continue }
                let value = UnsafeRawBufferPointer(rebasing: bytes[entry.value])
                if ConnectionAuthentication.isUsed(by: value) { return true }
            }
            return false
        }
    }
}
