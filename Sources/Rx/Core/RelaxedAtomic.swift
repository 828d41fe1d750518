import Synchronization

/// A number or flag that only the current event changes. If several threads break the grammar and send at
/// once, a change can be lost; a plain variable would be a data race.
///
/// `set` is a method because the thread sanitizer reports `value += 1` as a race, though both steps are
/// atomic.
struct RelaxedAtomic<Value: AtomicRepresentable>: ~Copyable {
    private let atomic: Atomic<Value>

    @inline(__always)
    init(_ value: consuming Value) {
        atomic = Atomic(value)
    }
}

extension RelaxedAtomic<Int> {
    @inline(__always)
    var value: Int { atomic.load(ordering: .relaxed) }

    @inline(__always)
    func set(_ value: Int) {
        atomic.store(value, ordering: .relaxed)
    }
}

extension RelaxedAtomic<Bool> {
    @inline(__always)
    var value: Bool { atomic.load(ordering: .relaxed) }

    @inline(__always)
    func set(_ value: Bool) {
        atomic.store(value, ordering: .relaxed)
    }
}

extension RelaxedAtomic<Double> {
    @inline(__always)
    var value: Double { atomic.load(ordering: .relaxed) }

    @inline(__always)
    func set(_ value: Double) {
        atomic.store(value, ordering: .relaxed)
    }
}
