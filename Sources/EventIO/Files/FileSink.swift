import Glibc
import Locking
import Rx

/// Writes a file for a loop, on helper threads: into a temporary one in the same folder, which takes its name when it is
/// whole, and is removed where it does not come to that. Confined to its loop.
///
/// In memory are at most `bufferSize` bytes that wait and as many that are being written, and what one `write` had.
public final class FileSink {
    /// Bytes that are gathered for one writing.
    static let bufferSize = 64 << 10
    /// How long the disk may take for the last bytes and the name, after `finish`.
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
    /// Called from the loop when there is room again, after a `write` that said that there is none.
    public var hasRoom: (() -> Void)?
    /// Called from the loop, once, where a writing failed: nothing is written any more, nor left behind.
    public var failed: ((SocketError) -> Void)?
    /// Bytes given to it.
    private(set) var byteCount: Int64 = 0

    /// - Parameters:
    ///   - path: what is there is replaced in the end, and not before.
    ///   - synchronizes: have the disk hold it before it takes its name (fsync), and the name too: it survives a crash of
    ///     the machine, and takes the time that it takes.
    public convenience init(path: String, on loop: EventLoop, synchronizes: Bool = false) {
        self.init(path: path, on: loop, synchronizes: synchronizes, threads: FileThreads.shared)
    }

    init(
        path: String, on loop: EventLoop, synchronizes: Bool, threads: HelperThreads,
        finishTimeout: TimeAmount = FileSink.finishTimeout
    ) {
        loop.preconditionCurrent("a file is written for its event loop")
        self.loop = loop
        self.threads = threads
        self.finishTimeout = finishTimeout
        file = SinkFile(path: path, synchronizes: synchronizes, threads: threads)
    }

    deinit { if case .over = state {} else { file.discardElsewhere() } }

    /// Takes a copy.
    ///
    /// - Returns: whether there is room for more. All is taken in any case: the bound is the writer's to keep.
    public func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard case .open = state else { return false }
        waiting.append(contentsOf: bytes)
        byteCount += Int64(bytes.count)
        if waiting.count >= Self.bufferSize { writeOn() }
        isFull = waiting.count >= Self.bufferSize
        return !isFull
    }

    /// It is whole: the rest is written and it takes its name.
    ///
    /// - Parameter completion: called from the loop, once, with nil or why there is no such file. Not after `cancel`.
    ///   `.fileTimedOut`: the disk has not done it within `finishTimeout`; where that comes as the file takes its name, it may
    ///   be there.
    public func finish(_ completion: @escaping (SocketError?) -> Void) {
        guard case .open = state else { return }
        state = .finishing(completion)
        deadline = loop.setTimer(after: finishTimeout, target: Deadline(self))
        writeOn()
    }

    /// It is not wanted any more: nothing is told, and nothing left behind.
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

    private func writeOn() {
        guard !isWriting else { return }
        isWriting = true
        var bytes: [UInt8] = []
        swap(&bytes, &waiting)
        let isLast = if case .finishing = state { true } else { false }
        let home = LoopBound(self, loop: loop)
        let (loop, file) = (loop, file)
        let isTaken = threads.submit { [bytes] in
            let error = file.write(bytes, isLast: isLast)
            // Where the loop has ended nobody waits, and the file goes with the sink, but for one that is whole.
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
        // The word of it is on its way.
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
            guard wasLast else { return writeOn() }
            end()
            completion(nil)
        case .open:
            if waiting.count >= Self.bufferSize { writeOn() }
            guard isFull, waiting.count < Self.bufferSize else { return }
            isFull = false
            hasRoom?()
        }
    }
}

/// Ends the wait for a disk that keeps silent.
private final class Deadline: TimerTarget {
    private let sink: FileSink

    init(_ sink: FileSink) { self.sink = sink }

    func timerFired(_ token: TimerToken) { sink.isLate() }
}

/// The file, on the helper threads. Who writes has taken it out of the state: a disk that keeps silent keeps nobody else
/// waiting, and the file is removed then by who writes it.
private final class SinkFile: Sendable {
    /// As it is while it has not its name yet.
    private struct Temporary {
        var descriptor: Int32 = -1
        var path: String?
    }

    private struct State {
        var temporary = Temporary()
        var isDiscarded = false
        /// Whole, and all done.
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

    /// Makes the file where it is not made yet, appends, and gives it its name with the last bytes.
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

    /// Nil where it is discarded, or has its name.
    private func take() -> Temporary? {
        state.withLock { state in
            guard !state.isDiscarded else { return nil }
            let temporary = state.temporary
            state.temporary = Temporary()
            return temporary
        }
    }

    /// Removes it, on a helper thread: on the one that writes, if one does; where none can be had, here.
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
        // Found out now, not when all has come.
        let nameLength = path.utf8.count - folder.utf8.count
        guard nameLength > 0 else { throw SocketError(.file, EISDIR, subject: path) }
        guard nameLength <= Int(NAME_MAX) else { throw SocketError(.file, ENAMETOOLONG, subject: path) }
        for _ in 0..<8 {
            // A name of its own: with the file's name in it, it would be too long for the file system where that is long.
            let temporary = "\(folder).\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).part"
            // Of whoever may read it, as the process's umask says.
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
        let code = bytes.withUnsafeBytes { bytes -> Int32 in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(
                    descriptor, rest.base.baseAddress.map { $0 + rest.startIndex }, rest.count)
                if count < 0 {
                    guard errno == EINTR else { return errno }
                } else {
                    rest = rest.dropFirst(count)
                }
            }
            return 0
        }
        guard code == 0 else { throw SocketError(.file, code, subject: path) }
    }

    private func commit(_ temporary: inout Temporary) throws(SocketError) {
        guard let unnamed = temporary.path else { return }
        if synchronizes, fsync(temporary.descriptor) != 0 { throw SocketError(.file, errno, subject: path) }
        let isClosed = close(temporary.descriptor) == 0
        temporary.descriptor = -1
        // Some file systems tell a full disk only here.
        guard isClosed || errno == EINTR else { throw SocketError(.file, errno, subject: path) }
        // It may have taken so long that nobody waits for it any more.
        if state.withLock({ $0.isDiscarded }) { return }
        guard rename(unnamed, path) == 0 else { throw SocketError(.file, errno, subject: path) }
        temporary.path = nil
        if synchronizes { synchronizeFolder() }
    }

    /// The name survives a crash, too (fsync(2)).
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
