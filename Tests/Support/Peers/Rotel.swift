import Foundation
import Synchronization

/// rotel, a collector of OpenTelemetry that takes spans by OTLP over HTTP and passes them on.
package final class Rotel: Sendable {
    private static let program = "rotel/rotel-agent"
    package static let isInstalled = MetricsReader.hasPackage(program)
    /// Why a test is skipped.
    package static let isMissing = "rotel is not installed: Tests/yaml"

    /// The port of the next one.
    private static let ports = Atomic<UInt16>(4317)

    /// Where it takes spans.
    package let url: String
    private let process: PeerProcess
    /// Is removed with this value.
    private let folder: ScratchFolder

    package var log: String { process.log }

    /// - Parameter next: the URL of the collector that gets the spans.
    package init(to next: String, in folder: ScratchFolder = ScratchFolder()) throws {
        self.folder = folder
        // It refuses port 0. On an address of its own, 127.64.0.0 and the ID of this process, no other
        // process takes the ports before it.
        let address = 0x7f40_0000 | UInt32(getpid()) & 0x3f_ffff
        let host = (0..<4).map { "\(address >> (24 - 8 * $0) & 0xff)" }.joined(separator: ".")
        let ports = Self.ports.wrappingAdd(2, ordering: .relaxed)
        url = "http://\(host):\(ports.oldValue + 1)"
        process = try PeerProcess(
            MetricsReader.path(Self.program),
            [
                "start", "--pid-file", folder.file("rotel.pid"),
                "--otlp-grpc-endpoint", "\(host):\(ports.oldValue)",
                "--otlp-http-endpoint", "\(host):\(ports.oldValue + 1)", "--batch-timeout", "50ms",
                "--exporter", "otlp", "--otlp-exporter-protocol", "http", "--otlp-exporter-endpoint", next,
            ], in: folder)
        try spin(while: !PeerSocket.listens(on: address, at: ports.oldValue + 1)) {
            "rotel accepts no connection: \(process.log)"
        }
    }

    package func stop() { process.stop() }
}
