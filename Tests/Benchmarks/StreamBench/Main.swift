import EventIO
import Foundation
import Glibc
import HTTPModel
import HTTPOutbound
import Rx

/// Measures the transfer of large bodies over the loopback. `--most` limits the growth of memory.
///
///     swift run -c release StreamBench [MiB] [--most KiB]
@main
enum StreamBench {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let size = (arguments.first.flatMap { Int($0) } ?? 1024) << 20
        let most = arguments.last.flatMap { arguments.contains("--most") ? Int($0) : nil }
        let folder = FileManager.default.temporaryDirectory.path + "/sluice-stream-\(getpid())"
        mkdir(folder, 0o700)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = folder + "/file"
        let port = BulkUpstream.start()
        let loop = try EventLoop()
        let outcome = Outcome()
        loop.execute {
            guard let origin = Origin(host: "127.0.0.1", port: port) else { return loop.stop() }
            let upstream = HTTPClient(loop: loop, limits: .unhurried).origin(origin)
            let warm = 64 << 20
            let steps: [(String, Int, Step)] = [
                ("", warm, .down), ("", warm, .up), ("", warm, .toFile(file)), ("", warm, .fromFile(file)),
                ("down", size, .down), ("up", size, .up), ("into a file", size, .toFile(file)),
                ("from a file", size, .fromFile(file)),
            ]
            Runner(upstream, steps, most: most, outcome).next()
        }
        loop.run()
        if outcome.hasFailed {
            try? FileManager.default.removeItem(atPath: folder)
            exit(1)
        }
    }
}

enum Step {
    case down
    case up
    case toFile(String)
    case fromFile(String)
}

final class Outcome: @unchecked Sendable {
    // Written on the loop, read after the loop has ended.
    var hasFailed = false
}

extension OutboundLimits {
    static var unhurried: OutboundLimits {
        var limits = OutboundLimits()
        limits.totalTimeout = .seconds(600)
        limits.firstByteTimeout = .seconds(60)
        return limits
    }
}

/// Runs the steps in turn on the loop.
final class Runner: @unchecked Sendable {
    private let upstream: OriginClient
    private var steps: ArraySlice<(String, Int, Step)>
    private let most: Int?
    private let outcome: Outcome

    init(_ upstream: OriginClient, _ steps: [(String, Int, Step)], most: Int?, _ outcome: Outcome) {
        self.upstream = upstream
        self.steps = steps[...]
        self.most = most
        self.outcome = outcome
    }

    func next() {
        guard let (name, size, step) = steps.popFirst() else { return upstream.loop.stop() }
        let resting = Memory.reset()
        let start = ContinuousClock.now
        let used = Memory.cpuTime
        let done: @Sendable (Result<Void, any Error>) -> Void = { [self] result in
            if case .failure(let error) = result {
                print("\(name): \(error)")
                outcome.hasFailed = true
            }
            let more = Memory.peak - resting
            if !name.isEmpty {
                let seconds = start.duration(to: .now) / .seconds(1)
                let rate = Double(size) / 1e9 / seconds
                let cost = (Memory.cpuTime - used) / Double(size >> 20)
                print(
                    String(
                        format:
                            "%-12@ %d MiB in %.2f s, %.2f GB/s, %.0f us of CPU per MiB, peak memory %d KiB above the start",
                        name, size >> 20, seconds, rate, cost, more))
                if let most, more > most {
                    print("\(name): exceeds \(most) KiB")
                    outcome.hasFailed = true
                }
            }
            upstream.loop.execute { self.next() }
        }
        run(step, size, done)
    }

    private func run(
        _ step: Step, _ size: Int, _ done: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let get = OutboundRequest(target: "/\(size)")
        func put(_ body: any OutboundBodySource) -> OutboundRequest {
            OutboundRequest(method: .put, target: Array("/".utf8)[...], body: .stream(body))
        }
        switch step {
        case .down: upstream.pool.start(BulkCall(get, upstream, done))
        case .up: _ = upstream.send(put(Zeros(length: Int64(size)))) { done($0.map { _ in }.mapError { $0 }) }
        case .toFile(let path): upstream.pool.start(BulkCall(get, upstream, file: path, done))
        case .fromFile(let path):
            let url = URL(fileURLWithPath: path)
            let body = BlockingBody(length: Int64(size)) {
                try RootFolder(path: url.deletingLastPathComponent().path).open(url.lastPathComponent)
                    .reader(of: 0..<Int64(size))
            }
            _ = upstream.send(put(body)) { done($0.map { _ in }.mapError { $0 }) }
        }
    }
}

struct CallFailure: Error, CustomStringConvertible {
    let description: String
}

/// Streams its response into a file or discards it.
final class BulkCall: OutboundCall, @unchecked Sendable {
    private let request: OutboundRequest
    private let done: @Sendable (Result<Void, any Error>) -> Void
    private var sink: FileSink?

    init(
        _ request: OutboundRequest, _ upstream: OriginClient, file: String? = nil,
        _ done: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        self.request = request
        self.done = done
        super.init(to: upstream.pool, mayResend: true, mayStream: true)
        guard let file else { return }
        let sink = FileSink(path: file, on: loop)
        sink.hasRoom = { self.resumeBody() }
        sink.failed = { self.done(.failure($0)) }
        self.sink = sink
    }

    override func writeRequest(to writer: RequestWriter) {
        writer.write(
            request.method, target: request.target, fields: request.fields,
            sharedFields: HTTPFields(), body: request.body)
    }

    override func responseBegan(_ head: HTTPResponseHead) -> BodyDelivery { .streamed() }

    override func bodyReceived(_ piece: UnsafeRawBufferPointer) {
        if sink?.write(piece) == false { pauseBody() }
    }

    override func succeeded(_ head: consuming HTTPResponseHead, _ body: consuming ArraySlice<UInt8>) {
        guard let sink else { return done(.success(())) }
        sink.finish { error in
            self.sink = nil
            self.done(error.map { .failure($0) } ?? .success(()))
        }
    }

    override func failed(_ reason: FailureReason, _ detail: String) {
        done(.failure(CallFailure(description: "\(reason): \(detail)")))
    }
}

/// A body of zeros, 64 KiB at a time.
struct Zeros: OutboundBodySource {
    let length: Int64?
    var canRestart: Bool { true }

    func open(on loop: EventLoop) -> any OutboundBodyStream { Stream(length ?? 0) }

    private final class Stream: OutboundBodyStream {
        private let block = [UInt8](repeating: 0, count: 65_536)
        private var left: Int64

        init(_ left: Int64) { self.left = left }

        func nextPiece(for writer: OutboundBodyWriter) {
            guard left > 0 else { return writer.finish() }
            let count = min(left, 65_536)
            left -= count
            writer.write(block[..<Int(count)])
        }

        func close() {}
    }
}
