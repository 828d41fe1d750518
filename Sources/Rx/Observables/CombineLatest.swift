/// Sends the combination of the last values of all sources whenever one of them sends a value.
@usableFromInline
class CombineLatest<Out: Sendable>: Join<Out>, @unchecked Sendable {
    override final func arrived(wasEmpty: Bool, othersDone: Bool) {
        if wasEmpty { withValues += 1 }
        if withValues == count {
            emit()
        } else if othersDone {
            // A source is done that never sent a value: no combination can come any more.
            finish()
        }
    }
}

@usableFromInline
final class LatestSlot<In: Sendable, Out: Sendable>: JoinSlot<In, Out>, @unchecked Sendable {
    var cell = ValueStorage<In>()

    @usableFromInline
    override init(_ source: consuming Observable<In>) {
        super.init(source)
    }

    deinit {
        cell.destroy()
    }

    override func keep(_ value: In) -> Bool {
        let wasEmpty = !cell.isFull
        cell.set(value)
        return wasEmpty
    }

    func copy() -> LatestSlot<In, Out>? {
        description.map { type(of: self).init($0) }
    }
}
