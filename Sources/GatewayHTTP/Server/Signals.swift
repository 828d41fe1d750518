import EventIO
import Glibc

/// A server's signals: the first SIGTERM or SIGINT drains it, the second ends it; SIGHUP, SIGUSR1 and SIGUSR2
/// never do.
package enum Signals {
    /// Keeps SIGHUP, SIGUSR1 and SIGUSR2 from ending the program. A server calls it first, before it has
    /// threads. A SIGHUP stays pending until `watch` takes it. Handlers that the program has set for SIGUSR1
    /// or SIGUSR2 stay.
    package static func prepare() {
        // Blocked in this thread and the threads it creates, until the loop of `watch` takes it. In any other
        // thread an empty handler runs. SIG_IGN would discard a pending signal.
        setHandler(of: SIGHUP, signalIgnored)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGHUP)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        for signal in [SIGUSR1, SIGUSR2] where isDefault(signal) { setHandler(of: signal, signalIgnored) }
    }

    /// Calls `onFirst` on the loop at the first SIGTERM or SIGINT. A second one ends the process at once,
    /// with the exit code 128 plus its number. Calls `onHangUp` on the loop at each SIGHUP. The loop watches
    /// until it ends.
    static func watch(
        on loop: EventLoop, onHangUp: @escaping @Sendable () -> Void, onFirst: @escaping @Sendable () -> Void
    ) throws(SocketError) {
        let failure = loop.runBlocking { () -> SocketError? in
            let received = ReceivedSignals()
            do throws(SocketError) {
                // The loop holds the sources until it ends.
                _ = try SignalSource(SIGHUP, loop: loop, onSignal: onHangUp)
                for signal in [SIGTERM, SIGINT] {
                    _ = try SignalSource(signal, loop: loop) {
                        received.count += 1
                        if received.count > 1 { _exit(128 + signal) }
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

    /// Counts SIGTERM and SIGINT. Confined to the loop.
    private final class ReceivedSignals {
        var count = 0
    }
}

/// Runs in a signal handler's context.
private func signalIgnored(_: Int32) {}
