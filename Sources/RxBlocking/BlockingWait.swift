import Dispatch
import Foundation
import Rx
import Synchronization

/// Keeps a thread until a stream has ended or the time is over.
final class BlockingWait: Sendable {
    /// `nil` is for ever.
    private let deadline: DispatchTime?
    private let hasEnded = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)
    private let servesMainQueue = Thread.isMainThread

    init(timeout: TimeInterval?) {
        // Seconds beyond what the clock can count are for ever.
        deadline = timeout.flatMap { $0 < 1e9 ? DispatchTime.now() + max($0, 0) : nil }
    }

    /// Subscribes, waits and disposes the subscription.
    ///
    /// What runs in turns on this thread gets turns of its own meanwhile: those outside of it wait for this.
    func run(_ subscribe: () -> any Disposable) {
        Trampoline.nested {
            let subscription = subscribe()
            if servesMainQueue { serveMainQueue() }
            if !hasEnded.load(ordering: .acquiring) { _ = ended.wait(timeout: deadline ?? .distantFuture) }
            subscription.dispose()
        }
    }

    /// The stream has ended. From any thread.
    func end() {
        hasEnded.store(true, ordering: .releasing)
        ended.signal()
        // Gives the run loop something to do, after which it looks whether to go on.
        if servesMainQueue { DispatchQueue.main.async {} }
    }

    /// Runs the main run loop. It returns early where nothing can come from it: in work of the main queue that it runs itself.
    private func serveMainQueue() {
        while !hasEnded.load(ordering: .acquiring), let limit = limit {
            guard RunLoop.main.run(mode: .default, before: limit) else { return }
        }
    }

    /// Until when the run loop may sleep; `nil` when the time is over.
    private var limit: Date? {
        guard let deadline else { return .distantFuture }
        let now = DispatchTime.now().uptimeNanoseconds
        guard now < deadline.uptimeNanoseconds else { return nil }
        return Date(timeIntervalSinceNow: Double(deadline.uptimeNanoseconds - now) / 1e9)
    }
}
