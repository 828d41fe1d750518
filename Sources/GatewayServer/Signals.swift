package import EventIO
import Glibc

/// SIGTERM and SIGINT: the first asks a program to leave, the second ends it at once.
package enum Signals {
    /// Calls `onFirst` on the loop at the first signal; the loop watches until it ends. A second one ends the process at once, with the exit code 128
    /// plus its number.
    package static func watch(on loop: EventLoop, onFirst: @escaping @Sendable () -> Void) throws(SocketError)
    {
        let failure = loop.runBlocking { () -> SocketError? in
            let turn = Turn()
            do throws(SocketError) {
                for signal in [SIGTERM, SIGINT] {
                    // Held by its loop until that ends.
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

    /// Signals seen so far; on the loop only.
    private final class Turn {
        var count = 0
    }
}
