import Glibc
import Locking
import Rx

/// Writes a file on helper threads for a loop. The bytes go to a temporary file in the same folder, which is renamed
/// when complete and removed otherwise. Used on its loop only.
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

    /// An existing file at `path` is replaced when the new one is complete. With `synchronizes` the file and its folder
    /// are fsynced, so that the file survives a crash of the machine. That is slower.
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
    /// - Parameter completion: called once, on the loop, with nil or the error, unless `cancel` comes first. After
    ///   `.fileTimedOut` (the disk took longer than `finishTimeout`) the file may exist, if it was being renamed.
    public func finish(_ completion: @escaping (SocketError?) -> Void) {
        guard case .open = state else { return }
        state = .finishing(completion)
        deadline = loop.setTimer(after: finishTimeout, target: FinishDeadline(self))
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

/// The file, as the helper threads use it. A thread takes it out of the state to write, so a silent disk blocks no
/// other thread. If the file is discarded meanwhile, the writing thread removes it.
private final class SinkFile: Sendable {
    private struct Temporary {
        var descriptor: Int32 = -1
        var path: String?
    }

    private struct State {
        var temporary = Temporary()
        var isDiscarded = false
        /// Complete and renamed.
        var hasName = false
    }

    let path: String
    private let synchronizes: Bool
    private let threads: HelperThreads
    private let state = Lock(State())

    init(path: String, synchronizes: Bool, threads: HelperThreads) {
        self.path = path
        self.synchronizes = synchronizes
        self.threads = threads
    }

    /// Creates the file on the first call, appends, and renames it after the last bytes.
    func write(_ bytes: [UInt8], isLast: Bool) -> SocketError? {
        guard var temporary = take() else { return nil }
        do throws(SocketError) {
            if temporary.path == nil { temporary = try open() }
            try append(bytes, to: temporary.descriptor)
            if isLast { try commit(&temporary) }
        } catch {
            state.withLock { $0.isDiscarded = true }
            discard(temporary)
            return error
        }
        let isWanted = state.withLock { state in
            if isLast {
                state.hasName = temporary.path == nil
                state.isDiscarded = true
            }
            if !state.isDiscarded { state.temporary = temporary }
            return !state.isDiscarded
        }
        if !isWanted { discard(temporary) }
        return nil
    }

    var hasName: Bool { state.withLock { $0.hasName } }

    /// nil once the file is discarded or renamed.
    private func take() -> Temporary? {
        state.withLock { state in
            guard !state.isDiscarded else { return nil }
            let temporary = state.temporary
            state.temporary = Temporary()
            return temporary
        }
    }

    /// Leaves removing the file to the thread that writes it, or to a helper thread. Removes it here if none is free.
    func discardElsewhere() {
        let temporary = state.withLock { state in
            state.isDiscarded = true
            let temporary = state.temporary
            state.temporary = Temporary()
            return temporary
        }
        guard temporary.path != nil else { return }
        if !threads.submit({ self.discard(temporary) }) { discard(temporary) }
    }

    private func open() throws(SocketError) -> Temporary {
        try SocketError.checkPath(path)
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? ""
        // Check now, so that a bad name fails on the first write and not after the last one.
        let nameLength = path.utf8.count - folder.utf8.count
        guard nameLength > 0 else { throw SocketError(.file, EISDIR, subject: path) }
        guard nameLength <= Int(NAME_MAX) else { throw SocketError(.file, ENAMETOOLONG, subject: path) }
        for _ in 0..<8 {
            // A random name: adding to the file's own name could exceed the file system's limit.
            let temporary = "\(folder).\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).part"
            let descriptor = Glibc.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            if descriptor >= 0, Descriptor.isSpare(descriptor) {
                close(descriptor)
                unlink(temporary)
                throw SocketError(.file, EMFILE, subject: path)
            }
            if descriptor >= 0 { return Temporary(descriptor: descriptor, path: temporary) }
            guard errno == EEXIST else { break }
        }
        throw SocketError(.file, errno, subject: path)
    }

    private func append(_ bytes: [UInt8], to descriptor: Int32) throws(SocketError) {
        let code = bytes.withUnsafeBytes { Descriptor.write($0, to: descriptor) }
        guard code == 0 else { throw SocketError(.file, code, subject: path) }
    }

    private func commit(_ temporary: inout Temporary) throws(SocketError) {
        guard let unnamed = temporary.path else { return }
        if synchronizes, fsync(temporary.descriptor) != 0 { throw SocketError(.file, errno, subject: path) }
        let isClosed = close(temporary.descriptor) == 0
        temporary.descriptor = -1
        // Some file systems report a full disk only here.
        guard isClosed || errno == EINTR else { throw SocketError(.file, errno, subject: path) }
        // It may have been discarded meanwhile.
        if state.withLock({ $0.isDiscarded }) { return }
        guard rename(unnamed, path) == 0 else { throw SocketError(.file, errno, subject: path) }
        temporary.path = nil
        if synchronizes { synchronizeFolder() }
    }

    /// Makes the new name survive a crash as well (fsync(2)).
    private func synchronizeFolder() {
        let end = path.lastIndex(of: "/")
        let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private func discard(_ temporary: Temporary) {
        if temporary.descriptor >= 0 { close(temporary.descriptor) }
        if let path = temporary.path { unlink(path) }
    }
}
