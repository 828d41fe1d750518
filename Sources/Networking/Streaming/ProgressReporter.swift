import Locking

final class ProgressReporter: CallObserver {
    private let form: @Sendable (TransportResponse) -> BodyForm
    private let emit: @Sendable (ProgressResponse) -> Void
    private let received = Lock<(count: Int64, total: Int64?)>((0, nil))

    init(
        _ form: @escaping @Sendable (TransportResponse) -> BodyForm,
        _ emit: @escaping @Sendable (ProgressResponse) -> Void
    ) {
        self.form = form
        self.emit = emit
    }

    func callSent(_ bytes: Int64, of total: Int64?) {
        emit(ProgressResponse(direction: .upload, completed: bytes, total: total, response: nil))
    }

    func callStarted(_ head: TransportResponse, flow: any FlowControl) -> BodyForm {
        received.withLock { $0 = (0, nil) }
        return form(head)
    }

    func callReceived(_ bytes: Int64, of total: Int64?) {
        received.withLock { $0 = (bytes, total) }
        emit(ProgressResponse(direction: .download, completed: bytes, total: total, response: nil))
    }

    func last(_ response: Response) -> ProgressResponse {
        let (count, total) = received.withLock { $0 }
        let completed = max(count, Int64(response.data.count))
        return ProgressResponse(
            direction: .download, completed: completed, total: total ?? completed, response: response)
    }
}
