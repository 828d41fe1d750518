import Foundation
import Glibc

enum Clock {
    /// CPU time of this thread in microseconds.
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }

    /// Returns the least microseconds of a call, which is repeated for `time` microseconds and at least five
    /// times.
    static func least(_ time: Double, _ body: () throws -> Void) rethrows -> Double {
        var least = Double.infinity
        var count = 0
        let end = now + time
        while count < 5 || now < end {
            let start = now
            try body()
            least = min(least, now - start)
            count += 1
        }
        return least
    }
}

func number(_ value: Double, _ digits: Int = 1) -> String { String(format: "%.\(digits)f", value) }

extension String {
    func aligned(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
    func leftAligned(_ width: Int) -> String { padding(toLength: width, withPad: " ", startingAt: 0) }
}
