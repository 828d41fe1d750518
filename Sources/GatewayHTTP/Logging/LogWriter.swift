import Dispatch
import EventIO
import GatewayConfig
import Glibc
@_spi(Lines) import JSONBytes
import Locking
import Synchronization

/// Writes log lines on a separate thread, so that a slow, stuck or vanished reader never blocks an event
/// loop.
///
/// Each loop appends to its own channel; the thread empties all channels in turn. A channel holds at most
/// `Limits.channelBytes`. A line that does not fit is dropped and counted, and the count is written as a line
/// once lines can be written again.
final class LogWriter: Sendable {
    enum Limits {
        /// Bytes of one loop that may wait. 1 MiB is about 3000 lines.
        static let channelBytes = 1 << 20
        /// Pause after each batch, so that one wake-up writes many lines under load.
        static let pauseMicroseconds: UInt32 = 10_000
        /// How long `close` waits for a stuck reader.
        static let closeDeadline = DispatchTimeInterval.seconds(1)
    }

    private let descriptor: Int32
    private let rawStyle: Atomic<LogStyle.RawValue>
    private let channels = Lock<[LogChannel]>([])
    private let wakeUp = DispatchSemaphore(value: 0)
    private let finished = DispatchSemaphore(value: 0)
    private let closing = Atomic<Bool>(false)
    private let hasStarted = Atomic<Bool>(false)

    /// Makes the process ignore SIGPIPE, so that a reader that goes away does not end it.
    ///
    /// - Parameters:
    ///   - descriptor: the caller keeps it and may close it. Lines are written to a duplicate: if a stuck
    ///     reader delays them beyond `close`, they cannot end up in a connection that has reused the number.
    ///   - style: how the lines look.
    init(descriptor: Int32, style: LogStyle = .json) {
        rawStyle = Atomic(style.rawValue)
        // Without a duplicate every write fails, and lines are dropped and counted.
        self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Starts the thread, unless it runs.
    private func start() {
        guard !hasStarted.exchange(true, ordering: .relaxed) else { return }
        DispatchQueue(label: "sluice.log").async { [self] in
            run()
            Glibc.close(descriptor)
            finished.signal()
        }
    }

    /// How the lines look. Those that wait keep their style.
    var style: LogStyle { LogStyle(rawValue: rawStyle.load(ordering: .relaxed)) ?? .json }

    /// Lines look like this from now on.
    func use(_ format: LogFormat) {
        rawStyle.store(LogStyle(format, of: descriptor).rawValue, ordering: .relaxed)
    }

    /// Returns a new channel for one loop. Channels live as long as the writer, whose thread runs from the
    /// first one on.
    func makeChannel() -> LogChannel {
        start()
        let channel = LogChannel(wakeUp: wakeUp)
        channels.withLock { $0.append(channel) }
        return channel
    }

    var droppedLines: Int {
        channels.withLock { $0 }.reduce(0) { $0 + $1.totalDropped }
    }

    /// Writes the waiting lines and ends the thread. Gives up after a second without a reader.
    func close() {
        guard !closing.exchange(true, ordering: .sequentiallyConsistent) else { return }
        start()
        wakeUp.signal()
        _ = finished.wait(timeout: .now() + Limits.closeDeadline)
    }

    private func run() {
        var batch: [UInt8] = []
        var output = LogOutput()
        var memory = MemoryFollower()
        while true {
            memory.wait(for: wakeUp)
            let last = closing.load(ordering: .sequentiallyConsistent)
            for channel in channels.withLock({ $0 }) {
                let reported = channel.take(into: &batch, style)
                output.begin(&batch)
                let lost = output.lostLines(of: batch, written: write(batch))
                if lost > 0 { channel.dropped(lost, reported: reported) }
                batch.removeAll(keepingCapacity: true)
            }
            if last { return }
            usleep(Limits.pauseMicroseconds)
        }
    }

    /// Returns how many bytes were written: fewer than given if the reader is gone or the disk is full.
    private func write(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            writing: while !rest.isEmpty {
                let count = Glibc.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    // Another process that shares the descriptor has made it non-blocking: wait for room.
                    var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = Glibc.poll(&poll, 1, 100)
                } else if errno != EINTR {
                    break writing
                }
            }
            return buffer.count - rest.count
        }
    }
}

/// One loop's queue of lines for a `LogWriter`. Only the loop and the writer's thread share its lock.
final class LogChannel: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var dropped = 0
        var totalDropped = 0
    }

    private let state = Lock(State())
    private let wakeUp: DispatchSemaphore

    fileprivate init(wakeUp: DispatchSemaphore) {
        self.wakeUp = wakeUp
    }

    /// Appends one line, which ends with a line feed, or counts it as dropped if the channel is full.
    func append(_ line: borrowing JSONLine) {
        if append(line.bytes) { wakeUp.signal() }
    }

    /// Returns true if the channel was empty before.
    private func append(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        state.withLock { state -> Bool in
            let wasEmpty = state.bytes.isEmpty
            guard state.bytes.count + line.count <= LogWriter.Limits.channelBytes else {
                state.dropped += 1
                state.totalDropped += 1
                return false
            }
            state.bytes.append(contentsOf: line)
            return wasEmpty
        }
    }

    fileprivate var totalDropped: Int { state.withLock { $0.totalDropped } }

    /// Swaps buffers with `batch`, which is empty, so that neither side allocates once both have grown.
    ///
    /// - Returns: how many dropped lines the last line of the batch reports; 0 if it is an ordinary line.
    fileprivate func take(into batch: inout [UInt8], _ style: LogStyle) -> Int {
        let dropped = state.withLock { state -> Int in
            swap(&state.bytes, &batch)
            defer { state.dropped = 0 }
            return state.dropped
        }
        if dropped > 0 {
            var line = JSONLine(capacity: 96)
            if style == .json {
                var timestamp = Timestamp()
                line.constant(#"{"time":""#)
                timestamp.write(to: &line)
                line.constant(#"","event":"log lines dropped","count":"#)
                line.integer(dropped)
                line.constant("}\n")
            } else {
                Timestamp.write(timeOfDay: &line)
                line.constant(" log lines dropped  count=")
                line.integer(dropped)
                line.constant("\n")
            }
            batch.append(contentsOf: line.bytes)
        }
        return dropped
    }

    /// Counts lost lines. If the report of dropped lines is one of them, the `reported` lines are counted
    /// again.
    fileprivate func dropped(_ lines: Int, reported: Int) {
        let lost = reported > 0 ? lines - 1 : lines
        state.withLock { state in
            state.dropped += lost + reported
            state.totalDropped += lost
        }
    }
}
