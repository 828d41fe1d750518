import Glibc
import Timers

/// Writes a file on helper threads for a loop. The bytes go to a temporary file in the same folder, which is
/// renamed when complete and removed otherwise. `FilePlace` says what it may replace. Used on its loop only.
///
/// Holds in memory at most `bufferSize` waiting bytes, as many being written, and the bytes of one `write`.
public final class FileSink {
    /// Bytes that are gathered before they are written.
    static let bufferSize = 64 << 10
    /// How long the disk may take after `finish` to write the last bytes and rename the file.
    static let finishTimeout = TimeAmount.seconds(60)

    private enum State {
        case open
        case finishing((SocketError?) -> Void)
        case over
    }

    private let loop: EventLoop
    private let threads: HelperThreads
    private let finishTimeout: TimeAmount
    private let file: SinkFile
    private var deadline: TimerToken?
    private var waiting: [UInt8] = []
    private var isWriting = false
    private var state = State.open
    private var isFull = false
    /// Called on the loop when there is room again after `write` returned false.
    public var hasRoom: (() -> Void)?
    /// Called once, on the loop, when writing failed. The temporary file is removed.
    public var failed: ((SocketError) -> Void)?
    private(set) var byteCount: Int64 = 0

    /// A regular file at `path`, or at the end of a link, is replaced when the new one is complete. Writing
    /// fails if `path` names anything else. With `synchronizes` the file and its folder are fsynced, so that
    /// the file survives a crash of the machine. That is slower.
    public convenience init(path: String, on loop: EventLoop, synchronizes: Bool = false) {
        self.init(path: path, on: loop, synchronizes: synchronizes, threads: FileThreads.shared)
    }

    init(
        path: String, on loop: EventLoop, synchronizes: Bool, threads: HelperThreads,
        finishTimeout: TimeAmount = FileSink.finishTimeout
    ) {
        loop.preconditionCurrent("a file sink must be created on its event loop")
        self.loop = loop
        self.threads = threads
        self.finishTimeout = finishTimeout
        file = SinkFile(path: path, synchronizes: synchronizes, threads: threads)
    }

    deinit { if case .over = state {} else { file.discardElsewhere() } }

    /// - Returns: whether there is room for more. The bytes are copied in any case.
    public func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard case .open = state else { return false }
        waiting.append(contentsOf: bytes)
        byteCount += Int64(bytes.count)
        if waiting.count >= Self.bufferSize { startWriting() }
        isFull = waiting.count >= Self.bufferSize
        return !isFull
    }

    /// Writes the rest and renames the file.
    ///
    /// - Parameters:
    ///   - limit: how long the disk may take, but no longer than `finishTimeout`.
    ///   - completion: called once, on the loop, with nil or the error, unless `cancel` comes first. After
    ///     `.fileTimedOut` (the disk took longer) the file may exist, if it was being renamed.
    public func finish(within limit: TimeAmount = .never, _ completion: @escaping (SocketError?) -> Void) {
        guard case .open = state else { return }
        state = .finishing(completion)
        deadline = loop.setTimer(after: min(limit, finishTimeout), target: FinishDeadline(self))
        startWriting()
    }

    /// Stops without calling back, and removes the temporary file.
    public func cancel() {
        if case .over = state { return }
        end()
        file.discardElsewhere()
    }

    private func end() {
        if let deadline = deadline.take() { loop.cancelTimer(deadline) }
        state = .over
        waiting = []
        hasRoom = nil
        failed = nil
    }

    private func startWriting() {
        guard !isWriting else { return }
        isWriting = true
        var bytes: [UInt8] = []
        swap(&bytes, &waiting)
        let isLast = if case .finishing = state { true } else { false }
        let home = LoopBound(self, loop: loop)
        let (loop, file) = (loop, file)
        let isTaken = threads.submit { [bytes] in
            let error = file.write(bytes, isLast: isLast)
            // If the loop has ended, an incomplete file is removed with the sink.
            loop.execute { home.value.wrote(error, wasLast: isLast) }
        }
        if !isTaken {
            loop.execute { home.value.wrote(SocketError(.file, EAGAIN, subject: file.path), wasLast: isLast) }
        }
    }

    fileprivate func isLate() {
        deadline = nil
        guard file.hasName, case .finishing(let completion) = state else {
            return fail(SocketError(.fileTimedOut, .file, subject: file.path))
        }
        // The file was renamed; only the report is missing.
        end()
        completion(nil)
    }

    private func fail(_ error: SocketError) {
        let (state, failed) = (state, failed)
        if case .over = state { return }
        end()
        file.discardElsewhere()
        if case .finishing(let completion) = state { completion(error) } else { failed?(error) }
    }

    private func wrote(_ error: SocketError?, wasLast: Bool) {
        isWriting = false
        if let error { return fail(error) }
        let hasRoom = hasRoom
        switch state {
        case .over: break
        case .finishing(let completion):
            guard wasLast else { return startWriting() }
            end()
            completion(nil)
        case .open:
            if waiting.count >= Self.bufferSize { startWriting() }
            guard isFull, waiting.count < Self.bufferSize else { return }
            isFull = false
            hasRoom?()
        }
    }
}

private final class FinishDeadline: TimerTarget {
    private let sink: FileSink

    init(_ sink: FileSink) { self.sink = sink }

    func timerFired(_ token: TimerToken) { sink.isLate() }
}
