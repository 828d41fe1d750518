import Foundation
import Glibc
import HTTPModel
import Networking
import NetworkingSession
import Rx
import TestSupport

/// A running `sluice demo` with fresh data.
final class Demo: Sendable {
    private let folder = ScratchFolder()
    private let process: PeerProcess
    private let session: Session
    let origin: String
    /// The origins of the sample upstreams, which the page calls in a race.
    let upstreams: [String]

    /// - Parameters:
    ///   - port: 0 for any free port.
    ///   - admin: The address of the admin listener; port 0 for any free one.
    ///   - latency: Whether the upstreams take their time: `on` or `off`.
    ///   - arguments: Further arguments.
    init(port: Int = 0, admin: String = "off", latency: String = "off", _ arguments: [String] = [])
        async throws
    {
        let program = Self.program
        guard access(program, X_OK) == 0 else {
            throw PeerFailure(description: "\(program) is missing; `make test-browser` builds it")
        }
        let process = try PeerProcess(
            program,
            [
                "demo", "--port", String(port), "--drain-delay", "0", "--data", folder.file("demo.sqlite"),
                "--latency", latency, "--admin", admin,
            ] + arguments, in: folder)
        self.process = process
        var configuration = Session.Configuration()
        configuration.connections.proxy = .none
        session = try Session(configuration)
        origin = try await answer("the demo logs its address") {
            process.log.firstMatch(of: /sluice listening on (https?:\/\/\S+)/).map { String($0.1) }
        }
        // Over https they speak TLS, too: the page could not call them otherwise.
        let scheme = origin.prefix { $0 != ":" }
        upstreams = try await answer("the demo names the ports of its upstreams") {
            process.log.firstMatch(of: /sample upstreams on ports (.*);/).map { note in
                note.1.matches(of: /(\d+) \(/).map { "\(scheme)://127.0.0.1:\($0.1)" }
            }
        }
    }

    /// The origin of the admin listener, once it accepts.
    var adminOrigin: String {
        get async throws {
            try await answer("the demo logs the address of its admin listener") {
                process.log.firstMatch(of: /admin listening.*?(127\.0\.0\.1:\d+)/)
                    .map { "http://\($0.1)" }
            }
        }
    }

    /// Sends a GET as an app does, whatever its status.
    func ask(_ path: String, _ fields: [HTTPFieldName: String] = [:]) async throws {
        var request = HTTPRequest(url: origin + path)
        for (name, value) in fields { request.headers[name] = value }
        _ = try await session.request(request).validate(statusCode: Array(200..<600))
    }

    var port: Int { origin.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    /// Stops the demo at once. After the first signal it would wait a second for the browser to close its
    /// connections; the second signal, from `process.stop()`, ends that wait.
    func stop() {
        session.close()
        kill(process.processID, SIGTERM)
        process.stop()
    }

    /// The release build from `make test-browser`, or the one next to the tests.
    static var program: String {
        ProcessInfo.processInfo.environment["BROWSER_TESTS_PROGRAM"]
            ?? Bundle.main.bundleURL.appendingPathComponent("sluice").path
    }

    /// Sets an upstream's fault, as the switches of the page do; `none` removes it.
    func setFault(_ fault: String, of upstream: String, api: String? = nil) async throws {
        let request = HTTPRequest(url: "\(origin)/demo/faults/\(upstream)", method: .put)
            .setTask(.parameters(["api": api, "fault": fault], encoding: .json))
        _ = try await session.request(request).validate()
    }

    /// The faults of a visitor: `weather drop`.
    func faults(of visitor: String) async throws -> Set<String> {
        var request = HTTPRequest(url: "\(origin)/demo/faults")
        request.headers["Demo-Visitor"] = visitor
        let all = try await session.request(request).validate()
            .map([String: [String: String]].self, atKeyPath: "data")
        return Set(all.compactMap { upstream, faults in faults[upstream].map { "\(upstream) \($0)" } })
    }

    /// Stores a weight without the page; nil deletes it.
    ///
    /// - Parameter visitor: whose weight it is; nil for everybody's, which a visitor's own replaces.
    func setWeight(
        _ kilograms: Double?, on date: String, _ half: String, of visitor: String? = nil
    ) async throws {
        let url = "\(origin)/api/weights/\(date)/\(half)"
        var request =
            if let kilograms {
                HTTPRequest(url: url, method: .put)
                    .setTask(.parameters(["weight": kilograms], encoding: .json))
            } else {
                HTTPRequest(url: url, method: .delete)
            }
        if let visitor { request.headers["Demo-Visitor"] = visitor }
        _ = try await session.request(request).validate(statusCode: [200, 404])
    }
}
