package import Foundation
import Glibc

extension Process {
    /// Waits until the process has ended. Foundation's `waitUntilExit` alone may notice the end 50 ms late.
    package func waitForEnd() {
        var information = siginfo_t()
        // Leaves the process to a thread of Foundation, which collects its status and then clears
        // `isRunning`.
        while waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        while isRunning { sched_yield() }
        // Returns at once, and lets Foundation free its resources.
        waitUntilExit()
    }
}
