internal import CHiredis

/// Reads replies from the bytes of a connection, by hiredis' reader.
///
/// The bytes may be cut anywhere. After a fault the reader accepts nothing more. A reader belongs to one
/// thread.
public final class ReplyReader {
    /// The longest reply, with all its elements and their framing.
    public static let mostBytes = 16 * 1024
    /// The most elements of an array.
    public static let mostElements = 64
    /// How deeply arrays may be nested. hiredis itself allows 7 levels.
    public static let mostLevels = 2

    /// Created in `init`, freed in `deinit`, together with `functions`, which it refers to.
    private let reader: UnsafeMutablePointer<redisReader>?
    private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>
    /// hiredis refers to it unretained, in `reader.privdata`.
    private let builder = ReplyBuilder()
    private var fault: ReplyFault?
    private(set) var bytesFed = 0
    /// How many of the bytes belong to complete replies.
    private(set) var bytesDone = 0

    /// Creates a reader at the start of a connection.
    public init() {
        functions = .allocate(capacity: 1)
        functions.initialize(
            to: chiredis_functions(
                replyHasText, replyHasArray, replyHasInteger, replyHasNull, replyIsFreed))
        reader = redisReaderCreateWithFunctions(functions)
        reader?.pointee.privdata = Unmanaged.passUnretained(builder).toOpaque()
        if reader == nil { fault = .noMemory }
    }

    deinit {
        if reader != nil { redisReaderFree(reader) }
        functions.deallocate()
    }

    /// Calls `body` with each reply that these bytes complete, in order. `body` must not feed the reader, and
    /// returns false to read no further.
    ///
    /// - Throws: the fault of the first bytes that are not a reply. The replies before it were passed on.
    public func read(
        _ bytes: UnsafeRawBufferPointer, _ body: (StoreReply) -> Bool
    ) throws(ReplyFault) {
        if let fault { throw fault }
        guard let reader, !bytes.isEmpty else { return }
        // hiredis keeps what it is fed, so it is fed no more than a reply may have.
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.mostBytes))
            rest = rest.dropFirst(piece.count)
            let start = piece.assumingMemoryBound(to: CChar.self).baseAddress
            guard redisReaderFeed(reader, start, piece.count) == REDIS_OK else { throw failed(.noMemory) }
            bytesFed += piece.count
            while let reply = try next(reader) {
                guard body(reply) else { return }
            }
            guard bytesFed - bytesDone <= Self.mostBytes else { throw failed(.tooLong) }
        }
    }

    private func next(_ reader: UnsafeMutablePointer<redisReader>) throws(ReplyFault) -> StoreReply? {
        var object: UnsafeMutableRawPointer?
        guard redisReaderGetReply(reader, &object) == REDIS_OK else {
            throw failed(builder.fault ?? .malformed)
        }
        guard object != nil, let reply = builder.takeRoot() else { return nil }
        let end = bytesFed - (reader.pointee.len - reader.pointee.pos)
        guard end - bytesDone <= Self.mostBytes else { throw failed(.tooLong) }
        bytesDone = end
        return reply
    }

    private func failed(_ fault: ReplyFault) -> ReplyFault {
        self.fault = fault
        return fault
    }
}

/// Builds a reply from the events of hiredis' reader.
///
/// hiredis takes each object for a pointer that only we look into. It gets the same constant for all of them,
/// so there is nothing for it to leak.
private final class ReplyBuilder {
    private struct OpenArray {
        var missing: Int
        var elements: [StoreReply]
    }

    private var open: [OpenArray] = []
    private var root: StoreReply?
    private(set) var fault: ReplyFault?

    func add(_ reply: StoreReply) {
        var reply = reply
        while var array = open.popLast() {
            array.elements.append(reply)
            array.missing -= 1
            guard array.missing == 0 else {
                open.append(array)
                return
            }
            reply = .array(array.elements)
        }
        root = reply
    }

    /// Returns whether an array of this length may begin.
    func begin(count: Int) -> Bool {
        guard count <= ReplyReader.mostElements else {
            fault = .tooManyElements
            return false
        }
        guard open.count < ReplyReader.mostLevels else {
            fault = .tooDeep
            return false
        }
        if count == 0 {
            add(.array([]))
        } else {
            open.append(OpenArray(missing: count, elements: []))
        }
        return true
    }

    func takeRoot() -> StoreReply? { root.take() }
}

extension Optional where Wrapped == UnsafePointer<redisReadTask> {
    /// The builder of a reader, which retains it during the call.
    fileprivate var builder: ReplyBuilder? {
        self?.pointee.privdata.map { Unmanaged<ReplyBuilder>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// What hiredis gets for each object: any pointer but NULL, which would mean that memory is exhausted.
private func anyObject(_ isThere: Bool = true) -> UnsafeMutableRawPointer? {
    isThere ? UnsafeMutableRawPointer(bitPattern: 1) : nil
}

private func replyHasText(
    _ task: UnsafePointer<redisReadTask>?, _ start: UnsafeMutablePointer<CChar>?, _ count: Int
) -> UnsafeMutableRawPointer? {
    guard let builder = task.builder, let task else { return nil }
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    switch task.pointee.type {
    case REDIS_REPLY_STATUS: builder.add(.status(String(decoding: bytes, as: UTF8.self)))
    case REDIS_REPLY_ERROR: builder.add(.error(String(decoding: bytes, as: UTF8.self)))
    default: builder.add(.bytes(Array(bytes)))
    }
    return anyObject()
}

private func replyHasArray(
    _ task: UnsafePointer<redisReadTask>?, _ count: chiredis_count
) -> UnsafeMutableRawPointer? {
    anyObject(task.builder?.begin(count: Int(clamping: count)) ?? false)
}

private func replyHasInteger(
    _ task: UnsafePointer<redisReadTask>?, _ number: Int64
) -> UnsafeMutableRawPointer? {
    task.builder?.add(.integer(number))
    return anyObject(task.builder != nil)
}

private func replyHasNull(_ task: UnsafePointer<redisReadTask>?) -> UnsafeMutableRawPointer? {
    task.builder?.add(.null)
    return anyObject(task.builder != nil)
}

private func replyIsFreed(_: UnsafeMutableRawPointer?) {}
