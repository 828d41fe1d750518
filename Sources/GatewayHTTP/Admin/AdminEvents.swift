import EventIO
import GatewayCore
import HTTPInbound
import HTTPModel
import JSONBytes
import Networking
import Rx

/// Sends the state of a gateway and its failed and slow requests to clients that follow them (server-sent
/// events). Confined to the loop of the admin listener.
final class AdminEvents {
    /// The most clients.
    static let mostClients = 16
    private static let interval = Duration.seconds(1)

    private weak var gateway: GatewayServer?
    private let loop: EventLoop
    private var clients: [ObjectIdentifier: BodyWriter] = [:]
    private var timer: TimerToken?
    private var news = RecordNews()

    init(on loop: EventLoop) { self.loop = loop }

    var hasRoom: Bool { clients.count < Self.mostClients }

    /// Sends events to a client until it leaves.
    func add(_ exchange: AdminExchange, of gateway: GatewayServer) {
        self.gateway = gateway
        let head = HTTPResponseHead(
            status: .ok,
            fields: [
                .contentType: "text/event-stream", .cacheControl: "no-store",
                .xContentTypeOptions: "nosniff",
            ])
        let writer = exchange.startStreaming(head)
        guard exchange.method != .head else { return writer.finish() }
        clients[ObjectIdentifier(exchange)] = writer
        if timer == nil { look() }
    }

    func remove(_ exchange: AdminExchange) {
        clients[ObjectIdentifier(exchange)] = nil
        if clients.isEmpty { end() }
    }

    func close() {
        for client in clients.values { client.finish() }
        clients = [:]
        end()
    }

    private func end() {
        if let timer = timer.take() { loop.cancelTimer(timer) }
        news = RecordNews()
    }

    /// Collects what is new, and sends it.
    private func look() {
        guard let gateway else { return close() }
        timer = loop.setTimer(after: Self.interval, target: self)
        LoopCollection.collect(of: gateway, on: loop, { (($0.records, $0.loop.wakeTime), $0.lastFailures) }) {
            [weak self] values in
            guard let self, let gateway = self.gateway, !clients.isEmpty else { return }
            send("snapshot", gateway.status(values.map { $0?.1 }))
            for record in news.take(values.map { $0?.0 }) {
                if let line = record.literal { send("request", line) }
            }
        }
    }

    /// A client that is too slow misses events.
    private func send(_ name: String, _ data: JSONLiteral) {
        let event = EventWriter.message(data.fragment, as: name)
        for client in clients.values where !client.isOverHighWatermark { client.write(event) }
    }
}

extension AdminEvents: TimerTarget {
    func timerFired(_ token: TimerToken) {
        timer = nil
        look()
    }
}

/// Tells the records that are new since the last look.
struct RecordNews {
    /// The number of the last record of each loop that was seen; nil before a loop has answered.
    private var seen: [Int?] = []

    /// Returns the new records, the oldest first, once nothing repeats them any more. Those that a loop has
    /// at its first answer are not new.
    ///
    /// - Parameter records: what each loop has kept, and its time; nil for a silent loop.
    mutating func take(
        _ records: [(kept: (failed: [KeptRecords.Record], slow: [KeptRecords.Record]), now: MonotonicTime)?]
    ) -> [KeptRecords.Record] {
        if seen.isEmpty { seen = Array(repeating: nil, count: records.count) }
        var news: [KeptRecords.Record] = []
        for (loop, records) in records.enumerated() {
            guard let (kept, now) = records else { continue }
            let all = kept.failed + kept.slow
            guard let last = seen[loop] else {
                seen[loop] = all.map(\.number).max() ?? -1
                continue
            }
            let new = all.filter { $0.number > last && now - $0.time >= KeptRecords.repeatTime }
            seen[loop] = new.map(\.number).max() ?? last
            news += new
        }
        return news.sorted { $0.time < $1.time }
    }
}
