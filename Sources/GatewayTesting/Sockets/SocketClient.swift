import Dispatch
import EventIO
import Glibc
import HTTPModel
import HTTPOutbound
import LoopScheduling
import Networking
import Rx

/// Sends a test's requests over HTTP.
final class SocketClient: TestBackend {
    private let gateway: OriginClient

    init(_ gateway: OriginClient) { self.gateway = gateway }

    func send(
        _ request: TestRequest, _ ended: @escaping @Sendable (Result<TestResponse, any Error>) -> Void
    ) -> any Disposable {
        let clock = ContinuousClock()
        let began = clock.now
        return gateway.send(OutboundRequest(request)) { result in
            ended(
                result.mapError { $0 }.map { response in
                    TestResponse(
                        status: response.head.status, fields: response.head.fields, body: response.body,
                        elapsed: clock.now - began)
                })
        }
    }

    func stream(_ request: TestRequest, to stream: ResponseBuffer) -> any Disposable {
        gateway.send(OutboundRequest(request), streamingTo: Receiver(stream)) { result in
            switch result {
            case .success: stream.ended()
            case .failure(let error): stream.failed(error.reason, error.detail)
            }
        }
    }

    var unixTime: Int { time(nil) }

    func wait(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Disposable {
        gateway.loop.scheduleRelative((), dueTime: .nanoseconds(Int(delay.nanoseconds))) { _ in
            work()
            return Disposables.create()
        }
    }

    /// Passes a response on to a buffer.
    private final class Receiver: OutboundStreamReceiver {
        private let stream: ResponseBuffer

        init(_ stream: ResponseBuffer) { self.stream = stream }

        func responseBegan(_ head: HTTPResponseHead, resume: @escaping @Sendable () -> Void) {
            stream.began(head, resume: resume)
        }

        func bodyReceived(_ piece: UnsafeRawBufferPointer) -> Bool { stream.received(ArraySlice(piece)) }
    }
}

extension OutboundRequest {
    fileprivate init(_ request: TestRequest) {
        self.init(
            method: request.method, target: Array(request.target.utf8)[...], fields: request.fields,
            body: request.body.isEmpty ? .none : .bytes(request.body))
    }
}
