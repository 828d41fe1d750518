import JSONBytes
import Rx

/// A call combined with `fragment()`. `@unchecked Sendable` as `CallRun`: `isPlain` belongs to the run's loop.
final class FragmentRun: CallRun<JSONFragment>, @unchecked Sendable {
    /// Nil if `source` is more than a plain call.
    static func replacing(_ source: Observable<Response>) -> FragmentRun? {
        guard let run = source as? ResponseRun, !run.isCopied else { return nil }
        return FragmentRun(run.call, run.provider)
    }

    /// Whether the first attempt delivered the data to a receiver. Written on the run's loop before the delivery.
    private(set) var isPlain = false

    override func copy() -> Emitter<JSONFragment> { FragmentRun(call, provider) }

    override func reportData(of response: borrowing TransportResponse) -> Bool {
        guard !call.settings.hasPlugins, let data = response.plainData(of: call) else { return false }
        if hasReceiver {
            reportAnswered()
            isPlain = true
            onLast(data)
        } else {
            note(response.status, attempts: 1)
            inContext { onLast(data) }
        }
        return true
    }

    override func report(_ response: consuming TransportResponse, attempts: Int) {
        let response = received(response, attempts: attempts)
        inContext {
            do {
                onLast(try response.fragment())
            } catch {
                onError(error)
            }
        }
    }
}
