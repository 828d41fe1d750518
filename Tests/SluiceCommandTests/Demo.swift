import Foundation
import JSONBytes
import Locking
import TestSupport
import Testing

/// A running `sluice demo` with its own data, and a client for it.
final class Demo {
    private let scratch = ScratchFolder()
    private let process: SluiceProcess
    let port: Int
    /// The line after the gateway's address.
    let note: String

    /// Starts on a free port.
    init() throws {
        process = try Self.start(port: 0, in: scratch)
        port = try process.readPort()
        note = process.readLine() ?? ""
    }

    /// Starts on this port; nil if another program listens there.
    init?(portIfFree port: Int) throws {
        process = try Self.start(port: port, in: scratch)
        guard try process.readPortIfFree() != nil else { return nil }
        self.port = port
        note = process.readLine() ?? ""
    }

    private static func start(port: Int, in scratch: ScratchFolder) throws -> SluiceProcess {
        try SluiceProcess([
            "demo", "--port", String(port), "--data", scratch.file("diary.sqlite3"), "--drain-delay", "0",
            "--latency", "off",
        ])
    }

    private var base: String { "http://127.0.0.1:\(port)" }

    /// The ports of the upstreams that the note names, in its order.
    var upstreamPorts: [Int] { note.matches(of: /(\d+) \(/).compactMap { Int($0.1) } }

    /// An answer of the gateway.
    struct Answer {
        let status: Int
        let json: JSONFragment

        var code: String? { json[member: "code"]?.stringValue }
        var message: String { json[member: "message"]?.stringValue ?? "" }
        var data: JSONFragment? { json[member: "data"] }

        func kind(of part: String) -> String? {
            json[member: "meta"]?[member: "parts"]?[member: part]?.stringValue
        }

        func error(_ part: String) -> JSONFragment? {
            json[member: "errors"]?.elements.first { $0[member: "part"]?.stringValue == part }
        }

        /// The error of a part in short form: `serverErr upstream_status 503`.
        func failure(of part: String) -> String? {
            error(part).map { error in
                [
                    error[member: "kind"]?.stringValue, error[member: "reason"]?.stringValue,
                    error[member: "status"]?.description,
                ].compactMap(\.self).joined(separator: " ")
            }
        }
    }

    func get(_ target: String) throws -> Answer { try ask(target) }

    /// - Parameter body: The body, or `@` and the path of a file that contains it.
    func post(_ target: String, _ body: String, contentType: String = "application/json") throws -> Answer {
        try ask("--header", "Content-Type: \(contentType)", "--data-binary", body, target)
    }

    /// Runs curl with these arguments; the last one is the request target.
    func ask(_ arguments: String...) throws -> Answer {
        let target = try #require(arguments.last)
        let (status, body) = try curl(arguments.dropLast() + [base + target])
        return Answer(status: status, json: try JSONFragment(validating: Array(body.utf8)[...]))
    }

    /// Sends requests at once, each with these arguments of curl, of which the last is the target.
    func askAtOnce(_ requests: [[String]]) throws -> [Answer] {
        let answers = Lock<[Int: (status: Int, body: String)]>([:])
        let base = base
        DispatchQueue.concurrentPerform(iterations: requests.count) { index in
            let words = requests[index]
            guard let answer = try? curl(words.dropLast() + [base + (words.last ?? "")]) else { return }
            answers.withLock { $0[index] = answer }
        }
        return try requests.indices.map { index in
            let (status, body) = try #require(answers.withLock { $0[index] })
            return Answer(status: status, json: try JSONFragment(validating: Array(body.utf8)[...]))
        }
    }

    /// Sends a GET to an upstream, as a page does.
    func askUpstream(_ name: String, _ target: String) throws -> Answer {
        let place = try #require(
            try get("/demo/upstreams").data?.value(at: JSONPointer("/addresses/\(name)")))
        let port = try #require(place[member: "port"]?.intValue)
        let path = place[member: "path"]?.stringValue ?? ""
        let (status, body) = try curl("http://127.0.0.1:\(port)\(path)\(target)")
        return Answer(status: status, json: try JSONFragment(validating: Array(body.utf8)[...]))
    }

    /// Runs curl with these arguments; the last one is the request target. Returns the answer's status, head
    /// and body as they came.
    func askRaw(_ arguments: String...) throws -> (status: Int, head: String, body: String) {
        let target = try #require(arguments.last)
        let (status, text) = try curl(["--include"] + arguments.dropLast() + [base + target])
        let end = try #require(text.range(of: "\r\n\r\n"))
        return (status, String(text[..<end.lowerBound]) + "\r\n", String(text[end.upperBound...]))
    }

    func set(_ fault: String, _ upstream: String, api: String? = nil) throws {
        let name = api.map { #""api":"\#($0)","# } ?? ""
        let answer = try ask(
            "--request", "PUT", "--data", #"{\#(name)"fault":"\#(fault)"}"#, "/demo/faults/\(upstream)")
        try #require(answer.status == 200, "\(answer.json)")
    }

    func end() {
        process.signal(SIGTERM)
        #expect(process.finish().exitCode == 0)
    }
}

/// Runs a demo while `body` runs.
func withDemo(_ body: (Demo) throws -> Void) throws {
    let demo = try Demo()
    try body(demo)
    demo.end()
}
