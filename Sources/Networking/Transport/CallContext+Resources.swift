import Locking
import Synchronization

// What a request keeps until its answer has been handed over.
extension CallContext {
    /// Keeps an object, such as a charge for memory, until `releaseResources()` or the end of the context.
    ///
    /// - Returns: false after `stopHolding()`; the object is not kept then.
    @discardableResult
    package func hold(_ resource: any AnyObject & Sendable) -> Bool {
        let root = root ?? self
        let isHeld = root.resources.withLock { resources in
            guard !resources.areRefused else { return false }
            resources.held.append(resource)
            return true
        }
        if isHeld { root.hasResources.store(true, ordering: .releasing) }
        return isHeld
    }

    /// Releases what is kept, and keeps nothing from now on: the answer has been handed over, but the work
    /// that makes its body goes on making calls, whose charges end with their responses.
    package func stopHolding() {
        (root ?? self).resources.withLock { $0.areRefused = true }
        releaseResources()
    }

    /// Returns the object of this very class that the context keeps. Not generic: a generic function looks up
    /// its types at each call, which takes longer than all else.
    package func resource(of type: AnyClass) -> (any AnyObject & Sendable)? {
        let root = root ?? self
        guard root.hasResources.load(ordering: .acquiring) else { return nil }
        return root.resources.withLock { resources in
            for held in resources.held where Swift.type(of: held) == type { return held }
            return nil
        }
    }

    /// The memory of the request's body, for a call that may outlast the request with it; nil if the body is
    /// small or was released.
    package var bodyMemory: (any AnyObject & Sendable)? {
        guard hasBodyMemory else { return nil }
        return (root ?? self).resources.withLock { $0.bodyMemory }
    }

    /// Whether the request keeps something, or has.
    package var holdsResources: Bool {
        // Without a root, which is usual, nothing is retained.
        guard let root else { return hasResources.load(ordering: .acquiring) }
        return root.hasResources.load(ordering: .acquiring)
    }

    /// What is kept now: for work on another thread, which may still use the memory after the request was
    /// cancelled.
    package var keptResources: [any AnyObject & Sendable] {
        (root ?? self).resources.withLock { $0.held + ($0.bodyMemory.map { [$0] } ?? []) }
    }

    /// Call it once the answer has been handed over, and when the request is cancelled.
    package func releaseResources() {
        // Nearly all requests have none.
        if root == nil, !hasResources.load(ordering: .acquiring) { return }
        releaseHeldResources()
    }

    @inline(never)
    private func releaseHeldResources() {
        guard (root ?? self).hasResources.load(ordering: .acquiring) else { return }
        // Freed outside the lock.
        var released: [any AnyObject & Sendable] = []
        var bodyMemory: (any AnyObject & Sendable)?
        (root ?? self).resources.withLock { resources in
            swap(&resources.held, &released)
            swap(&resources.bodyMemory, &bodyMemory)
        }
    }
}
