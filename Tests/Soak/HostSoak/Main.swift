import GatewayHTTP
import Glibc
import HostCrowd
import NetworkingSession

/// Asks a gateway for so many upstreams of each kind. `make soak PROOF=hosts` runs it.
///
///     HostSoak COUNT    at most 1500 that are held at once, and 2000 that a redirect leads to
///
/// Prints a line for each crowd: its kind, the number of upstreams, the number of expected answers, the
/// largest tables of upstreams, pools and names meanwhile, the seconds, and the resident memory in KiB. The
/// last line has what is left once the idle connections have closed: upstreams, pools, names, unreachable
/// addresses, and the resident memory.
@main
enum HostSoak {
    static let loops = 2
    static let clients = 256
    /// As many as are in flight at once on two loops.
    static let held = 1500
    /// A redirect is compared with each allowed host, so that many would take hours.
    static let redirected = 2000

    static func main() async throws {
        guard CommandLine.arguments.count == 2, let count = Int(CommandLine.arguments[1]) else {
            print("usage: HostSoak COUNT")
            exit(2)
        }
        let crowd = try HostCrowd(loops: loops, idleTimeout: .seconds(1), addresses: redirected)
        // Brings the buffers and tables of each thread to their usual size.
        try await ask(crowd, .answering, 5000)
        for kind in HostCrowd.Kind.allCases {
            let most = kind == .held ? held : kind == .redirected ? redirected : count
            try await ask(crowd, kind, min(count, most))
        }
        let end = ContinuousClock.now + .seconds(10)
        while crowd.server.settled.tables != UpstreamTables(), ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(100))
        }
        let left = crowd.server.settled.tables
        print("left", left.upstreams, left.pools, left.names, left.unreachable, resident())
        crowd.stop()
    }

    private static func ask(_ crowd: HostCrowd, _ kind: HostCrowd.Kind, _ count: Int) async throws {
        let start = ContinuousClock.now
        let outcome = try await crowd.ask(kind, 0..<count, atOnce: kind == .held ? count : clients)
        let seconds = start.duration(to: .now) / .seconds(1)
        let peak = outcome.peak
        print(
            kind.rawValue, count, outcome.statuses[kind.status] ?? 0, peak.upstreams, peak.pools, peak.names,
            seconds, resident())
    }

    /// Resident memory in KiB.
    private static func resident() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE))) / 1024
    }
}
