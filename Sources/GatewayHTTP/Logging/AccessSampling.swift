import GatewayConfig

/// Selects the requests of one loop that are logged. Confined to the loop.
struct AccessSampling {
    private var logging: AccessLogging
    /// The successes since the last one that was selected.
    private var successes = 0
    /// Of how many successes the last request that was selected is one; nil for a failure, for a slow
    /// request, and if all are selected.
    private(set) var shown: Int?

    init(_ logging: AccessLogging) { self.logging = logging }

    mutating func use(_ logging: AccessLogging) {
        guard logging != self.logging else { return }
        self = AccessSampling(logging)
    }

    enum Kind {
        case success, slow, failure
    }

    /// Whether this request is logged.
    mutating func selects(_ kind: Kind) -> Bool {
        shown = nil
        if kind == .failure { return !logging.isOff }
        guard let interval = logging.successInterval else { return false }
        guard kind == .success, interval > 1 else { return true }
        successes += 1
        guard successes == interval else { return false }
        successes = 0
        shown = interval
        return true
    }
}
