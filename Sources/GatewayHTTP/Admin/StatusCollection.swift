import EventIO
import JSONBytes
import Rx

/// Asks each loop of a gateway for its part of the report. Confined to the loop of the admin listener.
final class StatusCollection {
    /// A loop that is silent for longer is left out.
    static let patience = Duration.milliseconds(500)

    private let gateway: GatewayServer
    private var reports: [GatewayReport?]
    private var missing: Int
    private var deliver: ((JSONLiteral) -> Void)?
    private var timer: TimerToken?

    private init(_ gateway: GatewayServer, _ deliver: @escaping (JSONLiteral) -> Void) {
        self.gateway = gateway
        self.deliver = deliver
        missing = gateway.workers.count
        reports = Array(repeating: nil, count: missing)
    }

    /// Calls `deliver` once, on the loop.
    static func collect(
        of gateway: GatewayServer, on loop: EventLoop, _ deliver: @escaping (JSONLiteral) -> Void
    ) {
        let collection = StatusCollection(gateway, deliver)
        collection.timer = loop.setTimer(after: patience, target: collection)
        let answer = LoopBound(collection, loop: loop)
        for (index, worker) in gateway.workers.enumerated() {
            worker.loop.execute {
                let report = worker.value.report
                answer.loop.execute { answer.value.add(report, at: index) }
            }
        }
    }

    private func add(_ report: GatewayReport, at index: Int) {
        guard reports[index] == nil else { return }
        reports[index] = report
        missing -= 1
        guard missing == 0 else { return }
        if let timer = timer.take() { EventLoop.current?.cancelTimer(timer) }
        finish()
    }

    private func finish() {
        guard let deliver = deliver.take() else { return }
        deliver(gateway.status(reports))
    }
}

extension StatusCollection: TimerTarget {
    func timerFired(_ token: TimerToken) { finish() }
}
