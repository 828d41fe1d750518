public import Metrics

/// Loops that run on their own threads until `shutdown`.
public final class EventLoopGroup: Sendable {
    /// The loops, each with its thread.
    public let loops: [EventLoop]
    /// What the loops count.
    public let metrics: MetricTable
    private let threads: [LoopThread]

    /// Starts `count` loops, by default one per usable core.
    public init(count: Int = ProcessLimits.usableCores(), name: String = "loop") throws(SocketError) {
        precondition(count > 0, "a group needs at least one loop")
        let metrics = MetricTable()
        self.metrics = metrics
        var loops: [EventLoop] = []
        for index in 0..<count {
            loops.append(try EventLoop(name: "\(name)-\(index)", index: index, metrics: metrics))
        }
        self.loops = loops
        var threads: [LoopThread] = []
        do throws(SocketError) {
            for loop in loops { threads.append(try LoopThread(loop)) }
        } catch {
            for (loop, thread) in zip(loops, threads) {
                loop.stop()
                thread.join()
            }
            throw error
        }
        self.threads = threads
    }

    /// Ends all loops and waits for their threads. Do not call it on one of the loops.
    public func shutdown() {
        precondition(
            !loops.contains(where: \.isCurrent), "a group must not be shut down from one of its loops")
        for loop in loops { loop.stop() }
        for thread in threads { thread.join() }
    }
}

private final class LoopThread: Sendable {
    /// Keeps a task-local value set while the loop runs. Outside of tasks the first value allocates storage
    /// that the last one frees. With one value always set, each other value (such as a request's context)
    /// saves an allocation.
    @TaskLocal private static var isLoop = false

    private let thread: NativeThread

    init(_ loop: EventLoop) throws(SocketError) {
        thread = try NativeThread(name: loop.name) {
            Self.$isLoop.withValue(true) { loop.run() }
        }
    }

    func join() {
        thread.join()
    }
}
