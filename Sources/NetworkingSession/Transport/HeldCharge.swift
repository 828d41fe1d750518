internal import EventIO
internal import Resilience

/// The memory charge of a large body that a request keeps. When the request releases it, the loop learns that
/// the memory is freed.
final class HeldCharge: Sendable {
    private let charge: FairBudget.Charge
    private let loop: EventLoop

    init(_ charge: FairBudget.Charge, on loop: EventLoop) {
        self.charge = charge
        self.loop = loop
    }

    deinit { loop.reportLargeMemoryFreed() }
}
