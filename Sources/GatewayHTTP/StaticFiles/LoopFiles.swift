import EventIO
import GatewayConfig
import GatewayCore
import HTTPModel
import Resilience

/// The state that a loop's requests for files share. Confined to the loop.
final class LoopFiles {
    let server: FileServer
    let responder: GatewayResponder
    let recorder: Recorder
    let log: Log
    /// Files that are sent in pieces.
    var turns: FileTurns<FileSender>
    /// Shared by all loops.
    let descriptors: FileDescriptors
    /// Divides the requests in flight among endpoints and middleware.
    weak var handler: RequestHandler?
    /// Requests whose files the helper threads find.
    private var finding = 0
    /// Requests whose files they find later.
    private var unfound = RoundRobin<AddressPrefix, FileExchange>()

    /// Files that the helper threads find at once. A small file is in memory as soon as it is found, and
    /// counts for its client once the loop has taken it.
    static let findings = 64

    /// - Parameter requestsInFlight: on the loop. Files in pieces may be half of them.
    init(
        _ server: FileServer, _ responder: GatewayResponder, recorder: Recorder, log: Log,
        requestsInFlight: Int, _ descriptors: FileDescriptors
    ) {
        self.descriptors = descriptors
        turns = FileTurns(places: server.settings.streams, open: requestsInFlight / 2)
        self.server = server
        self.responder = responder
        self.recorder = recorder
        self.log = log
    }

    /// Returns nil if no file can be at the path of a request, as far as is known without accessing the disk.
    func request(for head: HTTPRequestHead, middleware: EndpointMatch? = nil) -> FileRequest? {
        guard let path = FilePath(head.target.pathBytes), let location = server.location(of: path) else {
            return nil
        }
        return FileRequest(path, at: location, self, middleware: middleware)
    }

    /// Finds the file of a request, at once or when its client has its turn.
    func find(for exchange: FileExchange, of client: AddressPrefix) {
        guard finding < Self.findings else { return unfound.append(exchange, of: client) }
        if exchange.find() { finding += 1 }
    }

    func findingEnded() {
        finding -= 1
        while finding < Self.findings, let (_, exchange) = unfound.popFirst() {
            if exchange.find() { finding += 1 }
        }
    }
}
