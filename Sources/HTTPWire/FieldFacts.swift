import HTTPModel

/// What the fields say about framing and connection, learnt while they are parsed so that nobody looks them up again.
struct FieldFacts {
    enum Side { case request, response }
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
    var keepAliveTimeout: Int?
    var keepAliveMaximum: Int?

    init(side: Side) {
        self.side = side
    }

    /// Takes notice of a field, told apart by its length and its first letter before its name is compared.
    @inline(__always)
    mutating func note(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) throws(WireFault) {
        switch name.count {
        case 4, 6, 10, 14, 17: try noteCandidate(name: name, value: value)
        default: break
        }
    }

    private mutating func noteCandidate(
        name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) throws(WireFault) {
        switch (name.count, name[0] | 0x20) {
        case (4, UInt8(ascii: "h")):
            if side == .request, ASCII.equals(name, lowercase: "host") { try noteHost(value) }
        case (6, UInt8(ascii: "e")):
            if side == .request, ASCII.equals(name, lowercase: "expect") { noteExpectation(value) }
        case (10, UInt8(ascii: "c")):
            if ASCII.equals(name, lowercase: "connection") { noteConnection(value) }
        case (10, UInt8(ascii: "k")):
            if side == .response, ASCII.equals(name, lowercase: "keep-alive") { noteKeepAlive(value) }
        case (14, UInt8(ascii: "c")):
            if ASCII.equals(name, lowercase: "content-length") { try noteContentLength(value) }
        case (17, UInt8(ascii: "t")):
            if ASCII.equals(name, lowercase: "transfer-encoding") { try noteTransferEncoding(value) }
        default:
            break
        }
    }

    private mutating func noteHost(_ value: UnsafeRawBufferPointer) throws(WireFault) {
        guard !hasHost else { throw .repeatedHost }
        guard Authority.isValid(value) else { throw .host }
        hasHost = true
    }

    private mutating func noteExpectation(_ value: UnsafeRawBufferPointer) {
        let isContinue = ASCII.equals(value, lowercase: "100-continue")
        expectation = isContinue && expectation != .other ? .hundredContinue : .other
    }

    private mutating func noteConnection(_ value: UnsafeRawBufferPointer) {
        // What nearly all say, without a list to take apart.
        if ASCII.equals(value, lowercase: "keep-alive") {
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

    private mutating func noteContentLength(_ value: UnsafeRawBufferPointer) throws(WireFault) {
        guard contentLength == nil else { throw .repeatedContentLength }
        guard let length = Self.decimal(value) else { throw .contentLength }
        contentLength = length
    }

    /// 1 to 19 digits; what no Int holds is `Int.max`, which no limit lets through. Nil for anything else.
    private static func decimal(_ digits: UnsafeRawBufferPointer) -> Int? {
        guard (1...19).contains(digits.count) else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            guard ASCII.isDigit(digit) else { return nil }
            value = value &* 10 &+ UInt64(digit &- Byte.zero)
        }
        return Int(exactly: value) ?? Int.max
    }

    /// RFC 9112 6.1, read narrowly: one line, exactly `chunked`.
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
