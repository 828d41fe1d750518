import Rx

/// Asks streams that went quiet after a read once more whether they still live.
///
/// When data and the RST behind it arrive before one wake, epoll raises one edge for both, and libevent shows
/// it as plain readiness: a short read takes the data, and nobody hears of the RST. A second read after each
/// would find it at the price of a system call per request. Instead a stream that has read, and for 25 to 50 ms
/// neither read nor written since, is read once more. A busy connection never is.
final class QuietStreams: TimerTarget {
    private static let period = TimeAmount.milliseconds(25)

    private unowned let loop: EventLoop
    // The loop's alone.
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
