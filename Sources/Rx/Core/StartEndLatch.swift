import Synchronization

/// For what is due when a step's start has returned and the step has ended, in whichever order that happens: a source
/// may end while it is subscribed to, and is disposed after that.
struct StartEndLatch: ~Copyable {
    private static var started: UInt8 { 1 }
    private static var ended: UInt8 { 2 }

    private let passed = Atomic<UInt8>(0)

    init() {}

    /// The start has returned. Whether the step had ended, so that it is due now.
    func start() -> Bool {
        passed.bitwiseOr(StartEndLatch.started, ordering: .acquiringAndReleasing).oldValue
            == StartEndLatch.ended
    }

    /// The step has ended. Whether its start had returned, so that it is due now. Called once.
    func end() -> Bool {
        passed.bitwiseOr(StartEndLatch.ended, ordering: .acquiringAndReleasing).oldValue
            == StartEndLatch.started
    }
}
