import Glibc

/// What the kernel counts for this process (proc(5)). Nil is unknown.
package struct ProcessUsage {
    /// Processor time, user and system.
    package let processorSeconds: Double?
    /// In bytes; 0 if it is unknown.
    package let residentMemory: Int
    package let openDescriptors: Int?
    package let mostDescriptors: Int?

    package static var now: ProcessUsage {
        var usage = rusage()
        var seconds: Double?
        if getrusage(RUSAGE_SELF.rawValue, &usage) == 0 {
            let whole = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
            seconds = Double(whole) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
        }
        var limit = rlimit()
        let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        return ProcessUsage(
            processorSeconds: seconds, residentMemory: ProcessLimits.residentMemory(),
            openDescriptors: countDescriptors(),
            mostDescriptors: isKnown ? Int(clamping: limit.rlim_cur) : nil)
    }

    /// Returns nil if no descriptor is left to count them with.
    private static func countDescriptors() -> Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Without `.`, `..` and the folder itself.
        return count - 3
    }

    /// When the process started, in seconds since 1970.
    package static let startTime: Double? = {
        var now = timespec()
        var sinceBoot = timespec()
        guard let ticks = startTicks(in: ProcessLimits.contents(of: "/proc/self/stat")),
            clock_gettime(CLOCK_REALTIME, &now) == 0, clock_gettime(CLOCK_BOOTTIME, &sinceBoot) == 0
        else { return nil }
        let age = Double(sinceBoot.tv_sec) - Double(ticks) / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
        return (Double(now.tv_sec) - age).rounded()
    }()

    /// Parses the 22nd field of proc(5)'s `stat`. The second one is a name in parentheses, of any bytes.
    static func startTicks(in stat: String) -> Int? {
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[end...].split(separator: " ")
        return fields.count > 20 ? Int(fields[20]) : nil
    }
}
