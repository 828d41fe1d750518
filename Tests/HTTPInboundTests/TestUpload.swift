import EventIO
import HTTPModel
import TestSupport

@testable import HTTPInbound

/// An exchange whose body a test reads. It logs the end of the body.
final class TestUpload {
    let exchange: InboundExchange
    /// Kept, because the exchange forgets it when the request is over. Nil without a body.
    let reader: InboundBodyReader?
    private let log: EventLog
    private(set) var received: [UInt8] = []
    private(set) var pieces = 0
    private(set) var longestPiece = 0

    init(_ exchange: InboundExchange, _ log: EventLog) {
        self.exchange = exchange
        reader = exchange.bodyReader
        self.log = log
    }

    /// Reads one piece and logs it.
    func readPiece() {
        reader?.read { [weak self] in
            if let self, add($0) { log.add("piece \(received.count)") }
        }
    }

    /// Reads to the end.
    func readAll() {
        guard let reader else { return log.add("body ended") }
        reader.read { [weak self] in
            if let self, add($0) { readAll() }
        }
    }

    func answer(_ text: String) {
        exchange.respond(HTTPResponse(status: .ok, body: [Array(text.utf8)[...]]))
    }

    /// Returns whether more may come.
    private func add(_ piece: InboundBodyReader.Piece) -> Bool {
        switch piece {
        case .bytes(let bytes):
            received += bytes
            pieces += 1
            longestPiece = max(longestPiece, bytes.count)
            return true
        case .end:
            log.add("body ended")
        case .failed(.refused(let error)):
            log.add("body refused \(error.status.code) \(error.reason)")
        case .failed(.over(let outcome)):
            log.add("body over \(outcome)")
        }
        return false
    }
}
