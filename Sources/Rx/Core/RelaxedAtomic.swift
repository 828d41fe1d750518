import Synchronization

/// A number or a flag that only the event at hand changes. Where a source breaks the grammar, and several threads are at it, it
/// may miss a change, and no more than that: a plain variable would be a race.
struct RelaxedAtomic<Value: AtomicRepresentable>: ~Copyable {
    private let atomic: Atomic<Value>

    @inline(__always)
    init(_ value: consuming Value) {
        atomic = Atomic(value)
    }
}

extension RelaxedAtomic<Int> {
    @inline(__always)
    var value: Int {
        get { atomic.load(ordering: .relaxed) }
        nonmutating set { atomic.store(newValue, ordering: .relaxed) }
    }
}

extension RelaxedAtomic<Bool> {
    @inline(__always)
    var value: Bool {
        get { atomic.load(ordering: .relaxed) }
        nonmutating set { atomic.store(newValue, ordering: .relaxed) }
    }
}
