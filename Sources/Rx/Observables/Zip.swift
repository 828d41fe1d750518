/// Sends the combination of the first values of all sources, of the second ones, and so on.
@usableFromInline
class Zip<Out: Sendable>: Join<Out>, @unchecked Sendable {
    /// Whether a value of the only live source ends it that finds no partners; else only the end of all sources does.
    var endsWithLastLive: Bool { false }

    override final func arrived(wasEmpty: Bool, othersDone: Bool) {
        if wasEmpty { withValues += 1 }
        if withValues == count {
            emit()
        } else if endsWithLastLive, othersDone {
            finish()
        }
        // Also with values that still wait for others: completes only when all sources have.
        if done == count { finish() }
    }
}

@usableFromInline
final class ZipSlot<In: Sendable, Out: Sendable>: JoinSlot<In, Out>, @unchecked Sendable {
    /// The first value that waits; the ones after it are in the queue.
    private var cell = ValueStorage<In>()
    private var queue = Queue<In>()

    @usableFromInline
    override init(_ source: consuming Observable<In>) {
        super.init(source)
    }

    deinit {
        cell.destroy()
    }

    func copy() -> ZipSlot<In, Out>? {
        description.map { type(of: self).init($0) }
    }

    override func keep(_ value: In) -> Bool {
        guard cell.isFull else {
            cell.set(value)
            return true
        }
        queue.append(value)
        return false
    }

    /// Takes the first value out.
    func pop() -> In {
        let value = cell.value
        if !queue.isEmpty, let next = queue.popFirst() {
            cell.set(next)
        } else {
            cell.clear()
            ranEmpty()
        }
        return value
    }
}
