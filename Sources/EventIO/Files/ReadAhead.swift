import Glibc
import Locking

/// Reads a blocking source on helper threads, up to two pieces ahead of a loop. Used on that loop only.
public final class ReadAhead {
    /// Largest piece, in bytes.
    static let pieceSize = BlockSize.read
    /// Pieces that are read before they are requested.
    static let piecesAhead = 2

    /// Bytes that were read, or why reading failed. Empty bytes are the end.
    public typealias Piece = Result<ArraySlice<UInt8>, any Error>

    private let loop: EventLoop
    private let threads: HelperThreads
    private let work: HelperThreadReader
    private var ready: [Piece] = []
    private var isReading = false
    private var hasEnded = false
    private var isClosed = false
    private var completion: ((Piece) -> Void)?

    /// Starts reading. `open` is called once, on a helper thread.
    ///
    /// - Parameter mayWait: whether a read may wait for anything but a disk, such as another program. It then
    ///   holds up no file.
    public convenience init(
        on loop: EventLoop, mayWait: Bool = false,
        open: @escaping @Sendable () throws -> any BlockingReader
    ) {
        self.init(on: loop, threads: mayWait ? FileThreads.pipes : FileThreads.shared, open: open)
    }

    init(
        on loop: EventLoop, threads: HelperThreads,
        open: @escaping @Sendable () throws -> any BlockingReader
    ) {
        loop.preconditionCurrent("read-ahead must be started on its event loop")
        self.loop = loop
        self.threads = threads
        work = HelperThreadReader(open)
        startReading()
    }

    deinit { if !isClosed { work.end(on: threads) } }

    /// Requests the next piece; one request at a time. `completion` is called once, on the loop, unless
    /// `close` comes first. If a piece is ready, it is called inside this call. An empty piece or an error is
    /// the last.
    public func next(_ completion: @escaping (Piece) -> Void) {
        precondition(self.completion == nil, "the previous piece has not arrived yet")
        guard !isClosed else { return }
        guard !ready.isEmpty else {
            self.completion = completion
            return
        }
        let piece = ready.removeFirst()
        startReading()
        completion(piece)
    }

    /// Stops reading, and releases the reader on a helper thread.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        completion = nil
        ready = []
        work.end(on: threads)
    }

    private func startReading() {
        guard !isReading, !hasEnded, !isClosed, ready.count < Self.piecesAhead else { return }
        isReading = true
        let home = LoopBound(self, loop: loop)
        let loop = loop
        let work = work
        work.lendBlock()
        let isTaken = threads.submit {
            let piece = work.read()
            loop.execute { home.value.received(piece) }
        }
        if !isTaken {
            loop.execute { home.value.received(.failure(SocketError(.file, EAGAIN))) }
        }
    }

    private func received(_ piece: Piece) {
        isReading = false
        guard !isClosed else { return }
        if case .success(let bytes) = piece, !bytes.isEmpty {} else { hasEnded = true }
        if let waiting = completion.take() {
            startReading()
            waiting(piece)
        } else {
            ready.append(piece)
            startReading()
        }
    }
}

/// `@unchecked Sendable`: the lock protects the variables. A thread takes the reader out of them to read, so
/// a silent disk blocks no other thread.
private final class HelperThreadReader: @unchecked Sendable {
    private typealias Opening = @Sendable () throws -> any BlockingReader

    private let lock = Lock(())
    private var open: Opening?
    private var reader: (any BlockingReader)?
    private var isUnwanted = false
    /// Empty memory for the next piece.
    private var block: [UInt8] = []

    init(_ open: @escaping @Sendable () throws -> any BlockingReader) {
        self.open = open
    }

    /// Allocates memory for the next piece, on the loop, which also frees it. What another thread allocates
    /// goes back to the system only when that thread works again.
    func lendBlock() {
        var block: [UInt8] = []
        block.reserveCapacity(ReadAhead.pieceSize)
        lock.withLock { _ in self.block = block }
    }

    /// Returns a large piece in the block that was lent, and a small one in memory of its size.
    func read() -> ReadAhead.Piece {
        var block: [UInt8] = []
        lock.withLock { _ in swap(&block, &self.block) }
        var (open, reader) = take(permanently: false)
        let piece = ReadAhead.Piece {
            if let open = open.take() { reader = try open() }
            let bytes = try reader?.read(atMost: ReadAhead.pieceSize) ?? []
            guard bytes.count > ReadAhead.pieceSize / 2 else { return bytes }
            block.append(contentsOf: bytes)
            return block[...]
        }
        lock.withLock { _ in
            if !isUnwanted { self.reader = reader.take() }
        }
        return piece
    }

    /// Releases the reader on a helper thread, because closing may block. A thread that is reading releases
    /// it itself. Releases it here if no thread is free.
    func end(on threads: HelperThreads) {
        if !threads.submit({ self.release() }) { release() }
    }

    private func release() { _ = take(permanently: true) }

    private func take(permanently: Bool) -> (open: Opening?, reader: (any BlockingReader)?) {
        var taken: (open: Opening?, reader: (any BlockingReader)?)
        lock.withLock { _ in
            isUnwanted = isUnwanted || permanently
            taken = (open.take(), reader.take())
        }
        return taken
    }
}
