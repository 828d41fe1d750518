import Glibc

/// The limits of the process (`getrlimit`).
public enum ProcessLimits {
    /// Raises the soft limit of open descriptors to the hard limit, and returns it.
    @discardableResult
    public static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// The cores that the affinity mask and the control group's `cpu.max` allow, rounded up; at least 1.
    public static func usableCores() -> Int {
        let status = contents(of: "/proc/self/status")
        let allowed = coresAllowed(byStatus: status) ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let group = controlGroup(in: contents(of: "/proc/self/cgroup"))
        var cores = allowed
        for directory in ancestors(of: group) {
            let quota = contents(of: "/sys/fs/cgroup\(directory)/cpu.max")
            if let limit = coresLeft(byQuota: quota) { cores = min(cores, limit) }
        }
        return cores
    }

    /// The memory in bytes that the machine has and the control group's `memory.max` allows.
    public static func usableMemory() -> Int {
        var memory = max(1, sysconf(Int32(_SC_PHYS_PAGES))) * max(1, sysconf(Int32(_SC_PAGESIZE)))
        let group = controlGroup(in: contents(of: "/proc/self/cgroup"))
        for directory in ancestors(of: group) {
            if let limit = memoryLimit(in: contents(of: "/sys/fs/cgroup\(directory)/memory.max")) {
                memory = min(memory, limit)
            }
        }
        return memory
    }

    /// The bytes of this process that are in memory; 0 if they are unknown.
    static func residentMemory() -> Int {
        residentMemory(in: contents(of: "/proc/self/statm"))
    }

    /// Parses proc(5)'s `statm`: the second number is the resident size in pages.
    static func residentMemory(in text: String) -> Int {
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * max(1, sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Parses `memory.max`: a number of bytes, or `max`.
    static func memoryLimit(in text: String) -> Int? {
        text.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }
    }

    /// Parses a line of proc(5): `Cpus_allowed_list: 0-3,8` means five cores.
    static func coresAllowed(byStatus status: String) -> Int? {
        let key = "Cpus_allowed_list:"
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(key) }) else { return nil }
        var count = 0
        for range in line.dropFirst(key.count).split(separator: ",") {
            let ends = range.split(separator: "-").map { Int($0.filter(\.isNumber)) }
            guard let first = ends.first ?? nil, let last = ends.last ?? nil, first <= last else {
                return nil
            }
            count += last - first + 1
        }
        return count > 0 ? count : nil
    }

    /// Parses the control group of version 2: `0::/system.slice`.
    static func controlGroup(in text: String) -> String {
        let line = text.split(separator: "\n").first { $0.hasPrefix("0::/") }
        return line.map { String($0.dropFirst(3)) } ?? "/"
    }

    /// Returns the group and its ancestors, whose limits all apply: `/a/b`, `/a` and the root.
    static func ancestors(of group: String) -> [String] {
        var parts = group.split(separator: "/")
        var directories: [String] = []
        while !parts.isEmpty {
            directories.append("/" + parts.joined(separator: "/"))
            parts.removeLast()
        }
        return directories + [""]
    }

    /// Parses `cpu.max`: `150000 100000` (quota and period in microseconds) means 1.5 cores, rounded up to
    /// two.
    static func coresLeft(byQuota text: String) -> Int? {
        let numbers = text.split(whereSeparator: \.isWhitespace).map { Int($0) }
        guard numbers.count == 2, let quota = numbers[0], let period = numbers[1], period > 0, quota > 0
        else {
            return nil
        }
        return quota / period + (quota % period > 0 ? 1 : 0)
    }

    /// Reads a small kernel file; empty if that fails.
    static func contents(of path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        let bytes = [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
            while count < buffer.count {
                let length = read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
                guard length > 0 else { break }
                count += length
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
