/// What the gateway's log says about those who decide who may call.
package enum AccessEvent: Sendable {
    /// Signing keys cannot be fetched. Those that are known are used for a day.
    case keysAreGone(entry: String, reason: String)
    /// Signing keys have been fetched after a failure.
    case keysAreBack(entry: String)
    /// Keys of a fetched set are not used. `reasons` names the first of them.
    case keysSkipped(entry: String, reasons: String)
}
