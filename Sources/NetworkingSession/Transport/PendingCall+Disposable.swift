import HTTPOutbound
import Rx

// `dispose()` is the call's own.
extension PendingCall: Disposable {}
