package import EventIO
import Glibc

/// What signals do to a server: SIGTERM and SIGINT ask it to leave, and the second of them ends it at once; SIGHUP,
/// SIGUSR1 and SIGUSR2 do not end it.
package enum Signals {
    /// The message for a SIGHUP of a server that has no gateway.
    package static let hangUpIgnored: StaticString = "SIGHUP ignored: there is nothing to reload"

    /// Keeps SIGHUP, SIGUSR1 and SIGUSR2 from ending the program: the first call of a server, before it has threads. A
    /// SIGHUP waits until `watch` takes it. What a program has set for SIGUSR1 or SIGUSR2 itself stays.
    package static func prepare() {
        // Blocked in this thread and those that it makes, until the loop of `watch` takes it; in any other thread it runs a
        // handler that does nothing. SIG_IGN would throw a waiting one away.
        setHandler(of: SIGHUP, signalIgnored)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGHUP)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        for signal in [SIGUSR1, SIGUSR2] where isDefault(signal) { setHandler(of: signal, signalIgnored) }
    }

    /// Calls `onFirst` on the loop at the first SIGTERM or SIGINT; the loop watches until it ends. A second one ends the
    /// process at once, with the exit code 128 plus its number. Calls `onHangUp` on the loop at each SIGHUP.
    package static func watch(
        on loop: EventLoop, onHangUp: @escaping @Sendable () -> Void, onFirst: @escaping @Sendable () -> Void
    ) throws(SocketError) {
        let failure = loop.runBlocking { () -> SocketError? in
            let turn = Turn()
            do throws(SocketError) {
                // Held by their loop until that ends.
                _ = try SignalSource(SIGHUP, loop: loop, onSignal: onHangUp)
                for signal in [SIGTERM, SIGINT] {
                    _ = try SignalSource(signal, loop: loop) {
                        turn.count += 1
                        if turn.count > 1 { _exit(128 + signal) }
                        onFirst()
                    }
                }
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    private static func isDefault(_ signal: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return false }
        // SIG_DFL is the null pointer.
        return action.__sigaction_handler.sa_handler == nil
    }

    private static func setHandler(of signal: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = handler
        action.sa_flags = SA_RESTART
        sigaction(signal, &action, nil)
    }

    /// Signals seen so far; on the loop only.
    private final class Turn {
        var count = 0
    }
}

/// Runs in signal context.
private func signalIgnored(_: Int32) {}
