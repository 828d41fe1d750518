import Foundation
import Glibc
@_spi(Reading) import JSONBytes

/// Prints megabytes per second for each body: for `JSONScanner`, which validates it and captures the
/// envelope's members, and for Foundation's `JSONDecoder`. Then compares our coders with Foundation's, and
/// composes an envelope. Rates are per second of this thread's CPU time, so other load changes them little.
///
///     JSONBench [SECONDS per measurement, default 0.5] [--require MB/s]
///     JSONBench --decode COUNT, --encode COUNT   only this, for a profiler
///
/// With `--require` it exits with 1 if `JSONScanner` is slower than that for any body.
@main
enum JSONBench {
    private static let names = JSONMemberNames("code", "message", "responseMsg", "status", "data")

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--decode" || arguments.first == "--encode" {
            return try Typed.repeat(
                arguments.first == "--decode", arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000)
        }
        let seconds = arguments.first.flatMap(Double.init) ?? 0.5
        let required = arguments.firstIndex(of: "--require").flatMap { arguments[($0 + 1)...].first }
        print("body", "bytes", "JSONScanner MB/s", "JSONDecoder MB/s", "times", separator: "\t")
        var slowest = Double.infinity
        for (name, body) in Bodies.all {
            let bytes = Array(body.utf8)
            let data = Data(bytes)
            let ours = try rate(of: bytes.count, seconds) {
                let members = try JSONScanner.scan(bytes[...], capturing: names)
                precondition(members[4] != nil)
            }
            let decoder = JSONDecoder()
            let theirs = try rate(of: bytes.count, seconds) {
                if name == "large" {
                    _ = try decoder.decode(Envelope<Items>.self, from: data)
                } else {
                    _ = try decoder.decode(Envelope<Points>.self, from: data)
                }
            }
            slowest = min(slowest, ours)
            let line = String(
                format: "%@\t%d\t%.0f\t%.0f\t%.0f", name, bytes.count, ours, theirs, ours / theirs)
            print(line)
        }
        try Typed.run(seconds)
        print(
            String(
                format: "composing an envelope of two parts\t%.0f ns", 1e9 / (try envelopesPerSecond(seconds))
            ))
        try Shapes.run(seconds)
        if let required = required.flatMap(Double.init), slowest < required {
            print("slower than \(required) MB/s")
            exit(1)
        }
    }

    /// Composes the response of a fan-out: two parts in `data`, then `meta`.
    private static func envelopesPerSecond(_ seconds: Double) throws -> Double {
        let bytes = Array(Bodies.all[0].body.utf8)
        guard let part = try JSONScanner.scan(bytes[...], capturing: names)[4] else { return 0 }
        return rate(of: 1_000_000, seconds) {
            var composer = JSONComposer(reservingCapacity: 1024)
            composer.beginObject()
            composer.key("code")
            composer.string("OK")
            composer.key("message")
            composer.string("success")
            composer.key("status")
            composer.int(200)
            composer.key("data")
            composer.beginObject()
            composer.key("recent")
            composer.fragment(part)
            composer.key("total")
            composer.fragment(part)
            composer.endObject()
            composer.key("meta")
            composer.beginObject()
            composer.key("requestId")
            composer.string("0123456789abcdef0123456789abcdef")
            composer.key("complete")
            composer.bool(true)
            composer.key("elapsedMs")
            composer.fixed(124, places: 1)
            composer.key("parts")
            composer.beginObject()
            composer.key("recent")
            composer.string("success")
            composer.key("total")
            composer.string("success")
            composer.endObject()
            composer.endObject()
            composer.endObject()
            let pieces = composer.finish()
            precondition(pieces.count == 1)
        }
    }

    /// The best of ten measurements, in megabytes per second.
    static func rate(of bytes: Int, _ seconds: Double, _ work: () throws -> Void) rethrows -> Double {
        var best = 0.0
        for _ in 0..<10 {
            var rounds = 0
            let start = cpuTime
            var elapsed = 0.0
            repeat {
                for _ in 0..<16 { try work() }
                rounds += 16
                elapsed = cpuTime - start
            } while elapsed < seconds / 10
            best = max(best, Double(bytes * rounds) / elapsed / 1e6)
        }
        return best
    }

    private static var cpuTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
