import Glibc
import Locking

/// Reads for a loop what blocks, on helper threads, and up to two pieces ahead of it. Confined to its loop.
public final class ReadAhead {
    /// Bytes of a piece at most.
    static let pieceSize = 64 << 10
    /// Pieces that are read, or being read, and not asked for yet.
    static let piecesAhead = 2

    public typealias Piece = Result<ArraySlice<UInt8>, any Error>

    private let loop: EventLoop
    private let threads: HelperThreads
    private let work: ReaderWork
    private var ready: [Piece] = []
    private var isReading = false
    private var hasEnded = false
    private var isClosed = false
    private var completion: ((Piece) -> Void)?

    /// Begins to read.
    ///
    /// - Parameter open: called once, on a helper thread.
    public convenience init(on loop: EventLoop, open: @escaping @Sendable () throws -> any BlockingReader) {
        self.init(on: loop, threads: FileThreads.shared, open: open)
    }

    init(
        on loop: EventLoop, threads: HelperThreads,
        open: @escaping @Sendable () throws -> any BlockingReader
    ) {
        loop.preconditionCurrent("what is read ahead is read for its event loop")
        self.loop = loop
        self.threads = threads
        work = ReaderWork(open)
        readOn()
    }

    deinit { if !isClosed { work.end(on: threads) } }

    /// Asks for the next piece, one ask at a time. `completion` is called once, on the loop, unless `close` comes first:
    /// inside this call where the piece is there. An empty piece is the end; nothing follows it, nor an error.
    public func next(_ completion: @escaping (Piece) -> Void) {
        precondition(self.completion == nil, "one piece is asked for at a time")
        guard !isClosed else { return }
        guard !ready.isEmpty else {
            self.completion = completion
            return
        }
        let piece = ready.removeFirst()
        readOn()
        completion(piece)
    }

    /// Nothing more is wanted: what it reads from is let go, on a helper thread.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        completion = nil
        ready = []
        work.end(on: threads)
    }

    private func readOn() {
        guard !isReading, !hasEnded, !isClosed, ready.count < Self.piecesAhead else { return }
        isReading = true
        let home = LoopBound(self, loop: loop)
        let loop = loop
        let work = work
        let isTaken = threads.submit {
            let piece = work.read()
            // Where the loop has ended nobody waits.
            loop.execute { home.value.came(piece) }
        }
        if !isTaken {
            loop.execute { home.value.came(.failure(SocketError(.file, EAGAIN))) }
        }
    }

    private func came(_ piece: Piece) {
        isReading = false
        guard !isClosed else { return }
        if case .success(let bytes) = piece, !bytes.isEmpty {} else { hasEnded = true }
        if let waiting = completion.take() {
            readOn()
            waiting(piece)
        } else {
            ready.append(piece)
            readOn()
        }
    }
}

/// The reader, on the helper threads.
///
/// `@unchecked Sendable` is sound: the variables are touched with the lock held, and who reads has taken the reader out of
/// them: a disk that keeps silent keeps nobody else waiting.
private final class ReaderWork: @unchecked Sendable {
    private typealias Opening = @Sendable () throws -> any BlockingReader

    private let lock = Lock(())
    private var open: Opening?
    private var reader: (any BlockingReader)?
    private var isUnwanted = false

    init(_ open: @escaping @Sendable () throws -> any BlockingReader) {
        self.open = open
    }

    func read() -> ReadAhead.Piece {
        var (open, reader) = take(forGood: false)
        let piece = ReadAhead.Piece {
            if let open = open.take() { reader = try open() }
            return try reader?.read(atMost: ReadAhead.pieceSize) ?? []
        }
        lock.withLock { _ in
            if !isUnwanted { self.reader = reader.take() }
        }
        return piece
    }

    /// Lets go of the reader, on a helper thread, as closing may block: on the one that reads, if one does; where none can be
    /// had, here.
    func end(on threads: HelperThreads) {
        if !threads.submit({ self.letGo() }) { letGo() }
    }

    private func letGo() { _ = take(forGood: true) }

    private func take(forGood: Bool) -> (open: Opening?, reader: (any BlockingReader)?) {
        var taken: (open: Opening?, reader: (any BlockingReader)?)
        lock.withLock { _ in
            isUnwanted = isUnwanted || forGood
            taken = (open.take(), reader.take())
        }
        return taken
    }
}
