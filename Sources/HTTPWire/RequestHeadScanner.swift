import ASCIIText
import HTTPModel

/// Scans the request line and the fields, and checks them against each other.
struct RequestHeadScanner: HeadScanner {
    /// In bytes; no registered method is longer. A longer one gets 501 (RFC 9112 3).
    static let methodLimit = 32

    let limits: RequestLimits
    var section: FieldSection
    private var position = 0
    /// The index up to which the target of an incomplete line is scanned.
    private var targetScanned = 0
    /// Nil until it is scanned.
    private(set) var method: HTTPMethod?
    private var target = 0..<0
    private var shape: TargetShape?
    private var version = HTTPVersion.http11
    /// The head of a failed request whose lines are all valid, but not together. Else nil.
    private(set) var refusedHead: HTTPRequestHead?

    var hasRequestLine: Bool { shape != nil }

    init(limits: RequestLimits) {
        let limits = limits.bounded
        self.limits = limits
        section = FieldSection(
            block: limits.fieldBlock, line: limits.fieldLine, count: limits.fieldCount, side: .request)
    }

    var longestHead: Int { Self.methodLimit + limits.target + limits.fieldBlock + 16 }

    mutating func reset() {
        position = 0
        targetScanned = 0
        method = nil
        shape = nil
        section.reset()
    }

    mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(WireFault) -> Int? {
        if shape == nil {
            guard try scanLine(bytes) else { return nil }
        }
        guard try section.parse(bytes, position: &position, keeping: true) else { return nil }
        return position
    }

    mutating func head(
        of bytes: UnsafeRawBufferPointer, length: Int
    ) throws(WireFault) -> (HTTPRequestHead, RequestFraming) {
        guard let shape, let method else { throw .targetForm }
        let framing: RequestFraming
        do {
            framing = try self.framing(shape)
        } catch {
            refusedHead = head(of: bytes, length, method, shape)
            throw error
        }
        return (head(of: bytes, length, method, shape), framing)
    }

    @inline(__always)
    private func head(
        of bytes: UnsafeRawBufferPointer, _ length: Int, _ method: HTTPMethod, _ shape: TargetShape
    ) -> HTTPRequestHead {
        let storage = section.storage(of: UnsafeRawBufferPointer(rebasing: bytes[..<length]))
        return HTTPRequestHead(
            method: method, target: RequestTarget(in: storage, range: target, shape: shape), version: version,
            fields: HTTPFields(storage))
    }

    private func framing(_ shape: TargetShape) throws(WireFault) -> RequestFraming {
        let facts = section.facts
        guard facts.hasHost || version == .http10 else { throw .missingHost }
        let body: RequestFraming.Body
        switch (facts.transferCoding, facts.contentLength) {
        case (.none, nil): body = .none
        case (.none, let length?): body = .length(length)
        // RFC 9112 6.3: requests with both framings are used for smuggling.
        case (.chunked, _?), (.unknown, _?): throw .bothFramings
        case (.chunked, nil), (.unknown, nil):
            guard version == .http11 else { throw .transferEncodingInOldVersion }
            guard facts.transferCoding == .chunked else { throw .unknownTransferCoding }
            body = .chunked
        }
        guard method != .connect else { throw .connect }
        guard facts.expectation != .other else { throw .expectation }
        return RequestFraming(
            body: body, expectsContinue: facts.expectation == .hundredContinue && version == .http11,
            keepAlive: version == .http11 && !facts.closes, namesHopFields: facts.namesHopFields)
    }

    // MARK: - Request line

    private mutating func scanLine(_ bytes: UnsafeRawBufferPointer) throws(WireFault) -> Bool {
        let count = bytes.count
        let methodEnd = ByteScan.firstOutsideToken(bytes, from: 0, to: min(count, Self.methodLimit))
        guard methodEnd < count else { return false }
        guard bytes[methodEnd] == Byte.space, methodEnd > 0 else {
            if bytes[methodEnd] == Byte.lineFeed { throw .bareLineFeed }
            throw ASCII.isTokenByte(bytes[methodEnd]) ? .methodTooLong : .methodByte
        }

        method = HTTPMethod(token: UnsafeRawBufferPointer(rebasing: bytes[..<methodEnd]))
        let start = methodEnd &+ 1
        let end = ByteScan.firstOutsideTarget(
            bytes, from: max(start, targetScanned), to: min(count, start &+ limits.target))
        targetScanned = end
        guard end < count else { return false }
        guard bytes[end] == Byte.space else { throw Self.targetFault(bytes[end]) }
        guard end > start else { throw .emptyTarget }

        let versionStart = end &+ 1
        guard let major = try Self.scanVersion(bytes, from: versionStart) else { return false }
        let afterVersion = versionStart &+ 8
        guard afterVersion < count else { return false }
        guard bytes[afterVersion] == Byte.carriageReturn else {
            throw bytes[afterVersion] == Byte.lineFeed ? .bareLineFeed : .version
        }
        guard afterVersion &+ 1 < count else { return false }
        guard bytes[afterVersion &+ 1] == Byte.lineFeed else { throw .bareCarriageReturn }

        guard major == 1 else { throw .majorVersion }
        // RFC 9110 2.5: a higher minor version is read as the highest known one.
        version = bytes[afterVersion &- 1] == Byte.zero ? .http10 : .http11
        target = start..<end
        shape = try shape(UnsafeRawBufferPointer(rebasing: bytes[target]))
        position = afterVersion &+ 2
        return true
    }

    private static func targetFault(_ byte: UInt8) -> WireFault {
        switch byte {
        case Byte.lineFeed: .bareLineFeed
        case Byte.carriageReturn: .missingVersion
        default: ByteScan.isTargetByte(byte) ? .targetTooLong : .targetByte
        }
    }

    /// `HTTP/1.1` as a little-endian word.
    private static let http11: UInt64 = 0x312e_312f_5054_5448

    /// Returns the major version; nil if `HTTP/d.d` is not whole yet.
    static func scanVersion(_ bytes: UnsafeRawBufferPointer, from start: Int) throws(WireFault) -> UInt8? {
        let available = min(8, bytes.count &- start)
        if available == 8,
            bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self) == UInt64(littleEndian: http11)
        {
            return 1
        }
        let pattern: StaticString = "HTTP/0.0"
        let fits = pattern.withUTF8Buffer { pattern in
            for index in 0..<available {
                let byte = bytes[start &+ index]
                guard pattern[index] == Byte.zero ? ASCII.isDigit(byte) : pattern[index] == byte else {
                    return false
                }
            }
            return true
        }
        guard fits else { throw .version }
        return available == 8 ? bytes[start &+ 5] &- Byte.zero : nil
    }

    private func shape(_ target: UnsafeRawBufferPointer) throws(WireFault) -> TargetShape {
        guard let shape = TargetShape(target) else { throw .targetForm }
        let fits =
            switch shape.form {
            case .origin, .absolute: method != .connect
            case .asterisk: method == .options
            case .authority: method == .connect
            }
        guard fits else { throw shape.form == .authority ? .targetForm : .targetMethod }
        return shape
    }
}
