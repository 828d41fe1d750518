import ASCIIText
import HTTPModel

/// What a head's fields say about framing and connection, noted during parsing to save lookups.
struct FieldFacts {
    enum Side {
        case request
        case response
        /// A proxy's response to CONNECT: its `Content-Length` and `Transfer-Encoding` are ignored (RFC
        /// 9110 9.3.6).
        case tunnelResponse
    }

    enum TransferCoding { case none, chunked, unknown }
    enum Expectation { case none, hundredContinue, other }

    let side: Side
    var hasHost = false
    var contentLength: Int?
    var transferCoding = TransferCoding.none
    var closes = false
    var keepsAlive = false
    var namesHopFields = false
    var expectation = Expectation.none
    var hasContentCoding = false
    var keepAliveTimeout: Int?
    var keepAliveMaximum: Int?
    /// Whether the server logs in the connection (`ConnectionAuthentication`), or says that it keeps a login.
    var logsInConnection = false

    init(side: Side) {
        self.side = side
    }

    /// Notes what a field says. The length of the name selects the names to compare it with.
    ///
    /// - Parameters:
    ///   - name: a token.
    ///   - value: without surrounding blanks.
    @inline(__always)
    mutating func note(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) throws(WireFault) {
        switch name.count {
        case 4: if side == .request, ASCII.isText(name, "host") { try noteHost(value) }
        case 6: if side == .request, ASCII.isText(name, "expect") { noteExpectation(value) }
        case 10:
            if ASCII.isText(name, "connection") {
                noteConnection(value)
            } else if side == .response, ASCII.isText(name, "keep-alive") {
                noteKeepAlive(value)
            }
        case 13: if side == .response, ASCII.isText(name, "proxy-support") { logsInConnection = true }
        case 14:
            if side != .tunnelResponse, ASCII.isText(name, "content-length") { try noteContentLength(value) }
        case 15: if side == .response, ASCII.isText(name, "persistent-auth") { logsInConnection = true }
        case 16:
            if ASCII.isText(name, "content-encoding") {
                hasContentCoding = true
            } else if side == .response, ASCII.isText(name, "www-authenticate") {
                noteChallenges(value)
            }
        case 17:
            if side != .tunnelResponse, ASCII.isText(name, "transfer-encoding") {
                try noteTransferEncoding(value)
            }
        case 18: if side == .response, ASCII.isText(name, "proxy-authenticate") { noteChallenges(value) }
        default: break
        }
    }

    @inline(never)
    private mutating func noteHost(_ value: UnsafeRawBufferPointer) throws(WireFault) {
        guard !hasHost else { throw .repeatedHost }
        guard Authority.isValid(value) else { throw .host }
        hasHost = true
    }

    @inline(never)
    private mutating func noteExpectation(_ value: UnsafeRawBufferPointer) {
        let isContinue = ASCII.equals(value, lowercase: "100-continue")
        expectation = isContinue && expectation != .other ? .hundredContinue : .other
    }

    @inline(never)
    private mutating func noteChallenges(_ value: UnsafeRawBufferPointer) {
        if ConnectionAuthentication.isOffered(in: value) { logsInConnection = true }
    }

    @inline(never)
    private mutating func noteConnection(_ value: UnsafeRawBufferPointer) {
        // The most frequent value needs no list splitting.
        if ASCII.isText(value, "keep-alive") {
            keepsAlive = true
            return
        }
        forEachListElement(in: value) { option in
            if ASCII.equals(option, lowercase: "close") {
                closes = true
            } else if ASCII.equals(option, lowercase: "keep-alive") {
                keepsAlive = true
            } else {
                namesHopFields = true
            }
        }
    }

    @inline(never)
    private mutating func noteKeepAlive(_ value: UnsafeRawBufferPointer) {
        forEachListElement(in: value) { parameter in
            if let seconds = Self.number(of: parameter, after: "timeout=") { keepAliveTimeout = seconds }
            if let requests = Self.number(of: parameter, after: "max=") { keepAliveMaximum = requests }
        }
    }

    private static func number(of parameter: UnsafeRawBufferPointer, after prefix: StaticString) -> Int? {
        let length = prefix.utf8CodeUnitCount
        guard parameter.count > length,
            ASCII.equals(UnsafeRawBufferPointer(rebasing: parameter[..<length]), lowercase: prefix)
        else { return nil }
        return Self.decimal(UnsafeRawBufferPointer(rebasing: parameter[length...]))
    }

    @inline(never)
    private mutating func noteContentLength(_ value: UnsafeRawBufferPointer) throws(WireFault) {
        guard contentLength == nil else { throw .repeatedContentLength }
        guard let length = Self.decimal(value) else { throw .contentLength }
        contentLength = length
    }

    /// Takes a repeated `Content-Length`, or a list in one, for its number, if all numbers are equal (RFC
    /// 9110 8.6).
    ///
    /// - Returns: whether it is the first field of that name; nil if it is another field or not such a
    ///   repetition.
    mutating func mergeLength(name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool? {
        guard side == .response, ASCII.equals(name, lowercase: "content-length") else { return nil }
        var length = contentLength
        var isRepetition = true
        // An empty element is not a number, so `2,` is refused.
        for element in value.split(separator: Byte.comma, omittingEmptySubsequences: false) {
            let digits = ASCII.trimmed(UnsafeRawBufferPointer(rebasing: element))
            let number = Self.decimal(digits)
            if number == nil || length != nil && number != length { isRepetition = false }
            length = number
        }
        guard isRepetition else { return nil }
        defer { contentLength = length }
        return contentLength == nil
    }

    /// Reads 1 to 19 digits; nil for anything else, and for values above `Int.max`, so that no length is
    /// taken for another one.
    private static func decimal(_ digits: UnsafeRawBufferPointer) -> Int? {
        guard (1...19).contains(digits.count) else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            guard ASCII.isDigit(digit) else { return nil }
            value = value &* 10 &+ UInt64(digit &- Byte.zero)
        }
        return Int(exactly: value)
    }

    /// RFC 9112 6.1, read strictly: one line, exactly `chunked`.
    @inline(never)
    private mutating func noteTransferEncoding(_ value: UnsafeRawBufferPointer) throws(WireFault) {
        guard transferCoding == .none else { throw .repeatedTransferEncoding }
        if ASCII.equals(value, lowercase: "chunked") {
            transferCoding = .chunked
        } else if !value.isEmpty, value.allSatisfy(ASCII.isTokenByte) {
            transferCoding = .unknown
        } else {
            throw .transferEncoding
        }
    }
}
