import Locking
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Handles errors that no subscriber handles, for the whole process. If a subscription has neither an
/// observer nor an `onError` closure, or a stream is bound to a relay or a `Binder`, its error goes to
/// `defaultErrorHandler`. Nothing traps.
public enum Hooks {
    /// A handler of errors that no subscriber handles.
    public typealias DefaultErrorHandler =
        @Sendable (_ subscriptionCallStack: [String], _ error: any Error) -> Void
    /// A closure that returns the call stack of a new subscription.
    public typealias CustomCaptureSubscriptionCallstack = @Sendable () -> [String]

    private struct State {
        var handler: DefaultErrorHandler = Hooks.report
        var capture: CustomCaptureSubscriptionCallstack = { [] }
    }

    private static let state = Lock(State())
    private static let isRecording = Atomic<Bool>(false)

    /// Whether each subscription without an error handler records its call stack. Default false.
    public static var recordCallStackOnError: Bool {
        get { isRecording.load(ordering: .relaxed) }
        set { isRecording.store(newValue, ordering: .relaxed) }
    }

    /// Receives each unhandled error on the thread that raised it, with the subscription's recorded call
    /// stack. By default, debug builds write it to standard error and release builds drop it.
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

    /// Returns the call stack of a new subscription if `recordCallStackOnError` is set. Empty by default.
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

    static func callStack() -> [String] {
        recordCallStackOnError ? customCaptureSubscriptionCallstack() : []
    }

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
            // A single write, so that the errors of several threads do not mix.
            _ = write(STDERR_FILENO, bytes, bytes.count)
        #endif
    }
}
