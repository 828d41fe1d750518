import Glibc
import Locking
import Synchronization

/// What the whole process decides about errors that nobody handles.
///
/// An error is handled by whoever subscribes an observer or gives `onError`. Where a subscription has none, and where a
/// stream is bound to a relay or a `Binder`, the subscription ends and its error goes here. Nothing traps.
public enum Hooks {
    public typealias DefaultErrorHandler =
        @Sendable (_ subscriptionCallStack: [String], _ error: any Error) -> Void
    public typealias CustomCaptureSubscriptionCallstack = @Sendable () -> [String]

    private struct State {
        var handler: DefaultErrorHandler = Hooks.report
        var capture: CustomCaptureSubscriptionCallstack = { [] }
    }

    private static let state = Lock(State())
    private static let isRecording = Atomic<Bool>(false)

    /// Whether subscriptions without a handler for errors remember where they were made. Off unless set: it costs every
    /// such subscription a call stack.
    public static var recordCallStackOnError: Bool {
        get { isRecording.load(ordering: .relaxed) }
        set { isRecording.store(newValue, ordering: .relaxed) }
    }

    /// Gets each error that nobody handles, on the thread that it arose on, with the call stack of the subscription where
    /// that was recorded. Unless set, debug builds write it to standard error, and release builds drop it.
    public static var defaultErrorHandler: DefaultErrorHandler {
        get { state.withLock { $0.handler } }
        set {
            // The one before goes outside of the lock.
            _ = state.withLock { state in
                let before = state.handler
                state.handler = newValue
                return before
            }
        }
    }

    /// Describes where a subscription is made, while `recordCallStackOnError` is on. Unless set, it tells nothing.
    public static var customCaptureSubscriptionCallstack: CustomCaptureSubscriptionCallstack {
        get { state.withLock { $0.capture } }
        set {
            _ = state.withLock { state in
                let before = state.capture
                state.capture = newValue
                return before
            }
        }
    }

    /// The call stack to remember for a subscription that is being made.
    static func callStack() -> [String] {
        recordCallStackOnError ? customCaptureSubscriptionCallstack() : []
    }

    /// Nobody handles `error`.
    static func unhandled(_ error: any Error, _ subscriptionCallStack: [String] = []) {
        defaultErrorHandler(subscriptionCallStack, error)
    }

    private static let report: DefaultErrorHandler = { callStack, error in
        #if DEBUG
            var text = "Unhandled error happened: \(error)\n"
            if !callStack.isEmpty {
                text += "subscription called from:\n\(callStack.joined(separator: "\n"))\n"
            }
            let bytes = Array(text.utf8)
            // In one piece, so that several threads' errors do not mix. It is only told: a failure changes nothing.
            _ = write(STDERR_FILENO, bytes, bytes.count)
        #endif
    }
}
