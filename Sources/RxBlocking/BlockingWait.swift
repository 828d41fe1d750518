import Dispatch
import Foundation
import Rx
import Synchronization

/// Blocks the current thread until a stream ends or the timeout passes.
final class BlockingWait: Sendable {
    /// `nil` waits forever.
    private let deadline: DispatchTime?
    private let hasEnded = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)
    private let servesMainQueue = Thread.isMainThread

    init(timeout: TimeInterval?) {
        // A timeout that is too long for `DispatchTime` waits forever.
        deadline = timeout.flatMap { $0 < 1e9 ? DispatchTime.now() + max($0, 0) : nil }
    }

    /// `CurrentThreadScheduler` gets a nested trampoline, because this call blocks the thread's outer one.
    func run(_ subscribe: () -> any Disposable) {
        Trampoline.nested {
            let subscription = subscribe()
            if servesMainQueue { serveMainQueue() }
            if !hasEnded.load(ordering: .acquiring) { _ = ended.wait(timeout: deadline ?? .distantFuture) }
            subscription.dispose()
        }
    }

    /// May be called from any thread.
    func end() {
        hasEnded.store(true, ordering: .releasing)
        ended.signal()
        // Wakes the run loop, which then checks `hasEnded`.
        if servesMainQueue { DispatchQueue.main.async {} }
    }

    /// Returns early if the run loop cannot run, as in a block of the main queue that the run loop itself
    /// executes.
    private func serveMainQueue() {
        while !hasEnded.load(ordering: .acquiring), let limit = limit {
            guard RunLoop.main.run(mode: .default, before: limit) else { return }
        }
    }

    /// The time until which the run loop may sleep; `nil` once the timeout has passed.
    private var limit: Date? {
        guard let deadline else { return .distantFuture }
        let now = DispatchTime.now().uptimeNanoseconds
        guard now < deadline.uptimeNanoseconds else { return nil }
        return Date(timeIntervalSinceNow: Double(deadline.uptimeNanoseconds - now) / 1e9)
    }
}
