import Glibc
import Locking

/// Reads for a loop what blocks, on helper threads, and up to two pieces ahead of it. Confined to its loop.
public final class ReadAhead {
    /// Bytes of a piece at most.
    public static let pieceSize = 64 << 10
    /// Pieces that are read, or being read, and not asked for yet.
    static let piecesAhead = 2

    public typealias Piece = Result<ArraySlice<UInt8>, any Error>

    private let loop: EventLoop
    private let work: ReaderWork
    private var ready: [Piece] = []
    private var isReading = false
    private var hasEnded = false
    private var isClosed = false
    private var completion: ((Piece) -> Void)?

    /// Begins to read.
    ///
    /// - Parameter open: called once, on a helper thread.
    public init(on loop: EventLoop, open: @escaping @Sendable () throws -> any BlockingReader) {
        loop.preconditionCurrent("what is read ahead is read for its event loop")
        self.loop = loop
        work = ReaderWork(open)
        readOn()
    }

    deinit { work.end() }

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
        isClosed = true
        completion = nil
        ready = []
        work.end()
    }

    private func readOn() {
        guard !isReading, !hasEnded, !isClosed, ready.count < Self.piecesAhead else { return }
        isReading = true
        let home = LoopBound(self, loop: loop)
        let loop = loop
        let work = work
        let isTaken = FileThreads.shared.submit {
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
/// `@unchecked Sendable` is sound: `open` and `reader` are touched with the lock held.
private final class ReaderWork: @unchecked Sendable {
    private let lock = Lock(())
    private var open: (@Sendable () throws -> any BlockingReader)?
    private var reader: (any BlockingReader)?

    init(_ open: @escaping @Sendable () throws -> any BlockingReader) {
        self.open = open
    }

    func read() -> ReadAhead.Piece {
        lock.withLock { _ in
            Result {
                if let open = open.take() { reader = try open() }
                return try reader?.read(atMost: ReadAhead.pieceSize) ?? []
            }
        }
    }

    /// Lets go of the reader, on a helper thread, as closing may block; where none can be had, here.
    func end() {
        if !FileThreads.shared.submit({ self.letGo() }) { letGo() }
    }

    private func letGo() {
        lock.withLock { _ in
            open = nil
            reader = nil
        }
    }
}
