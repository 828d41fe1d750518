import Synchronization

/// A number or flag that only the current event changes. If several threads break the grammar and send at once, a
/// change can be lost; a plain variable would be a data race.
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
