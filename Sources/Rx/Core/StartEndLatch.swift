import Synchronization

/// Triggers work once a step's start has returned and the step has ended, in either order: a source can end
/// while it starts.
struct StartEndLatch: ~Copyable {
    private static var started: UInt8 { 1 }
    private static var ended: UInt8 { 2 }

    private let passed = Atomic<UInt8>(0)

    init() {}

    /// Records that the start has returned. Returns whether the step had ended, so the work is due now.
    func start() -> Bool {
        passed.bitwiseOr(StartEndLatch.started, ordering: .acquiringAndReleasing).oldValue
            == StartEndLatch.ended
    }

    /// Records that the step has ended. Returns whether the start had returned, so the work is due now.
    /// Called once.
    func end() -> Bool {
        passed.bitwiseOr(StartEndLatch.ended, ordering: .acquiringAndReleasing).oldValue
            == StartEndLatch.started
    }
}
