import Glibc
import Locking
import Synchronization

/// The handling of errors without a handler, for the whole process.
///
/// An observer or an `onError` closure handles errors. If a subscription has neither, or a stream is bound to a relay or a
/// `Binder`, the subscription ends and its error goes to `defaultErrorHandler`. Nothing traps.
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

    /// Whether subscriptions without an error handler record where they were made, which costs each a call stack. Default false.
    public static var recordCallStackOnError: Bool {
        get { isRecording.load(ordering: .relaxed) }
        set { isRecording.store(newValue, ordering: .relaxed) }
    }

    /// Gets each unhandled error on the thread that raised it, with the recorded call stack of the subscription. By default,
    /// debug builds write the error to standard error and release builds drop it.
    public static var defaultErrorHandler: DefaultErrorHandler {
        get { state.withLock { $0.handler } }
        set {
            // The old handler is released outside the lock.
            _ = state.withLock { state in
                let before = state.handler
                state.handler = newValue
                return before
            }
        }
    }

    /// Describes where a subscription is made, if `recordCallStackOnError` is set. Empty by default.
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

    /// Returns the call stack to record for a new subscription.
    static func callStack() -> [String] {
        recordCallStackOnError ? customCaptureSubscriptionCallstack() : []
    }

    /// Reports an error that nobody handles.
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
            // One write, so that the errors of several threads do not mix. A failure is ignored.
            _ = write(STDERR_FILENO, bytes, bytes.count)
        #endif
    }
}
