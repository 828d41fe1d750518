import Foundation
import Glibc

/// Resident memory of the process in KiB (proc(5)), and CPU time.
enum Memory {
    /// Resets the peak and returns it.
    static func reset() -> Int {
        let descriptor = open("/proc/self/clear_refs", O_WRONLY)
        _ = write(descriptor, "5", 1)
        close(descriptor)
        return field("VmHWM")
    }

    static var peak: Int { field("VmHWM") }

    /// CPU time of this thread in microseconds.
    static var cpuTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }

    private static func field(_ name: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
