import ASCIIText
import HTTPModel

/// Scans the status line and the fields, and checks them against each other.
struct ResponseHeadScanner: HeadScanner {
    let limits: ResponseLimits
    /// The method of the request.
    var method = HTTPMethod.get
    var section: FieldSection
    private var position = 0
    private var isWhole = false
    /// The index up to which the reason phrase of an incomplete line is scanned.
    private var reasonScanned = 12
    private var status: HTTPStatus?
    private var version = HTTPVersion.http11

    init(limits: ResponseLimits, side: FieldFacts.Side = .response) {
        let limits = limits.bounded
        self.limits = limits
        section = FieldSection(
            block: limits.fieldBlock, line: limits.fieldLine, count: limits.fieldCount, side: side)
    }

    var longestHead: Int { limits.statusLine + limits.fieldBlock + 16 }

    mutating func reset() {
        position = 0
        reasonScanned = 12
        status = nil
        isWhole = false
        section.reset()
    }

    mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(WireFault) -> Int? {
        if isWhole { return position }
        if status == nil {
            guard try scanLine(bytes) else { return nil }
        }
        guard try section.parse(bytes, position: &position, keeping: true) else { return nil }
        isWhole = true
        return position
    }

    mutating func head(
        of bytes: UnsafeRawBufferPointer, length: Int
    ) throws(WireFault) -> (HTTPResponseHead, ResponseFraming) {
        let framing = try framing()
        return (head(UnsafeRawBufferPointer(rebasing: bytes[..<length])), framing)
    }

    /// Returns the completely scanned head.
    ///
    /// - Parameter bytes: the head, followed by the content if the storage of the fields is to include it.
    func head(_ bytes: UnsafeRawBufferPointer) -> HTTPResponseHead {
        guard let status else { preconditionFailure("a head was asked for before it was scanned") }
        return HTTPResponseHead(
            version: version, status: status, fields: HTTPFields(section.storage(of: bytes)))
    }

    var isInformational: Bool { status?.isInformational ?? false }

    /// Determines the framing in the order of RFC 9112 6.3: bodiless status or method, then the fields, then
    /// the close.
    func framing() throws(WireFault) -> ResponseFraming {
        guard let status else { throw .statusLine }
        let facts = section.facts
        let body: ResponseFraming.Body
        switch (facts.transferCoding, facts.contentLength) {
        case (.chunked, _?), (.unknown, _?): throw .bothFramings
        case (.none, nil): body = .untilClose
        case (.none, let length?): body = .length(length)
        case (.chunked, nil), (.unknown, nil):
            guard version == .http11 else { throw .transferEncodingInOldVersion }
            guard facts.transferCoding == .chunked else { throw .unknownTransferCoding }
            body = .chunked
        }
        // A 204 that announces a body may also send it, so the connection cannot be reused.
        let contradicts = status == .noContent && body != .untilClose && body != .length(0)
        let isBodiless = status.forbidsBody || method == .head
        let persists = version == .http11 ? !facts.closes : facts.keepsAlive && !facts.closes
        return ResponseFraming(
            body: isBodiless ? .none : body,
            keepAlive: persists && !contradicts && (isBodiless || body != .untilClose),
            hasContentCoding: facts.hasContentCoding && !isBodiless && body != .length(0),
            keepAliveTimeout: facts.keepAliveTimeout, keepAliveMaximum: facts.keepAliveMaximum,
            logsInConnection: facts.logsInConnection,
            tolerated: status.isBeyondClasses
                ? section.tolerated.union(.unknownStatusClass) : section.tolerated)
    }

    // MARK: - Status line

    private mutating func scanLine(_ bytes: UnsafeRawBufferPointer) throws(WireFault) -> Bool {
        let count = bytes.count
        guard let major = try RequestHeadScanner.scanVersion(bytes, from: 0) else { return false }
        guard major == 1 else { throw .majorVersion }
        guard count > 8 else { return false }
        guard bytes[8] == Byte.space else { throw .statusLine }
        var code = 0
        for index in 9..<12 {
            guard index < count else { return false }
            guard ASCII.isDigit(bytes[index]) else { throw .statusCode }
            code = code * 10 + Int(bytes[index] &- Byte.zero)
        }
        guard let status = HTTPStatus(received: code) else { throw .statusCode }
        guard count > 12 else { return false }
        // Many servers omit the space before an empty reason phrase, which is harmless.
        guard bytes[12] == Byte.space || bytes[12] == Byte.carriageReturn else {
            throw bytes[12] == Byte.lineFeed ? .bareLineFeed : .statusCode
        }
        let cap = limits.statusLine
        let limit = min(count, cap)
        var end = ByteScan.firstControl(bytes, from: reasonScanned, to: limit)
        while end < limit, bytes[end] == Byte.tab {
            end = ByteScan.firstControl(bytes, from: end &+ 1, to: limit)
        }
        reasonScanned = end
        guard end < count else { return false }
        guard bytes[end] == Byte.carriageReturn else {
            if end >= cap { throw .lineTooLong }
            throw bytes[end] == Byte.lineFeed ? .bareLineFeed : .reasonByte
        }
        guard end &+ 1 < count else { return false }
        guard bytes[end &+ 1] == Byte.lineFeed else { throw .bareCarriageReturn }
        version = bytes[7] == Byte.zero ? .http10 : .http11
        self.status = status
        position = end &+ 2
        return true
    }
}
