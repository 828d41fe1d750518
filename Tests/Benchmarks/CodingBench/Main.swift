import Foundation
import GatewayCore
import GatewayHTTP
import Glibc
import HTTPModel
import Networking
import Rx
import TestSupport

/// Measures what the content codings of upstreams cost and save: a gateway with one loop asks an upstream,
/// over loopback and over simulated links.
///
///     CodingBench [--requests 300]
///
/// One request after the other. `cpu` is the CPU time of the gateway's loop, kernel included; `wire` the
/// bytes of the upstream's responses. Bodies are compressed beforehand; how long that takes with gzip is at
/// the end. Without nginx's brotli module, br is left out.
@main
enum CodingBench {
    static func main() throws {
        let arguments = CommandLine.arguments
        var requests = 300
        if arguments.count == 3, arguments[1] == "--requests" { requests = Int(arguments[2]) ?? requests }
        let cases =
            [("charts", 370)] + [
                ("1 KiB", 1 << 10), ("10 KiB", 10 << 10), ("64 KiB", 64 << 10), ("1 MiB", 1 << 20),
            ]
        let bodies = try Bodies.coded(cases.map { Bodies.diary($0.1) })
        for link in Link.all {
            print("\(link.name):")
            print("body     coding      wire bytes  median us     p99 us   cpu us")
            for ((name, size), coded) in zip(cases, bodies) {
                let count = max(30, size >= 1 << 20 ? requests / 4 : requests)
                let bench = try Bench(coded, link, calls: name == "charts" ? 2 : 1)
                for row in try bench.rows(count) {
                    print(name.padded(8), row.coding.padded(9), row.text)
                }
                bench.stop()
            }
            print("")
        }
        print("compressing a body, gzip level 6:")
        for ((name, _), coded) in zip(cases, bodies) {
            print("\(name.padded(8)) \(microsecondsToCompress(coded[0].bytes)) us")
        }
    }

    /// The upstream's median.
    private static func microsecondsToCompress(_ body: [UInt8]) -> Int {
        let times = (0..<21).map { _ in ContinuousClock().measure { _ = Deflated.gzip(body, level: 6) } }
        return Int(times.sorted()[10] / .microseconds(1))
    }
}

/// What lies between the gateway and the upstream.
struct Link {
    let name: String
    /// Nil for loopback itself.
    var relay: (roundTrip: Duration, rate: Int64)?

    static let all = [
        Link(name: "loopback"),
        Link(name: "0.5 ms, 1 Gbit/s", relay: (.microseconds(500), 1_000_000_000)),
        Link(name: "20 ms, 100 Mbit/s", relay: (.milliseconds(20), 100_000_000)),
    ]
}

struct Row {
    let coding: String
    let wire: Int
    let times: [Int64]
    let cpu: Double

    var text: String {
        let sorted = times.sorted()
        let median = sorted[sorted.count / 2] / 1000
        let p99 = sorted[sorted.count * 99 / 100] / 1000
        return [("\(wire)", 12), ("\(median)", 10), ("\(p99)", 10), ("\(Int(cpu))", 8)]
            .map { String(repeating: " ", count: max(0, $1 - $0.count)) + $0 }.joined(separator: " ")
    }
}

extension String {
    func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
