import Foundation
import Glibc
import HTTPModel
import Networking
import NetworkingSession
import Rx
import TestSupport

/// `sluice demo`, the built program, with data of its own.
final class Demo: Sendable {
    private let folder = ScratchFolder()
    private let process: PeerProcess
    private let session: Session
    let origin: String

    /// - Parameter port: 0 for a free one.
    init(port: Int = 0) async throws {
        let program = Self.program
        guard access(program, X_OK) == 0 else {
            throw PeerFailure(description: "there is no \(program): `make test-browser` builds it")
        }
        let process = try PeerProcess(
            program,
            [
                "demo", "--port", String(port), "--drain-delay", "0", "--data", folder.file("demo.sqlite"),
            ], in: folder)
        self.process = process
        var configuration = Session.Configuration()
        configuration.connections.proxy = .none
        session = try Session(configuration)
        origin = try await answer("the demo says where it is") {
            process.log.firstMatch(of: /sluice listening on (http:\/\/\S+)/).map { String($0.1) }
        }
    }

    var port: Int { origin.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    /// Ends it, as its user does who has no patience: at the first signal it would wait a second for the browser to end its
    /// connections, and at the second, which `process.stop()` sends, for nobody.
    func stop() {
        session.close()
        kill(process.processID, SIGTERM)
        process.stop()
    }

    /// What `make test-browser` has built for users; or else what lies beside the tests.
    private static var program: String {
        ProcessInfo.processInfo.environment["BROWSER_TESTS_PROGRAM"]
            ?? Bundle.main.bundleURL.appendingPathComponent("sluice").path
    }

    /// Has an upstream fail, or (`none`) answer well, as the switches of the page do.
    func setFault(_ fault: String, of upstream: String, api: String? = nil) async throws {
        let request = HTTPRequest(url: "\(origin)/demo/faults/\(upstream)", method: .put)
            .setTask(.parameters(["api": api, "fault": fault], encoding: .json))
        _ = try await session.request(request).validate()
    }

    /// Puts a weight in, or (nil) takes it out, past the page.
    func setWeight(_ kilograms: Double?, on date: String, _ half: String) async throws {
        let url = "\(origin)/api/weights/\(date)/\(half)"
        let request =
            if let kilograms {
                HTTPRequest(url: url, method: .put)
                    .setTask(.parameters(["weight": kilograms], encoding: .json))
            } else {
                HTTPRequest(url: url, method: .delete)
            }
        _ = try await session.request(request).validate(statusCode: [200, 404])
    }
}
