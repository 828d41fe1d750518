internal import EventIO
internal import Queues

/// What takes a step of a handshake when it has its turn.
protocol HandshakeWork: AnyObject {
    func handshakeTurn()
}

/// Limits the handshakes of a wake, each of which may take the time of a private key. The others wait for the
/// next wakes in order, and what is open is served in between.
final class HandshakeTurns {
    /// The time for them in a wake. The first one is free.
    static let length = TimeAmount.microseconds(500)

    private unowned let loop: EventLoop
    private var waiting = Queue<any HandshakeWork>()
    private var isScheduled = false

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    /// Lets a connection take the next step of its handshake soon.
    func add(_ work: any HandshakeWork) {
        waiting.append(work)
        schedule()
    }

    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        loop.defer(self)
    }
}

extension HandshakeTurns: DeferredWork {
    /// Takes the steps that a wake has time for.
    func runDeferred() {
        isScheduled = false
        let began = MonotonicTime.clock()
        // What is added meanwhile has its turn in the next wake.
        var left = waiting.count
        while left > 0, let work = waiting.popFirst() {
            work.handshakeTurn()
            left -= 1
            if .clock() - began >= Self.length { break }
        }
        if !waiting.isEmpty { schedule() }
    }
}
