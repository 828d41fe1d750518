import Locking
import Rx

final class ProgressReporter: CallObserver {
    private let form: @Sendable (TransportResponse) -> BodyForm
    private let observer: AnyObserver<ProgressResponse>
    private let received = Lock<(count: Int64, total: Int64?)>((0, nil))

    init(
        _ form: @escaping @Sendable (TransportResponse) -> BodyForm,
        _ observer: AnyObserver<ProgressResponse>
    ) {
        self.form = form
        self.observer = observer
    }

    var isCancelled: Bool { observer.isStopped }

    func callSent(_ bytes: Int64, of total: Int64?) {
        observer.onNext(
            ProgressResponse(direction: .upload, completed: bytes, total: total, response: nil))
    }

    func callStarted(_ head: TransportResponse, flow: any FlowControl) -> BodyForm {
        received.withLock { $0 = (0, nil) }
        return form(head)
    }

    func callReceived(_ bytes: Int64, of total: Int64?) {
        received.withLock { $0 = (bytes, total) }
        observer.onNext(
            ProgressResponse(direction: .download, completed: bytes, total: total, response: nil))
    }

    func last(_ response: Response) -> ProgressResponse {
        let (count, total) = received.withLock { $0 }
        let completed = max(count, Int64(response.data.count))
        return ProgressResponse(
            direction: .download, completed: completed, total: total ?? completed, response: response)
    }
}
