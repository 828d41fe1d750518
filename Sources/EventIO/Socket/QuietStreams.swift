import Timers

/// Reads streams once more after they went quiet, to see whether they are still alive.
///
/// If data and an RST arrive before one wake, epoll raises one edge for both and libevent reports plain
/// readiness: a short read takes the data and misses the RST. A second read after each would find it, at the
/// cost of a system call per request. Instead a stream that has read, and then neither read nor written for
/// 25 to 50 ms, is read once more. A busy connection never is.
final class QuietStreams: TimerTarget {
    private static let period = TimeAmount.milliseconds(25)

    private unowned let loop: EventLoop
    private var streams: [SocketStream] = []
    private var checked: [SocketStream] = []
    private var isTimerSet = false

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    func watch(_ stream: SocketStream) {
        streams.append(stream)
        guard !isTimerSet else { return }
        isTimerSet = true
        _ = loop.setTimer(after: Self.period, target: self)
    }

    func timerFired(_ token: TimerToken) {
        isTimerSet = false
        let now = loop.now
        swap(&streams, &checked)
        for stream in checked where stream.checkQuiet(since: now - Self.period) { watch(stream) }
        checked.removeAll(keepingCapacity: true)
    }

    func forgetAll() {
        streams = []
    }
}
