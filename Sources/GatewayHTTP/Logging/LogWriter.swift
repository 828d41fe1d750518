import Dispatch
import Glibc
@_spi(Lines) package import JSONBytes
import Locking
import Synchronization

/// Writes log lines to a file descriptor from a thread of its own, so that a reader which is slow, stuck or
/// gone never blocks an event loop.
///
/// Each loop appends to a channel of its own; the thread empties all channels in turn. A channel holds at most
/// `Limits.channelBytes`; a line that does not fit is dropped and counted, and the count is written as a line
/// as soon as lines flow again.
package final class LogWriter: Sendable {
    enum Limits {
        /// Bytes that one loop may have waiting. 1 MiB is some 3000 lines.
        static let channelBytes = 1 << 20
        /// Pause after each batch, so that under load one wake-up serves many lines.
        static let pauseMicroseconds: UInt32 = 10_000
        /// Longest time that `close` waits for a reader that does not read.
        static let closeDeadline = DispatchTimeInterval.seconds(1)
    }

    private let descriptor: Int32
    private let channels = Lock<[LogChannel]>([])
    private let wakeUp = DispatchSemaphore(value: 0)
    private let finished = DispatchSemaphore(value: 0)
    private let closing = Atomic<Bool>(false)

    /// Has the process ignore SIGPIPE from here on: a reader that goes away is an error to count, not an end.
    ///
    /// - Parameter descriptor: stays the caller's, who may close it at any time. Lines go to a duplicate of it: those that a
    ///   stuck reader holds up for longer than `close` waits never come to a connection that got the number next.
    package init(descriptor: Int32) {
        // Where there is no duplicate, every write fails, and lines are dropped and counted.
        self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        signal(SIGPIPE, SIG_IGN)
        DispatchQueue(label: "sluice.log").async { [self] in
            run()
            Glibc.close(self.descriptor)
            finished.signal()
        }
    }

    /// A channel for one loop. Channels live as long as the writer.
    package func makeChannel() -> LogChannel {
        let channel = LogChannel(wakeUp: wakeUp)
        channels.withLock { $0.append(channel) }
        return channel
    }

    /// Lines dropped so far, over all channels.
    package var droppedLines: Int {
        channels.withLock { $0 }.reduce(0) { $0 + $1.droppedInAll }
    }

    /// Writes what is waiting and ends the thread; gives up after a second if nobody reads.
    package func close() {
        guard !closing.exchange(true, ordering: .sequentiallyConsistent) else { return }
        wakeUp.signal()
        _ = finished.wait(timeout: .now() + Limits.closeDeadline)
    }

    private func run() {
        var batch: [UInt8] = []
        var output = LogOutput()
        while true {
            wakeUp.wait()
            let last = closing.load(ordering: .sequentiallyConsistent)
            for channel in channels.withLock({ $0 }) {
                let told = channel.take(into: &batch)
                output.begin(&batch)
                let lost = output.lostLines(of: batch, written: write(batch))
                if lost > 0 { channel.dropped(lost, telling: told) }
                batch.removeAll(keepingCapacity: true)
            }
            if last { return }
            usleep(Limits.pauseMicroseconds)
        }
    }

    /// Returns how many bytes the descriptor took: fewer where it takes no more (its reader is gone, its disk is full).
    private func write(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            writing: while !rest.isEmpty {
                let count = Glibc.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    // The descriptor was made non-blocking by whoever shares it: wait for room.
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

/// One loop's way into a `LogWriter`: an append under a lock that only the writer's thread shares.
package final class LogChannel: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var dropped = 0
        var droppedInAll = 0
    }

    private let state = Lock(State())
    private let wakeUp: DispatchSemaphore

    fileprivate init(wakeUp: DispatchSemaphore) {
        self.wakeUp = wakeUp
    }

    /// Appends one line, its line feed included, or counts it as dropped where the channel is full.
    package func append(_ line: borrowing JSONLine) {
        if append(line.bytes) { wakeUp.signal() }
    }

    /// Whether nothing was waiting before.
    private func append(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        state.withLock { state -> Bool in
            let wasEmpty = state.bytes.isEmpty
            guard state.bytes.count + line.count <= LogWriter.Limits.channelBytes else {
                state.dropped += 1
                state.droppedInAll += 1
                return false
            }
            state.bytes.append(contentsOf: line)
            return wasEmpty
        }
    }

    fileprivate var droppedInAll: Int { state.withLock { $0.droppedInAll } }

    /// Swaps buffers with `batch`, which is empty, so that neither side allocates once both have grown.
    ///
    /// - Returns: how many dropped lines the last line of the batch tells of; 0: it is a line like the others.
    fileprivate func take(into batch: inout [UInt8]) -> Int {
        let dropped = state.withLock { state -> Int in
            swap(&state.bytes, &batch)
            defer { state.dropped = 0 }
            return state.dropped
        }
        if dropped > 0 {
            batch.append(contentsOf: Array("{\"event\":\"log lines dropped\",\"count\":\(dropped)}\n".utf8))
        }
        return dropped
    }

    /// Lines were not written.
    ///
    /// - Parameter told: what `take` returned: the line that tells of those is among the lost ones, and is told again.
    fileprivate func dropped(_ lines: Int, telling told: Int) {
        let lost = told > 0 ? lines - 1 : lines
        state.withLock { state in
            state.dropped += lost + told
            state.droppedInAll += lost
        }
    }
}
