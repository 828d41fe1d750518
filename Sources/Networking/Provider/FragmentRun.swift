import JSONBytes
import Rx

/// A call and `fragment()` in one.
final class FragmentRun: CallRun<JSONFragment>, @unchecked Sendable {
    /// Nil where `source` is more than a call.
    static func instead(of source: Observable<Response>) -> FragmentRun? {
        guard let run = source as? ResponseRun, !run.isCopied else { return nil }
        return FragmentRun(run.call, run.provider)
    }

    /// Whether it has its data by the first attempt, for a receiver. Written on its loop before the receiver has them.
    private(set) var isPlain = false

    override func copy() -> Emitter<JSONFragment> { FragmentRun(call, provider) }

    override func reportData(of response: borrowing TransportResponse) -> Bool {
        guard !call.settings.hasPlugins, let data = response.plainData(of: call) else { return false }
        if hasReceiver {
            answered()
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
