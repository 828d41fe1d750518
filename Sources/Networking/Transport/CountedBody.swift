import Locking
import Resilience

/// Counts the body of a call for as long as anything may send it: the call, a copy of it, or an attempt.
package final class CountedBody: Sendable {
    private let count: Int
    /// Adds up small bodies; nil for a large one, and outside a request.
    private let context: CallContext?
    /// Of a large body.
    private let charge = Lock<(any AnyObject & Sendable)?>(nil)

    /// Returns nil if there is nothing to count: no body, or a body that is read while it is sent. Not an
    /// initializer, which would allocate first.
    static func of(_ body: RequestBody, in context: CallContext?) -> CountedBody? {
        guard case .bytes(let bytes) = body, !bytes.isEmpty else { return nil }
        return CountedBody(bytes.count, in: context)
    }

    private init(_ count: Int, in context: CallContext?) {
        self.count = count
        self.context = count < BodyMemory.counted ? context.map { $0.root ?? $0 } : nil
        if let context = self.context { context.memory.addSent(count) }
    }

    deinit {
        if let context { context.memory.addSent(-count) }
    }

    private var isLarge: Bool { count >= BodyMemory.counted }

    /// The bytes to charge before the body is sent; 0 for none.
    package var bytesToCharge: Int {
        if isLarge { return charge.withLock { $0 == nil } ? count : 0 }
        guard let context else { return 0 }
        return context.memory.sentToCharge
    }

    /// Holds the charge of so many bytes: of a large body with the body, of small ones to the end of the
    /// request.
    package func hold(_ charge: any AnyObject & Sendable, of bytes: Int) {
        if isLarge { return self.charge.withLock { $0 = charge } }
        if let context, context.hold(charge) { context.memory.sentIsCharged(bytes) }
    }
}
