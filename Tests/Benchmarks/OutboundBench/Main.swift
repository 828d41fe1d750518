import EventIO
import Foundation
import Glibc
import HTTPModel
import HTTPOutbound
import Rx

/// Measures the CPU time of a call over a pooled connection: sequential GETs of 700 bytes of JSON, served by
/// another thread.
///
///     swift run -c release OutboundBench [calls]
@main
enum OutboundBench {
    static func main() throws {
        let calls = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
        let port = BenchUpstream.start()
        let loop = try EventLoop()
        loop.execute {
            guard let origin = Origin(host: "127.0.0.1", port: port) else { return loop.stop() }
            let fields: HTTPFields = [
                "Accept": "application/json", "X-Request-Id": "0123456789abcdef0123456789abcdef",
                "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            ]
            let request = OutboundRequest(target: "/food-diary/weights?fddDate=2026-11-20", fields: fields)
            let rounds = Rounds(
                upstream: HTTPClient(loop: loop).origin(origin), request: request, calls: calls)
            rounds.run(0)
        }
        loop.run()
    }
}

/// A warm-up, then three rounds of calls.
private struct Rounds: Sendable {
    let upstream: OriginClient
    let request: OutboundRequest
    let calls: Int

    func run(_ round: Int) {
        guard round < 4 else { return upstream.loop.stop() }
        let count = round == 0 ? 1000 : calls
        let start = ContinuousClock.now
        let used = cpuTime()
        call(count) {
            let cost = (cpuTime() - used) / Double(count)
            if round > 0 {
                print(
                    "\(count) calls, \(Int(cost)) ns of CPU each including system calls, in \(start.duration(to: .now))"
                )
            }
            run(round + 1)
        }
    }

    private func call(_ left: Int, _ done: @escaping @Sendable () -> Void) {
        guard left > 0 else { return done() }
        _ = upstream.send(request) { result in
            if case .failure(let error) = result {
                print("failed: \(error)")
                exit(1)
            }
            call(left - 1, done)
        }
    }

    private func cpuTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

/// Answers each read with the same response.
private enum BenchUpstream {
    static func start() -> UInt16 {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listener, address, length) == 0, listen(listener, 16) == 0 else { return }
                getsockname(listener, address, &length)
            }
        }
        Thread.detachNewThread { serve(listener) }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func serve(_ listener: Int32) {
        let days = (10..<30).map { "{\"date\":\"2026-11-\($0)\",\"weight\":71.5}" }.joined(separator: ",")
        let body = "{\"code\":\"OK\",\"message\":\"success\",\"status\":200,\"data\":[\(days)]}"
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Fri, 20 Nov 2026 11:00:00 GMT\r\n"
            + "Server: bench\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let response = Array((head + body).utf8)
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let descriptor = accept(listener, nil, nil)
            var one: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
            while read(descriptor, &chunk, chunk.count) > 0 {
                guard write(descriptor, response, response.count) == response.count else { break }
            }
            close(descriptor)
        }
    }
}
