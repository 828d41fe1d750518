import EventIO

/// Tells the service manager that the gateway is alive, while each loop answers. Has a thread of its own.
///
/// It sends at half of the manager's time, and only if each loop has answered a ping since the last time: a
/// loop that blocks for longer ends the process, and the manager starts another one.
final class Watchdog: Sendable {
    private let group: EventLoopGroup
    private let pulses: LoopBound<LoopPulses>

    /// Returns nil if the manager watches nothing.
    ///
    /// - Throws: the thread's loop cannot be made.
    init?(_ manager: ServiceManager, _ loops: [EventLoop]) throws(SocketError) {
        guard let interval = manager.watchdog else { return nil }
        group = try EventLoopGroup(count: 1, name: "sluice-watchdog")
        let loop = group.loops[0]
        pulses = LoopBound(on: loop) {
            LoopPulses(on: loop, every: interval / 2) { hasEachAnswered in
                if hasEachAnswered { manager.send("WATCHDOG=1") }
            }
        }
        loop.execute { [pulses] in pulses.value.begin(loops) }
    }

    func end() {
        pulses.loop.execute { [pulses] in pulses.value.end() }
        group.shutdown()
    }
}
