import Locking
import Networking
import NetworkingTesting
import Rx
import TestSupport
import Testing

/// Collects the lines that a program prints.
final class Output: Sendable {
    private let record = Lock<[String]>([])

    var lines: [String] { record.withLock { $0 } }
    var text: String { lines.joined(separator: "\n") }

    func print(_ items: Any...) {
        let line = items.map { "\($0)" }.joined(separator: " ")
        record.withLock { $0.append(line) }
    }
}

/// An upstream on its own port that answers by the request's method and path, for example `GET /tags`.
struct Served: Sendable {
    let upstream: ScriptedUpstream

    var address: String { "http://127.0.0.1:\(upstream.port)" }

    init(_ answers: [String: String]) throws {
        upstream = try ScriptedUpstream([
            .answer { request in
                let line = request.prefix { $0 != "\r\n" }.split(separator: " ").prefix(2).joined(
                    separator: " ")
                return answers[line] ?? Served.json(#"{"status":404,"message":"not here"}"#, "404 Not Found")
            }
        ])
    }

    /// A response in wire format.
    static func json(_ body: String, _ status: String = "200 OK") -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            + body
    }
}

/// A scripted transport in virtual time.
struct Scripted: Sendable {
    let time = ManualScheduler()
    let transport: StubTransport

    init(_ answers: StubTransport.Answer...) {
        transport = StubTransport(scheduler: time)
        let script = Lock(answers[...])
        if !answers.isEmpty {
            transport.answer { _ in
                script.withLock { $0.count > 1 ? $0.removeFirst() : $0[$0.startIndex] }
            }
        }
    }

    /// The calls that were sent, as curl lines.
    var sent: [String] { transport.attempts.map { $0.call.curlCommand() } }
}

/// Collects the values and the error of a stream.
final class Seen<Element: Sendable>: Sendable {
    /// Separate from `Seen` to avoid a retain cycle: the subscription retains this.
    private final class Record: Sendable {
        let values = Lock<[Element]>([])
        let error = Lock<(any Error)?>(nil)
    }

    private let record = Record()
    private let subscription: any Disposable

    var values: [Element] { record.values.withLock { $0 } }
    var error: (any Error)? { record.error.withLock { $0 } }

    init(_ stream: some ObservableConvertibleType<Element>) {
        subscription = stream.asObservable().subscribe(
            onNext: { [record] value in record.values.withLock { $0.append(value) } },
            onError: { [record] error in record.error.withLock { $0 = error } })
    }

    deinit { subscription.dispose() }
}
